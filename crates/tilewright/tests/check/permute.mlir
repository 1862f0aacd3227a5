// tilewright check permute.mlir --grid 2,4 'f32[16x32]' 'f32[32x16]=?'
// clean
// Tiles of a matrix are transposed, and stored where the transposed matrix has them.
entry @k(%a: tile<ptr<f32>>, %b: tile<ptr<f32>>) {
  %x, %y, %z = get_tile_block_id : tile<i32>
  %ta = make_tensor_view %a, shape = [16, 32], strides = [32, 1] : tile<ptr<f32>> -> tensor_view<16x32xf32, strides=[32,1]>
  %tb = make_tensor_view %b, shape = [32, 16], strides = [16, 1] : tile<ptr<f32>> -> tensor_view<32x16xf32, strides=[16,1]>
  %pa = make_partition_view %ta : partition_view<tile=(8x8), tensor_view<16x32xf32, strides=[32,1]>>
  %pb = make_partition_view %tb : partition_view<tile=(8x8), tensor_view<32x16xf32, strides=[16,1]>>
  %v, %t0 = load_view_tko weak %pa[%x, %y] : partition_view<tile=(8x8), tensor_view<16x32xf32, strides=[32,1]>>, tile<i32> -> tile<8x8xf32>, token
  %w = permute %v [1, 0] : tile<8x8xf32> -> tile<8x8xf32>
  %t1 = store_view_tko weak %w, %pb[%y, %x] : tile<8x8xf32>, partition_view<tile=(8x8), tensor_view<32x16xf32, strides=[16,1]>>, tile<i32> -> token
  return
}
