// tilewright check data-race.buggy.mlir --grid 2 'i32[1]'
entry @k(%p: tile<ptr<i32>>) {
  %x, %y, %z = get_tile_block_id : tile<i32>
  %v, %t = load_ptr_tko weak %p : tile<ptr<i32>> -> tile<i32>, token
  %sum = addi %v, %x : tile<i32>
  %u = store_ptr_tko weak %p, %sum token = %t : tile<ptr<i32>>, tile<i32> -> token
  return
}
