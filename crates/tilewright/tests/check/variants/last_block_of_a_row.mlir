// tilewright check last_block_of_a_row.mlir --grid 2,2 'f32[2x12]' i32:12
// data-race out-of-bounds: less_than %at, %some => less_than_or_equal %at, %some
// out-of-bounds data-race: weak %q, %v, %mask : tile<8xptr<f32>>, tile<8xf32>, tile<8xi1> => weak %q, %v : tile<8xptr<f32>>, tile<8xf32>
// clean: <f32: 1.0> => <f32: 2.0>
// Rows of 12 numbers, written by two blocks of 8: the second one leaves out four, which are the next row's.
entry @k(%a: tile<ptr<f32>>, %n: tile<i32>) {
  %x, %y, %z = get_tile_block_id : tile<i32>
  %eight = constant <i32: 8> : tile<i32>
  %first = muli %x, %eight : tile<i32>
  %f1 = reshape %first : tile<i32> -> tile<1xi32>
  %fs = broadcast %f1 : tile<1xi32> -> tile<8xi32>
  %lanes = iota : tile<8xi32>
  %at = addi %fs, %lanes : tile<8xi32>
  %n1 = reshape %n : tile<i32> -> tile<1xi32>
  %some = broadcast %n1 : tile<1xi32> -> tile<8xi32>
  %mask = cmpi less_than %at, %some, signed : tile<8xi32> -> tile<8xi1>
  %row = muli %y, %n : tile<i32>
  %p = offset %a, %row : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
  %r = reshape %p : tile<ptr<f32>> -> tile<1xptr<f32>>
  %s = broadcast %r : tile<1xptr<f32>> -> tile<8xptr<f32>>
  %q = offset %s, %at : tile<8xptr<f32>>, tile<8xi32> -> tile<8xptr<f32>>
  %v = constant <f32: 1.0> : tile<8xf32>
  %t = store_ptr_tko weak %q, %v, %mask : tile<8xptr<f32>>, tile<8xf32>, tile<8xi1> -> token
  return
}
