// tilewright check grid_barrier.mlir --grid 3 'i32[3]' 'i32[1]' 'i32[3]'
// data-race: release device => relaxed device
// data-race: acquire device => relaxed device
// data-race narrow-scope: release device => release tl_blk
// data-race narrow-scope: acquire device => acquire tl_blk
// data-race: add, %one token = %t0 => add, %one
// data-race: weak %next token = %w => weak %next
// deadlock: <i32: 3> => <i32: 4>
// Each block writes a number, waits for all, and reads that of the next one.
entry @k(%a: tile<ptr<i32>>, %count: tile<ptr<i32>>, %b: tile<ptr<i32>>) {
  %x, %y, %z = get_tile_block_id : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  %blocks = constant <i32: 3> : tile<i32>
  %width = addi %one, %one : tile<i32>
  %modulus = addi %width, %one : tile<i32>
  %mine = offset %a, %x : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
  %t0 = store_ptr_tko weak %mine, %x : tile<ptr<i32>>, tile<i32> -> token
  %before, %t1 = atomic_rmw_tko release device %count, add, %one token = %t0 : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
  %w = loop : token {
    %n, %t = load_ptr_tko acquire device %count token = %t1 : tile<ptr<i32>> -> tile<i32>, token
    %all = cmpi greater_than_or_equal %n, %blocks, signed : tile<i32> -> tile<i1>
    if %all {
      break %t : token
    }
    continue
  }
  %behind = addi %x, %one : tile<i32>
  %other = remi %behind, %modulus signed : tile<i32>
  %next = offset %a, %other : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
  %v, %t2 = load_ptr_tko weak %next token = %w : tile<ptr<i32>> -> tile<i32>, token
  %to = offset %b, %x : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
  %t3 = store_ptr_tko weak %to, %v : tile<ptr<i32>>, tile<i32> -> token
  return
}
