// tilewright check token-order.mended.mlir --grid 1 'i32[1]'
entry @k(%p: tile<ptr<i32>>) {
  %one = constant <i32: 1> : tile<i32>
  %t = store_ptr_tko weak %p, %one : tile<ptr<i32>>, tile<i32> -> token
  %v, %u = load_ptr_tko weak %p token = %t : tile<ptr<i32>> -> tile<i32>, token
  return
}
