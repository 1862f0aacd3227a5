// tilewright check constant_global.mlir --grid 1
// read-only
// A global that is constant is written.
global constant @table <i32: [1, 2, 3, 4]> : tile<4xi32>
entry @k() {
  %p = get_global @table : tile<ptr<i32>>
  %one = constant <i32: 1> : tile<i32>
  %t = store_ptr_tko weak %p, %one : tile<ptr<i32>>, tile<i32> -> token
  return
}
