// tilewright check alloca-lifetime.buggy.mlir --grid 1 'f32[4]'
entry @k(%p: tile<ptr<f32>>) {
  %one = constant <i1: true> : tile<i1>
  %c = constant <f32: 1.0> : tile<f32>
  %i = ptr_to_int %p : tile<ptr<f32>> -> tile<i64>
  %where = if %one -> (tile<i64>) {
  %local = alloca num_elem = 1, alignment = 4 : tile<ptr<f32>>
  %t = store_ptr_tko weak %local, %c : tile<ptr<f32>>, tile<f32> -> token
  %there = ptr_to_int %local : tile<ptr<f32>> -> tile<i64>
  yield %there : tile<i64>
  } else {
  yield %i : tile<i64>
  }
  %q = int_to_ptr %where : tile<i64> -> tile<ptr<f32>>
  %v, %u = load_ptr_tko weak %q : tile<ptr<f32>> -> tile<f32>, token
  return
}
