// passes: loop-split

// What is done before and from the tenth iteration on.
entry @from(%p: tile<ptr<i32>>, %n: tile<i32>, %x: tile<i32>) {
  %zero = constant <i32: 0> : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  %sum = for %i in (%zero to %n, step %one) : tile<i32> iter_values(%s = %zero) -> (tile<i32>) {
    %c = cmpi greater_than_or_equal %i, %x, signed : tile<i32> -> tile<i1>
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
//| entry @from(%arg0: tile<ptr<i32>>, %arg1: tile<i32>, %arg2: tile<i32>) {
//|   %cst_0_i32 = constant <i32: 0> : tile<i32>
//|   %cst_1_i32 = constant <i32: 1> : tile<i32>
//|   %0 = mini %arg2, %arg1 signed : tile<i32>
//|   %1 = maxi %arg2, %cst_0_i32 signed : tile<i32>
//|   %for = for %loopIdx in (%cst_0_i32 to %0, step %cst_1_i32) : tile<i32> iter_values(%iterArg0 = %cst_0_i32) -> (tile<i32>) {
//|     %3 = addi %iterArg0, %loopIdx : tile<i32>
//|     continue %3 : tile<i32>
//|   }
//|   %for_0 = for %loopIdx in (%1 to %arg1, step %cst_1_i32) : tile<i32> iter_values(%iterArg0 = %for) -> (tile<i32>) {
//|     %3 = muli %loopIdx, %arg1 : tile<i32>
//|     %4 = addi %iterArg0, %3 : tile<i32>
//|     continue %4 : tile<i32>
//|   }
//|   %2 = store_ptr_tko weak %arg0, %for_0 : tile<ptr<i32>>, tile<i32> -> token
//|   return
//| }

// Up to and including a bound, which may be the largest number; a branch that continues; an unsigned loop.
entry @up_to(%p: tile<ptr<i32>>, %n: tile<i32>, %x: tile<i32>) {
  %zero = constant <i32: 0> : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  %sum = for unsigned %i in (%zero to %n, step %one) : tile<i32> iter_values(%s = %zero) -> (tile<i32>) {
    %c = cmpi greater_than_or_equal %x, %i, unsigned : tile<i32> -> tile<i1>
    if %c {
      %s1 = muli %s, %i : tile<i32>
      continue %s1 : tile<i32>
    }
    %s2 = addi %s, %i : tile<i32>
    continue %s2 : tile<i32>
  }
  %t = store_ptr_tko weak %p, %sum : tile<ptr<i32>>, tile<i32> -> token
  return
}
//| entry @up_to(%arg0: tile<ptr<i32>>, %arg1: tile<i32>, %arg2: tile<i32>) {
//|   %cst_0_i32 = constant <i32: 0> : tile<i32>
//|   %cst_1_i32 = constant <i32: 1> : tile<i32>
//|   %0 = subi %arg1, %cst_1_i32 : tile<i32>
//|   %1 = mini %arg2, %0 unsigned : tile<i32>
//|   %2 = addi %1, %cst_1_i32 : tile<i32>
//|   %3 = mini %2, %arg1 unsigned : tile<i32>
//|   %for = for unsigned %loopIdx in (%cst_0_i32 to %3, step %cst_1_i32) : tile<i32> iter_values(%iterArg0 = %cst_0_i32) -> (tile<i32>) {
//|     %5 = muli %iterArg0, %loopIdx : tile<i32>
//|     continue %5 : tile<i32>
//|   }
//|   %for_0 = for unsigned %loopIdx in (%2 to %arg1, step %cst_1_i32) : tile<i32> iter_values(%iterArg0 = %for) -> (tile<i32>) {
//|     %5 = addi %iterArg0, %loopIdx : tile<i32>
//|     continue %5 : tile<i32>
//|   }
//|   %4 = store_ptr_tko weak %arg0, %for_0 : tile<ptr<i32>>, tile<i32> -> token
//|   return
//| }

// What the loop changes, a comparison of other signs, and what is no order: these stay.
entry @stays(%p: tile<ptr<i32>>, %n: tile<i32>, %x: tile<i32>) {
  %zero = constant <i32: 0> : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  for %i in (%zero to %n, step %one) : tile<i32> {
    %y = muli %i, %x : tile<i32>
    %c = cmpi less_than %i, %y, signed : tile<i32> -> tile<i1>
    if %c {
      %t = store_ptr_tko weak %p, %i : tile<ptr<i32>>, tile<i32> -> token
    }
    %d = cmpi less_than %i, %x, unsigned : tile<i32> -> tile<i1>
    if %d {
      %t = store_ptr_tko weak %p, %i : tile<ptr<i32>>, tile<i32> -> token
    }
    %e = cmpi equal %i, %x, signed : tile<i32> -> tile<i1>
    if %e {
      %t = store_ptr_tko weak %p, %i : tile<ptr<i32>>, tile<i32> -> token
    }
  }
  return
}
//| entry @stays(%arg0: tile<ptr<i32>>, %arg1: tile<i32>, %arg2: tile<i32>) {
//|   %cst_0_i32 = constant <i32: 0> : tile<i32>
//|   %cst_1_i32 = constant <i32: 1> : tile<i32>
//|   for %loopIdx in (%cst_0_i32 to %arg1, step %cst_1_i32) : tile<i32> {
//|     %0 = muli %loopIdx, %arg2 : tile<i32>
//|     %1 = cmpi less_than %loopIdx, %0, signed : tile<i32> -> tile<i1>
//|     if %1 {
//|       %4 = store_ptr_tko weak %arg0, %loopIdx : tile<ptr<i32>>, tile<i32> -> token
//|     }
//|     %2 = cmpi less_than %loopIdx, %arg2, unsigned : tile<i32> -> tile<i1>
//|     if %2 {
//|       %4 = store_ptr_tko weak %arg0, %loopIdx : tile<ptr<i32>>, tile<i32> -> token
//|     }
//|     %3 = cmpi equal %loopIdx, %arg2, signed : tile<i32> -> tile<i1>
//|     if %3 {
//|       %4 = store_ptr_tko weak %arg0, %loopIdx : tile<ptr<i32>>, tile<i32> -> token
//|     }
//|   }
//|   return
//| }

// Steps that are not 1: the second loop begins at the first number that the loop meets.
entry @steps(%p: tile<ptr<i32>>, %n: tile<i32>, %x: tile<i32>, %by: tile<i32>) {
  %zero = constant <i32: 0> : tile<i32>
  %four = constant <i32: 4> : tile<i32>
  %twenty = constant <i32: 20> : tile<i32>
  %hundred = constant <i32: 100> : tile<i32>
  for %i in (%zero to %hundred, step %four) : tile<i32> {
    %c = cmpi greater_than %i, %twenty, signed : tile<i32> -> tile<i1>
    if %c {
      %t = store_ptr_tko weak %p, %i : tile<ptr<i32>>, tile<i32> -> token
    }
  }
  for %i in (%zero to %n, step %by) : tile<i32> {
    %c = cmpi less_than %i, %x, signed : tile<i32> -> tile<i1>
    if %c {
      %t = store_ptr_tko weak %p, %i : tile<ptr<i32>>, tile<i32> -> token
    }
  }
  return
}
//| entry @steps(%arg0: tile<ptr<i32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<i32>) {
//|   %cst_0_i32 = constant <i32: 0> : tile<i32>
//|   %cst_4_i32 = constant <i32: 4> : tile<i32>
//|   %cst_100_i32 = constant <i32: 100> : tile<i32>
//|   %cst_21_i32 = constant <i32: 21> : tile<i32>
//|   %cst_24_i32 = constant <i32: 24> : tile<i32>
//|   for %loopIdx in (%cst_0_i32 to %cst_21_i32, step %cst_4_i32) : tile<i32> {
//|   }
//|   for %loopIdx in (%cst_24_i32 to %cst_100_i32, step %cst_4_i32) : tile<i32> {
//|     %11 = store_ptr_tko weak %arg0, %loopIdx : tile<ptr<i32>>, tile<i32> -> token
//|   }
//|   %0 = mini %arg2, %arg1 signed : tile<i32>
//|   %cst_1_i32 = constant <i32: 1> : tile<i32>
//|   %1 = maxi %arg3, %cst_1_i32 signed : tile<i32>
//|   %2 = subi %0, %cst_1_i32 : tile<i32>
//|   %3 = divi %2, %1 unsigned : tile<i32>
//|   %4 = muli %3, %1 : tile<i32>
//|   %5 = subi %arg1, %4 : tile<i32>
//|   %6 = cmpi less_than %1, %5, unsigned : tile<i32> -> tile<i1>
//|   %7 = addi %4, %1 : tile<i32>
//|   %8 = select %6, %7, %arg1 : tile<i1>, tile<i32>
//|   %9 = cmpi greater_than %0, %cst_0_i32, signed : tile<i32> -> tile<i1>
//|   %10 = select %9, %8, %cst_0_i32 : tile<i1>, tile<i32>
//|   for %loopIdx in (%cst_0_i32 to %0, step %arg3) : tile<i32> {
//|     %11 = store_ptr_tko weak %arg0, %loopIdx : tile<ptr<i32>>, tile<i32> -> token
//|   }
//|   for %loopIdx in (%10 to %arg1, step %arg3) : tile<i32> {
//|   }
//|   return
//| }
