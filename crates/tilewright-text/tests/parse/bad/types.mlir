!unused = !cuda_tile.tile<3xf32>
entry @a(%t: tensor_view<f32, strides=[]>) {
  return
}
entry @b(%t: tensor_view<4xf32>) {
  return
}
entry @c(%t: tensor_view<4xf32, strides=[1], strides=[2]>) {
  return
}
entry @d(%t: tensor_view<4xf32, #cuda_tile.ptr_attr<none>, strides=[1]>) {
  return
}
entry @e(%t: partition_view<tile=(4), padding_value = zero, padding_value = zero, tensor_view<4xf32, strides=[1]>>) {
  return
}
entry @f(%t: strided_view<tile=(4), tensor_view<4xf32, strides=[1]>>) {
  return
}
entry @g(%t: strided_view<tile=(4), padding_value = zero, traversal_strides=[4], tensor_view<4xf32, strides=[1]>>) {
  return
}
