// tilewright check loop-overflow.buggy.mlir --grid 1 i32:2147483647
entry @k(%n: tile<i32>) {
  %zero = constant <i32: 0> : tile<i32>
  %step = constant <i32: 1073741824> : tile<i32>
  for %i in (%zero to %n, step %step) : tile<i32> {
    continue
  }
  return
}
