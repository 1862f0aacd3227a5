// tilewright check scatter.mlir --grid 1 'i32[8]'
// same-element: xori => ori
// clean: xori => andi
// out-of-bounds: <i32: 3> => <i32: 8>
// clean: xori => addi
// same-element: %t = store_ptr_tko weak %q, %lanes : tile<4xptr<i32>>, tile<4xi32> -> token => %t = store_ptr_tko weak %s, %lanes : tile<4xptr<i32>>, tile<4xi32> -> token
// clean: %t = store_ptr_tko weak %q, %lanes : tile<4xptr<i32>>, tile<4xi32> -> token => %v, %t = atomic_rmw_tko relaxed device %s, add, %lanes : tile<4xptr<i32>>, tile<4xi32> -> tile<4xi32>, token
// Numbers in another order: each place is written once.
entry @k(%a: tile<ptr<i32>>) {
  %lanes = iota : tile<4xi32>
  %k = constant <i32: 3> : tile<4xi32>
  %at = xori %lanes, %k : tile<4xi32>
  %r = reshape %a : tile<ptr<i32>> -> tile<1xptr<i32>>
  %s = broadcast %r : tile<1xptr<i32>> -> tile<4xptr<i32>>
  %q = offset %s, %at : tile<4xptr<i32>>, tile<4xi32> -> tile<4xptr<i32>>
  %t = store_ptr_tko weak %q, %lanes : tile<4xptr<i32>>, tile<4xi32> -> token
  return
}
