// tilewright check handed_on.mlir --grid 3 'i32[1]' 'i32[2]' 'i32[1]'
// data-race: release device %first, %one token = %t0 => relaxed device %first, %one token = %t0
// data-race: release device %second, %one token = %seen => relaxed device %second, %one token = %seen
// data-race: release device %second, %one token = %seen => release device %second, %one
// data-race: weak %data token = %last => weak %data
// data-race: acquire device %second => relaxed device %second
// clean: acquire device %first => acquire sys %first
// Block 0 writes and tells block 1, which tells block 2, which reads: what happens before is handed on.
entry @k(%data: tile<ptr<i32>>, %first: tile<ptr<i32>>, %out: tile<ptr<i32>>) {
  %x, %y, %z = get_tile_block_id : tile<i32>
  %zero = constant <i32: 0> : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  %second = offset %first, %one : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
  %is_first = cmpi equal %x, %zero, signed : tile<i32> -> tile<i1>
  %is_second = cmpi equal %x, %one, signed : tile<i32> -> tile<i1>
  if %is_first {
    %t0 = store_ptr_tko weak %data, %one : tile<ptr<i32>>, tile<i32> -> token
    %t1 = store_ptr_tko release device %first, %one token = %t0 : tile<ptr<i32>>, tile<i32> -> token
  } else {
    if %is_second {
      %seen = loop : token {
        %f, %t = load_ptr_tko acquire device %first : tile<ptr<i32>> -> tile<i32>, token
        %is = cmpi equal %f, %one, signed : tile<i32> -> tile<i1>
        if %is {
          break %t : token
        }
        continue
      }
      %t2 = store_ptr_tko release device %second, %one token = %seen : tile<ptr<i32>>, tile<i32> -> token
    } else {
      %last = loop : token {
        %f, %t = load_ptr_tko acquire device %second : tile<ptr<i32>> -> tile<i32>, token
        %is = cmpi equal %f, %one, signed : tile<i32> -> tile<i1>
        if %is {
          break %t : token
        }
        continue
      }
      %v, %t3 = load_ptr_tko weak %data token = %last : tile<ptr<i32>> -> tile<i32>, token
      %t4 = store_ptr_tko weak %out, %v : tile<ptr<i32>>, tile<i32> -> token
    }
  }
  return
}
