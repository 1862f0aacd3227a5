// Accesses to memory: each follows those before it.

// @through_pointers
// i32: 1 2 3 4 -> 4 3 2 1
entry @through_pointers(%a: tile<ptr<i32>>) {
  %i = iota : tile<4xi32>
  %three = constant <i32: 3> : tile<4xi32>
  %back = subi %three, %i : tile<4xi32>
  %one = reshape %a : tile<ptr<i32>> -> tile<1xptr<i32>>
  %all = broadcast %one : tile<1xptr<i32>> -> tile<4xptr<i32>>
  %forward = offset %all, %i : tile<4xptr<i32>>, tile<4xi32> -> tile<4xptr<i32>>
  %backward = offset %all, %back : tile<4xptr<i32>>, tile<4xi32> -> tile<4xptr<i32>>
  %x = load %forward alignment = 4, is_volatile = true, cache_mode = never : tile<4xptr<i32>> -> tile<4xi32>
  store %backward, %x is_volatile = true : tile<4xptr<i32>>, tile<4xi32>
}

// @rows_of_a_matrix
// f32: 1 2 3 4 5 6 7 8 -> 2 4 6 8 10 12 14 16
entry @rows_of_a_matrix(%a: tile<ptr<f32>>) {
  %x = load %a alignment = 16 : tile<ptr<f32>> -> tile<2x4xf32>
  %y = addf %x, %x : tile<2x4xf32>
  store %a, %y alignment = 16, cache_mode = always : tile<ptr<f32>>, tile<2x4xf32>
}

// @scratch
// i32: 7 8 -> 8 7
entry @scratch(%a: tile<ptr<i32>>) {
  %s = alloca size = 16, alignment = 8 : tile<ptr<i32>>
  %bytes = alloca size = 4 : tile<ptr<i8>>
  %one = constant <i32: 1> : tile<i32>
  %next = offset %a, %one : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
  %x = load %a : tile<ptr<i32>> -> tile<i32>
  %y = load %next : tile<ptr<i32>> -> tile<i32>
  store %s, %x : tile<ptr<i32>>, tile<i32>
  store %a, %y : tile<ptr<i32>>, tile<i32>
  %again = load %s : tile<ptr<i32>> -> tile<i32>
  store %next, %again : tile<ptr<i32>>, tile<i32>
}

// In loops and branches, too: x = 3 * x + 1 or x / 2, until it is 1, counting the steps.
// @collatz
// i32: 27 0 -> 1 111
entry @collatz(%a: tile<ptr<i32>>) {
  %one = constant <i32: 1> : tile<i32>
  %two = constant <i32: 2> : tile<i32>
  %three = constant <i32: 3> : tile<i32>
  %count = offset %a, %one : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
  loop {
    %x = load %a : tile<ptr<i32>> -> tile<i32>
    %ends = cmpi equal %x, %one, signed : tile<i32> -> tile<i1>
    if %ends {
      break
    }
    %odd = and %x, %one : tile<i32>
    %is_odd = cmpi equal %odd, %one, signed : tile<i32> -> tile<i1>
    if %is_odd {
      %y = muli %x, %three : tile<i32>
      %z = addi %y, %one : tile<i32>
      store %a, %z : tile<ptr<i32>>, tile<i32>
    } else {
      %y = divi %x, %two signed rounding<zero> : tile<i32>
      store %a, %y : tile<ptr<i32>>, tile<i32>
    }
    %n = load %count : tile<ptr<i32>> -> tile<i32>
    %m = addi %n, %one : tile<i32>
    store %count, %m : tile<ptr<i32>>, tile<i32>
  }
}

// An allocation in a loop is one of the function, and the sum in it is carried.
// @sum_in_a_for
// i32: 0 -> 45
entry @sum_in_a_for(%a: tile<ptr<i32>>) {
  %zero = constant <i32: 0> : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  %ten = constant <i32: 10> : tile<i32>
  store %a, %zero : tile<ptr<i32>>, tile<i32>
  %last = for %i in (%zero to %ten, step %one) : tile<i32> iter_values(%x = %zero) -> (tile<i32>) {
    %s = alloca size = 4 : tile<ptr<i32>>
    store %s, %i : tile<ptr<i32>>, tile<i32>
    %old = load %a : tile<ptr<i32>> -> tile<i32>
    %more = load %s : tile<ptr<i32>> -> tile<i32>
    %sum = addi %old, %more : tile<i32>
    %is_zero = cmpi equal %sum, %zero, signed : tile<i32> -> tile<i1>
    if %is_zero {
      continue %i : tile<i32>
    }
    store %a, %sum : tile<ptr<i32>>, tile<i32>
    continue %sum : tile<i32>
  }
}

// What is stored with tokens before a barrier is seen behind it.
// @behind_a_barrier
// i32: 1 2 3 4 -> 5 6 7 8
// i32: 5 6 7 8 -> 5 6 7 8
// i32: 0 0 0 0 -> 5 6 7 8
entry @behind_a_barrier(%a: tile<ptr<i32>>, %b: tile<ptr<i32>>, %c: tile<ptr<i32>>) {
  %i = iota : tile<4xi32>
  %one = reshape %a : tile<ptr<i32>> -> tile<1xptr<i32>>
  %all = broadcast %one : tile<1xptr<i32>> -> tile<4xptr<i32>>
  %ptrs = offset %all, %i : tile<4xptr<i32>>, tile<4xi32> -> tile<4xptr<i32>>
  %x = load %b : tile<ptr<i32>> -> tile<4xi32>
  %t = store_ptr_tko weak %ptrs, %x : tile<4xptr<i32>>, tile<4xi32> -> token
  barrier
  %y = load %a : tile<ptr<i32>> -> tile<4xi32>
  store %c, %y : tile<ptr<i32>>, tile<4xi32>
  barrier
}

// @printed
// i32: 3 4 -> 3 4
// f32: 0.5 1.5 -> 0.5 1.5
// prints: [3, 4] [0.500000, 1.500000]
entry @printed(%a: tile<ptr<i32>>, %b: tile<ptr<f32>>) {
  %x = load %a : tile<ptr<i32>> -> tile<2xi32>
  %y = load %b : tile<ptr<f32>> -> tile<2xf32>
  print %x, %y : tile<2xi32>, tile<2xf32>
}

// @stops_where_it_is_unreachable
// i32: 1 -> 2
// stops: unreachable code is reached
entry @stops_where_it_is_unreachable(%a: tile<ptr<i32>>) {
  %x = load %a : tile<ptr<i32>> -> tile<i32>
  %one = constant <i32: 1> : tile<i32>
  %is = cmpi equal %x, %one, signed : tile<i32> -> tile<i1>
  %y = if %is -> (tile<i32>) {
    unreachable
  } else {
    yield %x : tile<i32>
  }
  store %a, %y : tile<ptr<i32>>, tile<i32>
}

// @goes_on_where_it_is_not
// i32: 2 -> 4
entry @goes_on_where_it_is_not(%a: tile<ptr<i32>>) {
  %x = load %a : tile<ptr<i32>> -> tile<i32>
  %one = constant <i32: 1> : tile<i32>
  %is = cmpi equal %x, %one, signed : tile<i32> -> tile<i1>
  %y = if %is -> (tile<i32>) {
    unreachable
  } else {
    yield %x : tile<i32>
  }
  %z = addi %y, %x : tile<i32>
  store %a, %z : tile<ptr<i32>>, tile<i32>
}
