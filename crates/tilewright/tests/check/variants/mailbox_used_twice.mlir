// tilewright check mailbox_used_twice.mlir --grid 2 'i32[1]' 'i32[1]' 'i32[2]'
// data-race: release device %flag, %one token = %t0 => relaxed device %flag, %one token = %t0
// data-race: store_ptr_tko release device %flag, %two token = %r1 => store_ptr_tko relaxed device %flag, %two token = %r1
// data-race: weak %box, %seven token = %acked => weak %box, %seven token = %t1
// data-race: release device %flag, %two token = %r1 => release device %flag, %two token = %got
// data-race: %flag, %three token = %t2 => %flag, %three token = %acked
// data-race: weak %box token = %again => weak %box token = %r1
// Block 0 sends two numbers through one place; block 1 says when it has read the first one.
entry @k(%box: tile<ptr<i32>>, %flag: tile<ptr<i32>>, %out: tile<ptr<i32>>) {
  %x, %y, %z = get_tile_block_id : tile<i32>
  %zero = constant <i32: 0> : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  %two = constant <i32: 2> : tile<i32>
  %three = constant <i32: 3> : tile<i32>
  %seven = constant <i32: 7> : tile<i32>
  %sends = cmpi equal %x, %zero, signed : tile<i32> -> tile<i1>
  if %sends {
    %t0 = store_ptr_tko weak %box, %one : tile<ptr<i32>>, tile<i32> -> token
    %t1 = store_ptr_tko release device %flag, %one token = %t0 : tile<ptr<i32>>, tile<i32> -> token
    %acked = loop : token {
      %f, %t = load_ptr_tko acquire device %flag token = %t1 : tile<ptr<i32>> -> tile<i32>, token
      %is = cmpi equal %f, %two, signed : tile<i32> -> tile<i1>
      if %is {
        break %t : token
      }
      continue
    }
    %t2 = store_ptr_tko weak %box, %seven token = %acked : tile<ptr<i32>>, tile<i32> -> token
    %t3 = store_ptr_tko release device %flag, %three token = %t2 : tile<ptr<i32>>, tile<i32> -> token
  } else {
    %got = loop : token {
      %f, %t = load_ptr_tko acquire device %flag : tile<ptr<i32>> -> tile<i32>, token
      %is = cmpi equal %f, %one, signed : tile<i32> -> tile<i1>
      if %is {
        break %t : token
      }
      continue
    }
    %v, %r1 = load_ptr_tko weak %box token = %got : tile<ptr<i32>> -> tile<i32>, token
    %r2 = store_ptr_tko release device %flag, %two token = %r1 : tile<ptr<i32>>, tile<i32> -> token
    %again = loop : token {
      %f, %t = load_ptr_tko acquire device %flag token = %r2 : tile<ptr<i32>> -> tile<i32>, token
      %is = cmpi equal %f, %three, signed : tile<i32> -> tile<i1>
      if %is {
        break %t : token
      }
      continue
    }
    %w, %r3 = load_ptr_tko weak %box token = %again : tile<ptr<i32>> -> tile<i32>, token
    %to = offset %out, %one : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
    %r4 = store_ptr_tko weak %out, %v : tile<ptr<i32>>, tile<i32> -> token
    %r5 = store_ptr_tko weak %to, %w : tile<ptr<i32>>, tile<i32> -> token
  }
  return
}
