// tilewright check out-of-bounds.mended.mlir --grid 2 'f32[12]'
entry @k(%p: tile<ptr<f32>>) {
  %x, %y, %z = get_tile_block_id : tile<i32>
  %eight = constant <i32: 8> : tile<i32>
  %start = muli %x, %eight : tile<i32>
  %start1 = reshape %start : tile<i32> -> tile<1xi32>
  %starts = broadcast %start1 : tile<1xi32> -> tile<8xi32>
  %lanes = iota : tile<8xi32>
  %offsets = addi %starts, %lanes : tile<8xi32>
  %p1 = reshape %p : tile<ptr<f32>> -> tile<1xptr<f32>>
  %ps = broadcast %p1 : tile<1xptr<f32>> -> tile<8xptr<f32>>
  %at = offset %ps, %offsets : tile<8xptr<f32>>, tile<8xi32> -> tile<8xptr<f32>>

  %n = constant <i32: 12> : tile<8xi32>
  %mask = cmpi less_than %offsets, %n, signed : tile<8xi32> -> tile<8xi1>
  %v, %t = load_ptr_tko weak %at, %mask : tile<8xptr<f32>>, tile<8xi1> -> tile<8xf32>, token
  return
}
