// tilewright check undefined-stored.mended.mlir --grid 1 'f32[4]=?' 'f32[4]=?'
entry @k(%p: tile<ptr<f32>>, %q: tile<ptr<f32>>) {
  %c = constant <f32: 1.0> : tile<f32>
  %s = store_ptr_tko weak %p, %c : tile<ptr<f32>>, tile<f32> -> token
  %v, %t = load_ptr_tko weak %p token = %s : tile<ptr<f32>> -> tile<f32>, token
  %u = store_ptr_tko weak %q, %v : tile<ptr<f32>>, tile<f32> -> token
  return
}
