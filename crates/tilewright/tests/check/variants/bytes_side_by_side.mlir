// tilewright check bytes_side_by_side.mlir --grid 4 'i8[8]'
// data-race: %n, %two => %n, %one
// Blocks write two bytes each, of which four share a word: narrow types race no more than wide ones.
entry @k(%a: tile<ptr<i8>>) {
  %n, %y, %z = get_tile_block_id : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  %two = constant <i32: 2> : tile<i32>
  %start = muli %n, %two : tile<i32>
  %p = offset %a, %start : tile<ptr<i8>>, tile<i32> -> tile<ptr<i8>>
  %r = reshape %p : tile<ptr<i8>> -> tile<1xptr<i8>>
  %s = broadcast %r : tile<1xptr<i8>> -> tile<2xptr<i8>>
  %lanes = iota : tile<2xi8>
  %q = offset %s, %lanes : tile<2xptr<i8>>, tile<2xi8> -> tile<2xptr<i8>>
  %t = store_ptr_tko weak %q, %lanes : tile<2xptr<i8>>, tile<2xi8> -> token
  return
}
