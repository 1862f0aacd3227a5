// tilewright check undefined-index.mended.mlir --grid 1 'i32[4]'
entry @k(%p: tile<ptr<i32>>) {
  %i, %t = load_ptr_tko weak %p : tile<ptr<i32>> -> tile<i32>, token
  %q = offset %p, %i : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
  %v, %u = load_ptr_tko weak %q token = %t : tile<ptr<i32>> -> tile<i32>, token
  return
}
