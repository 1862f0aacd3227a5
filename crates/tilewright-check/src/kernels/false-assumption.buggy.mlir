// tilewright check false-assumption.buggy.mlir --grid 1 i32:1000
entry @k(%n: tile<i32>) {
  %m = assume div_by<16>, %n : tile<i32>
  return
}
