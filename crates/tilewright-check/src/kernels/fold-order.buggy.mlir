// tilewright check fold-order.buggy.mlir --grid 1 'i32[1]'
entry @k(%y: tile<ptr<i32>>) {
  %a = iota : tile<8xi32>
  %r = reduce %a dim=0 identities=[0 : i32] : tile<8xi32> -> tile<i32>
  (%p: tile<i32>, %q: tile<i32>) {
    %d = subi %p, %q : tile<i32>
    %s = absi %d : tile<i32>
    yield %s : tile<i32>
  }
  %t = store_ptr_tko weak %y, %r : tile<ptr<i32>>, tile<i32> -> token
  return
}
