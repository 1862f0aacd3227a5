// tilewright check conversion.buggy.mlir --grid 1 f32:300
entry @k(%x: tile<f32>) {
  %v = ftoi %x signed : tile<f32> -> tile<i8>
  return
}
