// tilewright check shift_in_place.mlir --grid 3 'f32[32]'
// data-race
// Each block moves eight numbers one place to the front: its last one is the first of the next block, which moves that, too.
entry @k(%a: tile<ptr<f32>>) {
  %x, %y, %z = get_tile_block_id : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  %behind = offset %a, %one : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
  %from = make_tensor_view %behind, shape = [31], strides = [1] : tile<ptr<f32>> -> tensor_view<31xf32, strides=[1]>
  %to = make_tensor_view %a, shape = [32], strides = [1] : tile<ptr<f32>> -> tensor_view<32xf32, strides=[1]>
  %pf = make_partition_view %from : partition_view<tile=(8), tensor_view<31xf32, strides=[1]>>
  %pt = make_partition_view %to : partition_view<tile=(8), tensor_view<32xf32, strides=[1]>>
  %v, %t0 = load_view_tko weak %pf[%x] : partition_view<tile=(8), tensor_view<31xf32, strides=[1]>>, tile<i32> -> tile<8xf32>, token
  %t1 = store_view_tko weak %v, %pt[%x] token = %t0 : tile<8xf32>, partition_view<tile=(8), tensor_view<32xf32, strides=[1]>>, tile<i32> -> token
  return
}
