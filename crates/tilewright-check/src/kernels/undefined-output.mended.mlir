// tilewright check undefined-output.mended.mlir --grid 1 'i32[4]'
entry @k(%p: tile<ptr<i32>>) {
  %v, %t = load_ptr_tko weak %p : tile<ptr<i32>> -> tile<i32>, token
  %u = print_tko "%d\n", %v token = %t : tile<i32> -> token
  return
}
