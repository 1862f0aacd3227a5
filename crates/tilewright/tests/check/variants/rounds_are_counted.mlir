// tilewright check rounds_are_counted.mlir --grid 2 'i32[2]' 'i32[2]' --timeout 60
// deadlock: xchg, %one => xchg, %zero
// clean: cmpi less_than %n, %most => cmpi less_than %most, %n
// clean: xchg, %one token => or, %one token
// A block waits for a flag and counts its rounds, which it stores in the end. It gives up after many.
entry @k(%flag: tile<ptr<i32>>, %rounds: tile<ptr<i32>>) {
  %x, %y, %z = get_tile_block_id : tile<i32>
  %zero = constant <i32: 0> : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  %most = constant <i32: 1000000000> : tile<i32>
  %is = cmpi equal %x, %zero, signed : tile<i32> -> tile<i1>
  if %is {
    %n = loop iter_values(%i = %zero) : tile<i32> -> tile<i32> {
      %old, %t = atomic_rmw_tko acquire device %flag, or, %zero : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
      %set = cmpi equal %old, %one, signed : tile<i32> -> tile<i1>
      if %set {
        break %i : tile<i32>
      }
      %next = addi %i, %one : tile<i32>
      continue %next : tile<i32>
    }
    %few = cmpi less_than %n, %most, signed : tile<i32> -> tile<i1>
    %t1 = store_ptr_tko weak %rounds, %n : tile<ptr<i32>>, tile<i32> -> token
  } else {
    %t = make_token : token
    %old, %u = atomic_rmw_tko release device %flag, xchg, %one token = %t : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
  }
  return
}
