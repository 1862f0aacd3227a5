// tilewright check block-order.mended.mlir --grid 3 --schedules 16 'i32[1]'
entry @k(%p: tile<ptr<i32>>) {
  %x, %y, %z = get_tile_block_id : tile<i32>
  %old, %t = atomic_rmw_tko relaxed device %p, max, %x : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
  return
}
