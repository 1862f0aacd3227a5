// tilewright check false-overflow.mended.mlir --grid 1 i32:2147483647
entry @k(%n: tile<i32>) {
  %one = constant <i32: 1> : tile<i32>
  %m = addi %n, %one : tile<i32>
  return
}
