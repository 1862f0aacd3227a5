// tilewright check counted_by_all.mlir --grid 3 --schedules 16 'i32[1]'
// block-order: add, %x => xchg, %x
// narrow-scope: relaxed device => relaxed tl_blk
// block-order data-race: %old, %t = atomic_rmw_tko relaxed device %p, add, %x : tile<ptr<i32>>, tile<i32> -> tile<i32>, token => %t = store_ptr_tko weak %p, %x : tile<ptr<i32>>, tile<i32> -> token
// clean: add, %x => max, %x
// clean: %old, %t = atomic_rmw_tko relaxed device %p, add, %x : tile<ptr<i32>>, tile<i32> -> tile<i32>, token => %v, %t = load_ptr_tko weak %p : tile<ptr<i32>> -> tile<i32>, token
// clean: %old, %t = atomic_rmw_tko relaxed device %p, add, %x : tile<ptr<i32>>, tile<i32> -> tile<i32>, token => %one = constant <i32: 1> : tile<i32> %t = store_ptr_tko relaxed device %p, %one : tile<ptr<i32>>, tile<i32> -> token
// All blocks add to one place.
entry @k(%p: tile<ptr<i32>>) {
  %x, %y, %z = get_tile_block_id : tile<i32>
  %old, %t = atomic_rmw_tko relaxed device %p, add, %x : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
  return
}
