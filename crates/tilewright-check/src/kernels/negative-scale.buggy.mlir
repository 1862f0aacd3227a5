// tilewright check negative-scale.buggy.mlir --grid 1 'f32[4]'
entry @k(%p: tile<ptr<f32>>) {
  %lhs = constant <f4E2M1FN: 1.0> : tile<2x16xf4E2M1FN>
  %rhs = constant <f4E2M1FN: 1.0> : tile<16x2xf4E2M1FN>
  %acc = constant <f32: 0.0> : tile<2x2xf32>
  %ls = constant <f8E4M3FN: 1.0> : tile<2x1xf8E4M3FN>
  %rs = constant <f8E4M3FN: -2.0> : tile<1x2xf8E4M3FN>
  %product = mmaf_scaled %lhs, %rhs, %acc, %ls, %rs : tile<2x16xf4E2M1FN>, tile<16x2xf4E2M1FN>, tile<2x2xf32>, tile<2x1xf8E4M3FN>, tile<1x2xf8E4M3FN>
  %tv = make_tensor_view %p, shape = [2, 2], strides = [2, 1] : tile<ptr<f32>> -> tensor_view<2x2xf32, strides=[2,1]>
  %pv = make_partition_view %tv : partition_view<tile=(2x2), tensor_view<2x2xf32, strides=[2,1]>>
  %zero = constant <i32: 0> : tile<i32>
  %t = store_view_tko weak %product, %pv[%zero, %zero] : tile<2x2xf32>, partition_view<tile=(2x2), tensor_view<2x2xf32, strides=[2,1]>>, tile<i32> -> token
  return
}
