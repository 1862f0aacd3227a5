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

// Branches in a branch, in a loop inside, and in a loop that breaks ask for the same condition: all of them are decided.
entry @inside(%p: tile<ptr<i32>>, %n: tile<i32>, %x: tile<i32>, %c: tile<i1>) {
  %zero = constant <i32: 0> : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  %s = for %i in (%zero to %n, step %one) : tile<i32> iter_values(%a = %n) -> (tile<i32>) {
    %before = cmpi less_than %i, %x, signed : tile<i32> -> tile<i1>
    %b = if %c -> (tile<i32>) {
      %v = if %before -> (tile<i32>) {
        %w = muli %a, %i : tile<i32>
        yield %w : tile<i32>
      } else {
        yield %a : tile<i32>
      }
      yield %v : tile<i32>
    } else {
      yield %i : tile<i32>
    }
    %d = for %j in (%zero to %n, step %one) : tile<i32> iter_values(%e = %b) -> (tile<i32>) {
      %v = if %before -> (tile<i32>) {
        %w = addi %e, %j : tile<i32>
        yield %w : tile<i32>
      } else {
        yield %e : tile<i32>
      }
      continue %v : tile<i32>
    }
    %f = loop iter_values(%g = %d) : tile<i32> -> tile<i32> {
      if %before {
        break %g : tile<i32>
      }
      %h = addi %g, %one : tile<i32>
      break %h : tile<i32>
    }
    continue %f : tile<i32>
  }
  %t = store_ptr_tko weak %p, %s : tile<ptr<i32>>, tile<i32> -> token
  return
}
//| entry @inside(%arg0: tile<ptr<i32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<i1>) {
//|   %cst_0_i32 = constant <i32: 0> : tile<i32>
//|   %cst_1_i32 = constant <i32: 1> : tile<i32>
//|   %0 = mini %arg2, %arg1 signed : tile<i32>
//|   %1 = maxi %arg2, %cst_0_i32 signed : tile<i32>
//|   %for = for %loopIdx in (%cst_0_i32 to %0, step %cst_1_i32) : tile<i32> iter_values(%iterArg0 = %arg1) -> (tile<i32>) {
//|     %3 = if %arg3 -> (tile<i32>) {
//|       %4 = muli %iterArg0, %loopIdx : tile<i32>
//|       yield %4 : tile<i32>
//|     } else {
//|       yield %loopIdx : tile<i32>
//|     }
//|     %for_1 = for %loopIdx_2 in (%cst_0_i32 to %arg1, step %cst_1_i32) : tile<i32> iter_values(%iterArg0_3 = %3) -> (tile<i32>) {
//|       %4 = addi %iterArg0_3, %loopIdx_2 : tile<i32>
//|       continue %4 : tile<i32>
//|     }
//|     continue %for_1 : tile<i32>
//|   }
//|   %for_0 = for %loopIdx in (%1 to %arg1, step %cst_1_i32) : tile<i32> iter_values(%iterArg0 = %for) -> (tile<i32>) {
//|     %3 = select %arg3, %iterArg0, %loopIdx : tile<i1>, tile<i32>
//|     %for_1 = for %loopIdx_2 in (%cst_0_i32 to %arg1, step %cst_1_i32) : tile<i32> iter_values(%iterArg0_3 = %3) -> (tile<i32>) {
//|       continue %3 : tile<i32>
//|     }
//|     %4 = addi %3, %cst_1_i32 : tile<i32>
//|     continue %4 : tile<i32>
//|   }
//|   %2 = store_ptr_tko weak %arg0, %for_0 : tile<ptr<i32>>, tile<i32> -> token
//|   return
//| }

// A loop in a branch of a loop that is split is split, too.
entry @nested(%p: tile<ptr<i32>>, %n: tile<i32>, %x: tile<i32>, %y: tile<i32>) {
  %zero = constant <i32: 0> : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  for %i in (%zero to %n, step %one) : tile<i32> {
    %first = cmpi less_than %i, %x, signed : tile<i32> -> tile<i1>
    if %first {
      for %j in (%zero to %n, step %one) : tile<i32> {
        %inner = cmpi greater_than_or_equal %j, %y, signed : tile<i32> -> tile<i1>
        if %inner {
          print_tko "inner %d", %j : tile<i32> -> token
        } else {
          print_tko "%d", %j : tile<i32> -> token
        }
        continue
      }
    } else {
      print_tko "last %d", %i : tile<i32> -> token
    }
    continue
  }
  return
}
//| entry @nested(%arg0: tile<ptr<i32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<i32>) {
//|   %cst_0_i32 = constant <i32: 0> : tile<i32>
//|   %cst_1_i32 = constant <i32: 1> : tile<i32>
//|   %0 = mini %arg2, %arg1 signed : tile<i32>
//|   %1 = maxi %arg2, %cst_0_i32 signed : tile<i32>
//|   for %loopIdx in (%cst_0_i32 to %0, step %cst_1_i32) : tile<i32> {
//|     %2 = mini %arg3, %arg1 signed : tile<i32>
//|     %3 = maxi %arg3, %cst_0_i32 signed : tile<i32>
//|     for %loopIdx_0 in (%cst_0_i32 to %2, step %cst_1_i32) : tile<i32> {
//|       %4 = print_tko "%d", %loopIdx_0 : tile<i32> -> token
//|     }
//|     for %loopIdx_0 in (%3 to %arg1, step %cst_1_i32) : tile<i32> {
//|       %4 = print_tko "inner %d", %loopIdx_0 : tile<i32> -> token
//|     }
//|   }
//|   for %loopIdx in (%1 to %arg1, step %cst_1_i32) : tile<i32> {
//|     %2 = print_tko "last %d", %loopIdx : tile<i32> -> token
//|   }
//|   return
//| }
