// tilewright check read-only.mended.mlir --grid 1 --read-only 0 'f32[4]' 'f32[4]'
entry @k(%in: tile<ptr<f32>>, %out: tile<ptr<f32>>) {
  %c = constant <f32: 1.0> : tile<f32>
  %t = store_ptr_tko weak %out, %c : tile<ptr<f32>>, tile<f32> -> token
  return
}
