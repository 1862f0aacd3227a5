// tilewright check another_path.mlir --grid 2 --schedules 16 'i32[2]' 'i32[16]' 'i32[2]'
// data-race: if %late { => if %early {
// clean: %early = cmpi => %unused = cmpi equal %old, %zero, signed : tile<i32> -> tile<i1> %early = cmpi
// A block that comes late reads what the other one has published. In the order of the grid the second one always comes late: that a block
// which comes early must not read is seen in other orders.
entry @k(%flag: tile<ptr<i32>>, %data: tile<ptr<i32>>, %out: tile<ptr<i32>>) {
  %x, %y, %z = get_tile_block_id : tile<i32>
  %zero = constant <i32: 0> : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  %first = cmpi equal %x, %zero, signed : tile<i32> -> tile<i1>
  if %first {
    %t = store_ptr_tko weak %data, %one : tile<ptr<i32>>, tile<i32> -> token
    %old, %u = atomic_rmw_tko release device %flag, xchg, %one token = %t : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
  } else {
    %old, %t = atomic_rmw_tko acquire device %flag, or, %zero : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
    %late = cmpi equal %old, %one, signed : tile<i32> -> tile<i1>
    %early = cmpi less_than %old, %one, signed : tile<i32> -> tile<i1>
    if %late {
      %v, %u = load_ptr_tko weak %data token = %t : tile<ptr<i32>> -> tile<i32>, token
    }
  }
  return
}
