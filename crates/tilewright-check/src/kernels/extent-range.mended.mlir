// tilewright check extent-range.mended.mlir --grid 1 'f32[300]' i32:300
entry @k(%x: tile<ptr<f32>>, %n: tile<i32>) {
  %t = make_tensor_view %x, shape = [%n], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
  %m = get_tensor_shape %t : tensor_view<?xf32, strides=[1]> -> tile<i32>
  return
}
