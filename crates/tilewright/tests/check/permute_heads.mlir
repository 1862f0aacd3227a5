// tilewright check permute_heads.mlir --grid 8 'f32[2x4x32x8]=1' 'f32[2x4x32x8]=?'
// clean
// The heads of a tensor (batch, head, row, column) change places: a block for each head of the source, which goes to the next one.
entry @k(%a: tile<ptr<f32>>, %b: tile<ptr<f32>>) {
  %x, %y, %z = get_tile_block_id : tile<i32>
  %zero = constant <i32: 0> : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  %four = constant <i32: 4> : tile<i32>
  %batch = divi %x, %four signed : tile<i32>
  %h1 = remi %x, %four signed : tile<i32>
  %next = addi %h1, %one : tile<i32>
  %h2 = remi %next, %four signed : tile<i32>
  %ta = make_tensor_view %a, shape = [2, 4, 32, 8], strides = [1024, 256, 8, 1] : tile<ptr<f32>> -> tensor_view<2x4x32x8xf32, strides=[1024,256,8,1]>
  %tb = make_tensor_view %b, shape = [2, 4, 32, 8], strides = [1024, 256, 8, 1] : tile<ptr<f32>> -> tensor_view<2x4x32x8xf32, strides=[1024,256,8,1]>
  %pa = make_partition_view %ta : partition_view<tile=(1x1x8x8), tensor_view<2x4x32x8xf32, strides=[1024,256,8,1]>>
  %pb = make_partition_view %tb : partition_view<tile=(1x1x8x8), tensor_view<2x4x32x8xf32, strides=[1024,256,8,1]>>
  for %m in (%zero to %four, step %one) : tile<i32> {
    %v, %t0 = load_view_tko weak %pa[%batch, %h1, %m, %zero] : partition_view<tile=(1x1x8x8), tensor_view<2x4x32x8xf32, strides=[1024,256,8,1]>>, tile<i32> -> tile<1x1x8x8xf32>, token
    %t1 = store_view_tko weak %v, %pb[%batch, %h2, %m, %zero] : tile<1x1x8x8xf32>, partition_view<tile=(1x1x8x8), tensor_view<2x4x32x8xf32, strides=[1024,256,8,1]>>, tile<i32> -> token
    continue
  }
  return
}
