// tilewright check offset-overflow.mended.mlir --grid 1 'f32[4]'
entry @k(%p: tile<ptr<f32>>) {
  %i = constant <i64: 3> : tile<i64>
  %q = offset %p, %i : tile<ptr<f32>>, tile<i64> -> tile<ptr<f32>>
  return
}
