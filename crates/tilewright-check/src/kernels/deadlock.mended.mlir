// tilewright check deadlock.mended.mlir --grid 2 --schedules 64 'i32[2]'
entry @k(%p: tile<ptr<i32>>) {
  %x, %y, %z = get_tile_block_id : tile<i32>
  %zero = constant <i32: 0> : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  %first = andi %zero, %one : tile<i32>
  %second = subi %one, %first : tile<i32>
  %a = offset %p, %first : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
  %b = offset %p, %second : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
  %w = loop : token {
    %old, %t = atomic_cas_tko acquire device %a, %zero, %one : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
    %taken = cmpi equal %old, %zero, signed : tile<i32> -> tile<i1>
    if %taken {
      break %t : token
    }
    continue
  }
  %v = loop : token {
    %old, %t = atomic_cas_tko acquire device %b, %zero, %one token = %w : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
    %taken = cmpi equal %old, %zero, signed : tile<i32> -> tile<i1>
    if %taken {
      break %t : token
    }
    continue
  }
  %g, %h = atomic_rmw_tko release device %b, xchg, %zero token = %v : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
  %i, %j = atomic_rmw_tko release device %a, xchg, %zero token = %h : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
  return
}
