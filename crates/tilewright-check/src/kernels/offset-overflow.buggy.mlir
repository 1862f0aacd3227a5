// tilewright check offset-overflow.buggy.mlir --grid 1 'f32[4]'
entry @k(%p: tile<ptr<f32>>) {
  %top = constant <i64: 4611686018427387904> : tile<i64>
  %q = offset %p, %top : tile<ptr<f32>>, tile<i64> -> tile<ptr<f32>>
  return
}
