// tilewright check mixed-size.mended.mlir --grid 2 'i32[1]'
entry @k(%p: tile<ptr<i32>>) {
  %x, %y, %z = get_tile_block_id : tile<i32>
  %zero = constant <i32: 0> : tile<i32>
  %first = cmpi equal %x, %zero, signed : tile<i32> -> tile<i1>
  if %first {
  %t = store_ptr_tko relaxed device %p, %zero : tile<ptr<i32>>, tile<i32> -> token
  yield
  } else {
  %s = constant <i32: 1> : tile<i32>
  %t = store_ptr_tko relaxed device %p, %s : tile<ptr<i32>>, tile<i32> -> token
  yield
  }
  return
}
