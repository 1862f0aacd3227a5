// tilewright check shift.buggy.mlir --grid 1 i32:32
entry @k(%n: tile<i32>) {
  %one = constant <i32: 1> : tile<i32>
  %v = shli %one, %n : tile<i32>
  return
}
