// tilewright check last_block_adds.mlir --grid 4 'i32[4]=?' 'i32[1]' 'i32[1]'
// data-race: acq_rel device => relaxed device
// data-race: acq_rel device => release device
// data-race: acq_rel device => acquire device
// data-race narrow-scope: acq_rel device => acq_rel tl_blk
// data-race token-order: add, %one token = %t0 => add, %one
// data-race token-order: weak %all token = %t1 => weak %all
// clean: acq_rel device => acq_rel sys
// Each block writes a number and draws a ticket; the one with the last ticket adds the numbers.
entry @k(%parts: tile<ptr<i32>>, %count: tile<ptr<i32>>, %total: tile<ptr<i32>>) {
  %x, %y, %z = get_tile_block_id : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  %three = constant <i32: 3> : tile<i32>
  %mine = offset %parts, %x : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
  %t0 = store_ptr_tko weak %mine, %x : tile<ptr<i32>>, tile<i32> -> token
  %ticket, %t1 = atomic_rmw_tko acq_rel device %count, add, %one token = %t0 : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
  %last = cmpi equal %ticket, %three, signed : tile<i32> -> tile<i1>
  if %last {
    %lanes = iota : tile<4xi32>
    %r = reshape %parts : tile<ptr<i32>> -> tile<1xptr<i32>>
    %s = broadcast %r : tile<1xptr<i32>> -> tile<4xptr<i32>>
    %all = offset %s, %lanes : tile<4xptr<i32>>, tile<4xi32> -> tile<4xptr<i32>>
    %v, %t2 = load_ptr_tko weak %all token = %t1 : tile<4xptr<i32>> -> tile<4xi32>, token
    %sum = reduce %v dim=0 identities=[0 : i32] : tile<4xi32> -> tile<i32>
    (%p: tile<i32>, %q: tile<i32>) {
      %add = addi %p, %q : tile<i32>
      yield %add : tile<i32>
    }
    %t3 = store_ptr_tko weak %total, %sum : tile<ptr<i32>>, tile<i32> -> token
  }
  return
}
