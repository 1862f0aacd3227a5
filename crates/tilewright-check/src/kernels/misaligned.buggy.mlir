// tilewright check misaligned.buggy.mlir --grid 1 'f32[4]'
entry @k(%p: tile<ptr<f32>>) {
  %i = ptr_to_int %p : tile<ptr<f32>> -> tile<i64>
  %two = constant <i64: 2> : tile<i64>
  %j = addi %i, %two : tile<i64>
  %q = int_to_ptr %j : tile<i64> -> tile<ptr<f32>>
  %v, %t = load_ptr_tko weak %q : tile<ptr<f32>> -> tile<f32>, token
  return
}
