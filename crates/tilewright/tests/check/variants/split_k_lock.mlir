// tilewright check split_k_lock.mlir --grid 1,1,4 'f32[8x32]=1' 'f32[32x8]=1' 'f32[8x8]' 'i32[1]'
// data-race: acquire device => relaxed device
// data-race: release device => relaxed device
// data-race narrow-scope: acquire device => acquire tl_blk
// data-race narrow-scope: release device => release tl_blk
// data-race: [%zero, %zero] token = %w => [%zero, %zero]
// data-race token-order: [%zero, %zero] token = %t2 => [%zero, %zero]
// data-race: xchg, %zero token = %t3 => xchg, %zero
// clean: acquire device => acquire sys
// clean: acquire device => acq_rel device
// Blocks along z add their products to one tile, one after the other.
entry @k(%a: tile<ptr<f32>>, %b: tile<ptr<f32>>, %c: tile<ptr<f32>>, %lock: tile<ptr<i32>>) {
  %x, %y, %z = get_tile_block_id : tile<i32>
  %zero = constant <i32: 0> : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  %ta = make_tensor_view %a, shape = [8, 32], strides = [32, 1] : tile<ptr<f32>> -> tensor_view<8x32xf32, strides=[32,1]>
  %tb = make_tensor_view %b, shape = [32, 8], strides = [8, 1] : tile<ptr<f32>> -> tensor_view<32x8xf32, strides=[8,1]>
  %tc = make_tensor_view %c, shape = [8, 8], strides = [8, 1] : tile<ptr<f32>> -> tensor_view<8x8xf32, strides=[8,1]>
  %pa = make_partition_view %ta : partition_view<tile=(8x8), tensor_view<8x32xf32, strides=[32,1]>>
  %pb = make_partition_view %tb : partition_view<tile=(8x8), tensor_view<32x8xf32, strides=[8,1]>>
  %pc = make_partition_view %tc : partition_view<tile=(8x8), tensor_view<8x8xf32, strides=[8,1]>>
  %l, %t0 = load_view_tko weak %pa[%zero, %z] : partition_view<tile=(8x8), tensor_view<8x32xf32, strides=[32,1]>>, tile<i32> -> tile<8x8xf32>, token
  %r, %t1 = load_view_tko weak %pb[%z, %zero] : partition_view<tile=(8x8), tensor_view<32x8xf32, strides=[8,1]>>, tile<i32> -> tile<8x8xf32>, token
  %w = loop : token {
    %held, %q = atomic_cas_tko acquire device %lock, %zero, %one : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
    %free = cmpi equal %held, %zero, signed : tile<i32> -> tile<i1>
    if %free {
      break %q : token
    }
    continue
  }
  %old, %t2 = load_view_tko weak %pc[%zero, %zero] token = %w : partition_view<tile=(8x8), tensor_view<8x8xf32, strides=[8,1]>>, tile<i32> -> tile<8x8xf32>, token
  %sum = mmaf %l, %r, %old : tile<8x8xf32>, tile<8x8xf32>, tile<8x8xf32>
  %t3 = store_view_tko weak %sum, %pc[%zero, %zero] token = %t2 : tile<8x8xf32>, partition_view<tile=(8x8), tensor_view<8x8xf32, strides=[8,1]>>, tile<i32> -> token
  %last, %t4 = atomic_rmw_tko release device %lock, xchg, %zero token = %t3 : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
  return
}
