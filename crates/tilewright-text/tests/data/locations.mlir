global  @g <f32: [1.000000e+00, 2.000000e+00, 3.000000e+00, 4.000000e+00]> : tile<4xf32>
entry @a() {
  %cst_0_i32 = constant <i32: 0> : tile<i32>
  %cst_1_i32 = constant <i32: 1> : tile<i32>
  %cst_2_i32 = constant <i32: 2> : tile<i32>
  %cst_3_i32 = constant <i32: 3> : tile<i32>
  %cst_4_i32 = constant <i32: 4> : tile<i32>
  %cst_5_i32 = constant <i32: 5> : tile<i32>
  %cst_6_i32 = constant <i32: 6> : tile<i32>
  return
}
entry @b() {
  %true = constant <i1: true> : tile<i1>
  if %true {
  }
  return
}
entry @c(%arg0: tile<i32>) {
  return
}
