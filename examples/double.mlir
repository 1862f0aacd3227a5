// Doubles 128 numbers in place.
entry @double(%p: tile<ptr<f32>>) {
  %tv = make_tensor_view %p, shape = [128], strides = [1] : tile<ptr<f32>> -> tensor_view<128xf32, strides=[1]>
  %pv = make_partition_view %tv : partition_view<tile=(128), tensor_view<128xf32, strides=[1]>>
  %i = constant <i32: 0> : tile<i32>
  %x, %t = load_view_tko weak %pv[%i] : partition_view<tile=(128), tensor_view<128xf32, strides=[1]>>, tile<i32> -> tile<128xf32>, token
  %y = addf %x, %x : tile<128xf32>
  store_view_tko weak %y, %pv[%i] token = %t : tile<128xf32>, partition_view<tile=(128), tensor_view<128xf32, strides=[1]>>, tile<i32> -> token
  return
}
