// tilewright check two_buffers_by_turns.mlir --grid 1 'i32[2]' 'i32[4]'
// token-order: weak %next, %i token = %carried => weak %next, %i
// token-order: weak %now token = %carried => weak %now
// token-order: continue %t2 : token => continue %t1 : token
// A loop fills one place while it reads the other.
entry @k(%a: tile<ptr<i32>>, %out: tile<ptr<i32>>) {
  %zero = constant <i32: 0> : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  %four = constant <i32: 4> : tile<i32>
  %start = store_ptr_tko weak %a, %four : tile<ptr<i32>>, tile<i32> -> token
  %end = for %i in (%zero to %four, step %one) : tile<i32> iter_values(%carried = %start) -> (token) {
    %even = andi %i, %one : tile<i32>
    %odd = subi %one, %even : tile<i32>
    %now = offset %a, %even : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
    %next = offset %a, %odd : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
    %t1 = store_ptr_tko weak %next, %i token = %carried : tile<ptr<i32>>, tile<i32> -> token
    %v, %r = load_ptr_tko weak %now token = %carried : tile<ptr<i32>> -> tile<i32>, token
    %t2 = join_tokens %t1, %r : token
    %to = offset %out, %i : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
    %w = store_ptr_tko weak %to, %v : tile<ptr<i32>>, tile<i32> -> token
    continue %t2 : token
  }
  return
}
