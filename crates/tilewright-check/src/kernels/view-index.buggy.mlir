// tilewright check view-index.buggy.mlir --grid 3 'f32[12]'
entry @k(%p: tile<ptr<f32>>) {
  %x, %y, %z = get_tile_block_id : tile<i32>
  %tv = make_tensor_view %p, shape = [12], strides = [1] : tile<ptr<f32>> -> tensor_view<12xf32, strides=[1]>
  %pv = make_partition_view %tv : partition_view<tile=(8), tensor_view<12xf32, strides=[1]>>
  %v, %t = load_view_tko weak %pv[%x] : partition_view<tile=(8), tensor_view<12xf32, strides=[1]>>, tile<i32> -> tile<8xf32>, token
  return
}
