// tilewright check same-element.buggy.mlir --grid 1 'i32[8]'
entry @k(%p: tile<ptr<i32>>) {
  %lanes = iota : tile<8xi32>
  %two = constant <i32: 2> : tile<8xi32>
  %half = divi %lanes, %two signed : tile<8xi32>
  %p1 = reshape %p : tile<ptr<i32>> -> tile<1xptr<i32>>
  %ps = broadcast %p1 : tile<1xptr<i32>> -> tile<8xptr<i32>>
  %at = offset %ps, %half : tile<8xptr<i32>>, tile<8xi32> -> tile<8xptr<i32>>
  %t = store_ptr_tko weak %at, %half : tile<8xptr<i32>>, tile<8xi32> -> token
  return
}
