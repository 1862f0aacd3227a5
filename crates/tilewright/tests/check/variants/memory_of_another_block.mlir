// tilewright check memory_of_another_block.mlir --grid 2 'i64[1]' 'i32[1]' 'i32[1]'
// alloca-lifetime: alignment = 4 global => alignment = 4
// undefined-stored: %t0 = store_ptr_tko weak %local, %seven : tile<ptr<i32>>, tile<i32> -> token => %t0 = make_token : token
// data-race: join_tokens %t0, %t1 => join_tokens %t1, %t1
// data-race: join_tokens %t0, %t1 => join_tokens %t0, %t0
// data-race: release device %flag, %one => relaxed device %flag, %one
// data-race: weak %q token = %t3 => weak %q
// Block 0 tells block 1 where it has memory, and waits until that has been read.
entry @k(%where: tile<ptr<i64>>, %flag: tile<ptr<i32>>, %out: tile<ptr<i32>>) {
  %x, %y, %z = get_tile_block_id : tile<i32>
  %zero = constant <i32: 0> : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  %two = constant <i32: 2> : tile<i32>
  %seven = constant <i32: 7> : tile<i32>
  %is_first = cmpi equal %x, %zero, signed : tile<i32> -> tile<i1>
  %local = alloca num_elem = 1, alignment = 4 global : tile<ptr<i32>>
  %awaited = select %is_first, %two, %one : tile<i1>, tile<i32>
  if %is_first {
    %t0 = store_ptr_tko weak %local, %seven : tile<ptr<i32>>, tile<i32> -> token
    %i = ptr_to_int %local : tile<ptr<i32>> -> tile<i64>
    %t1 = store_ptr_tko weak %where, %i : tile<ptr<i64>>, tile<i64> -> token
    %t2 = join_tokens %t0, %t1 : token
    %t = store_ptr_tko release device %flag, %one token = %t2 : tile<ptr<i32>>, tile<i32> -> token
    yield
  }
  %w = loop : token {
    %f, %t = load_ptr_tko acquire device %flag : tile<ptr<i32>> -> tile<i32>, token
    %there = cmpi equal %f, %awaited, signed : tile<i32> -> tile<i1>
    if %there {
      break %t : token
    }
    continue
  }
  if %is_first {
    yield
  } else {
    %j, %t3 = load_ptr_tko weak %where token = %w : tile<ptr<i64>> -> tile<i64>, token
    %q = int_to_ptr %j : tile<i64> -> tile<ptr<i32>>
    %v, %t4 = load_ptr_tko weak %q token = %t3 : tile<ptr<i32>> -> tile<i32>, token
    %t5 = store_ptr_tko weak %out, %v token = %t4 : tile<ptr<i32>>, tile<i32> -> token
    %t6 = store_ptr_tko release device %flag, %two token = %t5 : tile<ptr<i32>>, tile<i32> -> token
    yield
  }
  return
}
