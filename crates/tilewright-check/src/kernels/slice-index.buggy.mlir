// tilewright check slice-index.buggy.mlir --grid 1 i32:4
entry @k(%i: tile<i32>) {
  %tile = iota : tile<8xi32>
  %part = extract %tile[%i] : tile<8xi32> -> tile<4xi32>
  return
}
