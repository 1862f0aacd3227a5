// tilewright check histogram_without_atomics.mlir --grid 4 'i32[32]=3' 'i32[8]'
// data-race same-element
// Each block counts eight numbers: it loads the counts, adds one and stores them again.
entry @k(%numbers: tile<ptr<i32>>, %counts: tile<ptr<i32>>) {
  %x, %y, %z = get_tile_block_id : tile<i32>
  %n = make_tensor_view %numbers, shape = [32], strides = [1] : tile<ptr<i32>> -> tensor_view<32xi32, strides=[1]>
  %p = make_partition_view %n : partition_view<tile=(8), tensor_view<32xi32, strides=[1]>>
  %bins, %t0 = load_view_tko weak %p[%x] : partition_view<tile=(8), tensor_view<32xi32, strides=[1]>>, tile<i32> -> tile<8xi32>, token
  %c1 = reshape %counts : tile<ptr<i32>> -> tile<1xptr<i32>>
  %cs = broadcast %c1 : tile<1xptr<i32>> -> tile<8xptr<i32>>
  %at = offset %cs, %bins : tile<8xptr<i32>>, tile<8xi32> -> tile<8xptr<i32>>
  %old, %t1 = load_ptr_tko weak %at : tile<8xptr<i32>> -> tile<8xi32>, token
  %one = constant <i32: 1> : tile<8xi32>
  %new = addi %old, %one : tile<8xi32>
  %t2 = store_ptr_tko weak %at, %new token = %t1 : tile<8xptr<i32>>, tile<8xi32> -> token
  return
}
