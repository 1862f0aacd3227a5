// tilewright check histogram.mlir --grid 4 'i32[32]=3' 'i32[8]'
// clean
// Each block adds one to the counts of eight numbers, atomically.
entry @k(%numbers: tile<ptr<i32>>, %counts: tile<ptr<i32>>) {
  %x, %y, %z = get_tile_block_id : tile<i32>
  %n = make_tensor_view %numbers, shape = [32], strides = [1] : tile<ptr<i32>> -> tensor_view<32xi32, strides=[1]>
  %p = make_partition_view %n : partition_view<tile=(8), tensor_view<32xi32, strides=[1]>>
  %bins, %t0 = load_view_tko weak %p[%x] : partition_view<tile=(8), tensor_view<32xi32, strides=[1]>>, tile<i32> -> tile<8xi32>, token
  %c1 = reshape %counts : tile<ptr<i32>> -> tile<1xptr<i32>>
  %cs = broadcast %c1 : tile<1xptr<i32>> -> tile<8xptr<i32>>
  %at = offset %cs, %bins : tile<8xptr<i32>>, tile<8xi32> -> tile<8xptr<i32>>
  %one = constant <i32: 1> : tile<8xi32>
  %old, %t1 = atomic_rmw_tko relaxed device %at, add, %one : tile<8xptr<i32>>, tile<8xi32> -> tile<8xi32>, token
  return
}
