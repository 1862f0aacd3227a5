// tilewright check nibbles_of_odd_rows.mlir --grid 1 'f4E2M1FN[16]=1'
// misaligned
// A row of 15 elements ends in the middle of a byte.
entry @k(%x: tile<ptr<f4E2M1FN>>) {
  %t = make_tensor_view %x, shape = [15], strides = [1] : tile<ptr<f4E2M1FN>> -> tensor_view<15xf4E2M1FN, strides=[1]>
  %v = make_partition_view %t : partition_view<tile=(16), tensor_view<15xf4E2M1FN, strides=[1]>>
  %zero = constant <i32: 0> : tile<i32>
  %a, %t0 = load_view_tko weak %v[%zero] : partition_view<tile=(16), tensor_view<15xf4E2M1FN, strides=[1]>>, tile<i32> -> tile<16xf4E2M1FN>, token
  return
}
