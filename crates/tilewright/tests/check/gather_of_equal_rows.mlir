// tilewright check gather_of_equal_rows.mlir --grid 1 'f32[16]=?' 'f32[16]'
// clean
// The third row is written, and gathered four times: no other row is read.
entry @k(%a: tile<ptr<f32>>, %b: tile<ptr<f32>>) {
  %two = constant <i32: 2> : tile<i32>
  %zero = constant <i32: 0> : tile<i32>
  %rows = constant <i32: 2> : tile<4xi32>
  %v = constant <f32: 1.0> : tile<1x4xf32>
  %ta = make_tensor_view %a, shape = [4, 4], strides = [4, 1] : tile<ptr<f32>> -> tensor_view<4x4xf32, strides=[4,1]>
  %tb = make_tensor_view %b, shape = [4, 4], strides = [4, 1] : tile<ptr<f32>> -> tensor_view<4x4xf32, strides=[4,1]>
  %row = make_partition_view %ta : partition_view<tile=(1x4), tensor_view<4x4xf32, strides=[4,1]>>
  %to = make_partition_view %tb : partition_view<tile=(4x4), tensor_view<4x4xf32, strides=[4,1]>>
  %from = make_gather_scatter_view %ta : gather_scatter_view<tile=(4x4), tensor_view<4x4xf32, strides=[4,1]>, sparse_dim=0>
  %t0 = store_view_tko weak %v, %row[%two, %zero] : tile<1x4xf32>, partition_view<tile=(1x4), tensor_view<4x4xf32, strides=[4,1]>>, tile<i32> -> token
  %g, %t1 = load_view_tko weak %from[%rows, %zero] token = %t0 : gather_scatter_view<tile=(4x4), tensor_view<4x4xf32, strides=[4,1]>, sparse_dim=0>, tile<4xi32>, tile<i32> -> tile<4x4xf32>, token
  %t2 = store_view_tko weak %g, %to[%zero, %zero] token = %t1 : tile<4x4xf32>, partition_view<tile=(4x4), tensor_view<4x4xf32, strides=[4,1]>>, tile<i32> -> token
  return
}
