// tilewright check overlapping-arrays.buggy.mlir --grid 1 --distinct 'f32[4]' '&0+8'
entry @k(%p: tile<ptr<f32>>, %q: tile<ptr<f32>>) {
  %v, %t = load_ptr_tko weak %p : tile<ptr<f32>> -> tile<f32>, token
  %u = store_ptr_tko weak %q, %v token = %t : tile<ptr<f32>>, tile<f32> -> token
  return
}
