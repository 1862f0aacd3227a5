// tilewright check division.mended.mlir --grid 1 'i32[1]' i32:7
entry @k(%p: tile<ptr<i32>>, %n: tile<i32>) {
  %d, %t = load_ptr_tko weak %p : tile<ptr<i32>> -> tile<i32>, token
  %one = constant <i32: 1> : tile<i32>
  %safe = maxi %d, %one signed : tile<i32>
  %v = divi %n, %safe signed : tile<i32>
  return
}
