// tilewright check loop-step.mended.mlir --grid 1 i32:2
entry @k(%n: tile<i32>) {
  %zero = constant <i32: 0> : tile<i32>
  %ten = constant <i32: 10> : tile<i32>
  for %i in (%zero to %ten, step %n) : tile<i32> {
  continue
  }
  return
}
