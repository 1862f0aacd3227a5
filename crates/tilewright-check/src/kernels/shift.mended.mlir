// tilewright check shift.mended.mlir --grid 1 i32:32
entry @k(%n: tile<i32>) {
  %one = constant <i32: 1> : tile<i32>
  %most = constant <i32: 31> : tile<i32>
  %bits = mini %n, %most unsigned : tile<i32>
  %v = shli %one, %bits : tile<i32>
  return
}
