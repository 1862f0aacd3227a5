// passes: loop-peel

// What is done in the first iteration only.
entry @first(%p: tile<ptr<i32>>, %n: tile<i32>, %m: tile<i32>) {
  %zero = constant <i32: 0> : tile<i32>
  %two = constant <i32: 2> : tile<i32>
  %sum = for %i in (%m to %n, step %two) : tile<i32> iter_values(%s = %zero) -> (tile<i32>) {
    %c = cmpi equal %i, %m, signed : tile<i32> -> tile<i1>
    %a = if %c -> (tile<i32>) {
      %b = muli %i, %n : tile<i32>
      yield %b : tile<i32>
    } else {
      yield %i : tile<i32>
    }
    %s2 = addi %s, %a : tile<i32>
    continue %s2 : tile<i32>
  }
  %t = store_ptr_tko weak %p, %sum : tile<ptr<i32>>, tile<i32> -> token
  return
}
//| entry @first(%arg0: tile<ptr<i32>>, %arg1: tile<i32>, %arg2: tile<i32>) {
//|   %cst_0_i32 = constant <i32: 0> : tile<i32>
//|   %cst_2_i32 = constant <i32: 2> : tile<i32>
//|   %0 = cmpi less_than %arg2, %arg1, signed : tile<i32> -> tile<i1>
//|   %1 = subi %arg1, %arg2 : tile<i32>
//|   %2 = cmpi greater_than %1, %cst_2_i32, unsigned : tile<i32> -> tile<i1>
//|   %3 = andi %0, %2 : tile<i1>
//|   %4 = addi %arg2, %cst_2_i32 : tile<i32>
//|   %5 = select %3, %4, %arg1 : tile<i1>, tile<i32>
//|   %for = for %loopIdx in (%arg2 to %5, step %cst_2_i32) : tile<i32> iter_values(%iterArg0 = %cst_0_i32) -> (tile<i32>) {
//|     %7 = muli %loopIdx, %arg1 : tile<i32>
//|     %8 = addi %iterArg0, %7 : tile<i32>
//|     continue %8 : tile<i32>
//|   }
//|   %for_0 = for %loopIdx in (%5 to %arg1, step %cst_2_i32) : tile<i32> iter_values(%iterArg0 = %for) -> (tile<i32>) {
//|     %7 = addi %iterArg0, %loopIdx : tile<i32>
//|     continue %7 : tile<i32>
//|   }
//|   %6 = store_ptr_tko weak %arg0, %for_0 : tile<ptr<i32>>, tile<i32> -> token
//|   return
//| }

// A loop that surely has a first iteration: nothing is left of its loop.
entry @constant(%p: tile<ptr<i32>>) {
  %zero = constant <i32: 0> : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  %ten = constant <i32: 10> : tile<i32>
  for %i in (%zero to %ten, step %one) : tile<i32> {
    %c = cmpi not_equal %i, %zero, signed : tile<i32> -> tile<i1>
    if %c {
      %t = store_ptr_tko weak %p, %i : tile<ptr<i32>>, tile<i32> -> token
    } else {
      %t = store_ptr_tko weak %p, %ten : tile<ptr<i32>>, tile<i32> -> token
    }
  }
  return
}
//| entry @constant(%arg0: tile<ptr<i32>>) {
//|   %cst_1_i32 = constant <i32: 1> : tile<i32>
//|   %cst_10_i32 = constant <i32: 10> : tile<i32>
//|   %cst_1_i32_0 = constant <i32: 1> : tile<i32>
//|   %0 = store_ptr_tko weak %arg0, %cst_10_i32 : tile<ptr<i32>>, tile<i32> -> token
//|   for %loopIdx in (%cst_1_i32_0 to %cst_10_i32, step %cst_1_i32) : tile<i32> {
//|     %1 = store_ptr_tko weak %arg0, %loopIdx : tile<ptr<i32>>, tile<i32> -> token
//|   }
//|   return
//| }
