entry @k(%a: tile<4xf32>, %b: tile<4xf16> {
  %0 = addf %a, %b : tile<4xf32>
  %1 = addf %a %a : tile<4xf32>
  %2 = exp %a
  %3 = constnt <i32: 5> : tile<i32>
  %4 = addi %3, %3 : tile<i33>
  store_view_tko weak %a, %b[%c] : tile<4xf32>, partition_view<tile=(4), tensor_view<?xf32, strides=[1]>> -> token
  %5 = cmpf less_then ordered %a, %a : tile<4xf32> -> tile<4xi1>
  return
}
entry @k2() {
  %x = iota : tile<3xi32>
  %x = iota : tile<4xi32>
  br ^bb0
