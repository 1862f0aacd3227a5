// tilewright check assertion.mended.mlir --grid 1 i32:1
entry @k(%n: tile<i32>) {
  %zero = constant <i32: 0> : tile<i32>
  %c = cmpi greater_than %n, %zero, signed : tile<i32> -> tile<i1>
  assert %c, "n must be positive" : tile<i1>
  return
}
