// tilewright check false-assumption.mended.mlir --grid 1 i32:1008
entry @k(%n: tile<i32>) {
  %m = assume div_by<16>, %n : tile<i32>
  return
}
