// tilewright check division.buggy.mlir --grid 1 'i32[1]' i32:7
entry @k(%p: tile<ptr<i32>>, %n: tile<i32>) {
  %d, %t = load_ptr_tko weak %p : tile<ptr<i32>> -> tile<i32>, token
  %v = divi %n, %d signed : tile<i32>
  return
}
