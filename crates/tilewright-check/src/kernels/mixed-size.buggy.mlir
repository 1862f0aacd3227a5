// tilewright check mixed-size.buggy.mlir --grid 2 'i32[1]'
entry @k(%p: tile<ptr<i32>>) {
  %x, %y, %z = get_tile_block_id : tile<i32>
  %zero = constant <i32: 0> : tile<i32>
  %first = cmpi equal %x, %zero, signed : tile<i32> -> tile<i1>
  if %first {
  %t = store_ptr_tko relaxed device %p, %zero : tile<ptr<i32>>, tile<i32> -> token
  yield
  } else {
  %q = ptr_to_ptr %p : tile<ptr<i32>> -> tile<ptr<i16>>
  %s = constant <i16: 1> : tile<i16>
  %t = store_ptr_tko relaxed device %q, %s : tile<ptr<i16>>, tile<i16> -> token
  yield
  }
  return
}
