// tilewright check nibbles_partly_outside.mlir --grid 1 'f4E2M1FN[16]=1'
// out-of-bounds view-exceeds-memory
// Two elements share a byte. Those that lie in the buffer are read, though others of the tile do not.
entry @k(%x: tile<ptr<f4E2M1FN>>) {
  %t = make_tensor_view %x, shape = [32], strides = [1] : tile<ptr<f4E2M1FN>> -> tensor_view<32xf4E2M1FN, strides=[1]>
  %v = make_partition_view %t : partition_view<tile=(32), tensor_view<32xf4E2M1FN, strides=[1]>>
  %zero = constant <i32: 0> : tile<i32>
  %a, %t0 = load_view_tko weak %v[%zero] : partition_view<tile=(32), tensor_view<32xf4E2M1FN, strides=[1]>>, tile<i32> -> tile<32xf4E2M1FN>, token
  %f = ftof %a rounding<nearest_even> : tile<32xf4E2M1FN> -> tile<32xf32>
  %one = constant <f32: 1.0> : tile<32xf32>
  %is = cmpf equal ordered %f, %one : tile<32xf32> -> tile<32xi1>
  %lanes = iota : tile<32xi32>
  %half = constant <i32: 16> : tile<32xi32>
  %outside = cmpi greater_than_or_equal %lanes, %half, signed : tile<32xi32> -> tile<32xi1>
  %good = ori %is, %outside : tile<32xi1>
  assert %good, "what lies in the buffer is read" : tile<32xi1>
  return
}
