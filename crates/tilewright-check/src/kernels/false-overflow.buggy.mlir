// tilewright check false-overflow.buggy.mlir --grid 1 i32:2147483647
entry @k(%n: tile<i32>) {
  %one = constant <i32: 1> : tile<i32>
  %m = addi %n, %one overflow<no_signed_wrap> : tile<i32>
  return
}
