// tilewright check loop-overflow.mended.mlir --grid 1 i32:2147483647
entry @k(%n: tile<i32>) {
  %zero = constant <i64: 0> : tile<i64>
  %step = constant <i64: 1073741824> : tile<i64>
  %wide = exti %n signed : tile<i32> -> tile<i64>
  for %i in (%zero to %wide, step %step) : tile<i64> {
    continue
  }
  return
}
