// tilewright check undefined-stored.buggy.mlir --grid 1 'f32[4]=?' 'f32[4]=?'
entry @k(%p: tile<ptr<f32>>, %q: tile<ptr<f32>>) {
  %v, %t = load_ptr_tko weak %p : tile<ptr<f32>> -> tile<f32>, token
  %u = store_ptr_tko weak %q, %v : tile<ptr<f32>>, tile<f32> -> token
  return
}
