// tilewright check masked_sum.mlir --grid 1 'i32[5]' 'i32[1]' i32:5
// undefined-stored: %mask, %none : tile<8xptr<i32>>, tile<8xi1>, tile<8xi32> => %mask : tile<8xptr<i32>>, tile<8xi1>
// out-of-bounds: %q, %mask, %none : tile<8xptr<i32>>, tile<8xi1>, tile<8xi32> => %q : tile<8xptr<i32>>
// out-of-bounds: cmpi less_than => cmpi less_than_or_equal
// The sum of a row that is shorter than the tile.
entry @k(%a: tile<ptr<i32>>, %out: tile<ptr<i32>>, %n: tile<i32>) {
  %lanes = iota : tile<8xi32>
  %n1 = reshape %n : tile<i32> -> tile<1xi32>
  %some = broadcast %n1 : tile<1xi32> -> tile<8xi32>
  %mask = cmpi less_than %lanes, %some, signed : tile<8xi32> -> tile<8xi1>
  %r = reshape %a : tile<ptr<i32>> -> tile<1xptr<i32>>
  %s = broadcast %r : tile<1xptr<i32>> -> tile<8xptr<i32>>
  %q = offset %s, %lanes : tile<8xptr<i32>>, tile<8xi32> -> tile<8xptr<i32>>
  %none = constant <i32: 0> : tile<8xi32>
  %v, %t0 = load_ptr_tko weak %q, %mask, %none : tile<8xptr<i32>>, tile<8xi1>, tile<8xi32> -> tile<8xi32>, token
  %sum = reduce %v dim=0 identities=[0 : i32] : tile<8xi32> -> tile<i32>
  (%p: tile<i32>, %o: tile<i32>) {
    %add = addi %p, %o : tile<i32>
    yield %add : tile<i32>
  }
  %t1 = store_ptr_tko weak %out, %sum : tile<ptr<i32>>, tile<i32> -> token
  return
}
