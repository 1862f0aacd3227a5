// tilewright check undefined-branch.mended.mlir --grid 1 'i32[4]'
entry @k(%p: tile<ptr<i32>>) {
  %mask = constant <i1: true> : tile<1xi1>
  %p1 = reshape %p : tile<ptr<i32>> -> tile<1xptr<i32>>
  %v, %t = load_ptr_tko weak %p1, %mask : tile<1xptr<i32>>, tile<1xi1> -> tile<1xi32>, token
  %w = reshape %v : tile<1xi32> -> tile<i32>
  %zero = constant <i32: 0> : tile<i32>
  %c = cmpi equal %w, %zero, signed : tile<i32> -> tile<i1>
  if %c {
  %u = store_ptr_tko weak %p, %zero token = %t : tile<ptr<i32>>, tile<i32> -> token
  yield
  }
  return
}
