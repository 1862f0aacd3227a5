// passes: canonicalize

// Neighbours on one condition are one; what the first gives the second reads where it was made.
entry @neighbours(%p: tile<ptr<i32>>, %n: tile<i32>) {
  %three = constant <i32: 3> : tile<i32>
  %c = cmpi equal %n, %three, signed : tile<i32> -> tile<i1>
  %a = if %c -> (tile<i32>) {
    %x = muli %n, %n : tile<i32>
    yield %x : tile<i32>
  } else {
    %x = addi %n, %three : tile<i32>
    yield %x : tile<i32>
  }
  %b = if %c -> (tile<i32>) {
    %x = addi %a, %n : tile<i32>
    yield %x : tile<i32>
  } else {
    %x = muli %a, %n : tile<i32>
    yield %x : tile<i32>
  }
  if %c {
    %t = store_ptr_tko weak %p, %b : tile<ptr<i32>>, tile<i32> -> token
  }
  %s = addi %a, %b : tile<i32>
  %t = store_ptr_tko weak %p, %s : tile<ptr<i32>>, tile<i32> -> token
  return
}
//| entry @neighbours(%arg0: tile<ptr<i32>>, %arg1: tile<i32>) {
//|   %cst_3_i32 = constant <i32: 3> : tile<i32>
//|   %0 = cmpi equal %arg1, %cst_3_i32, signed : tile<i32> -> tile<i1>
//|   %1:2 = if %0 -> (tile<i32>, tile<i32>) {
//|     %4 = muli %arg1, %arg1 : tile<i32>
//|     %5 = addi %4, %arg1 : tile<i32>
//|     %6 = store_ptr_tko weak %arg0, %5 : tile<ptr<i32>>, tile<i32> -> token
//|     yield %4, %5 : tile<i32>, tile<i32>
//|   } else {
//|     %4 = addi %arg1, %cst_3_i32 : tile<i32>
//|     %5 = muli %4, %arg1 : tile<i32>
//|     yield %4, %5 : tile<i32>, tile<i32>
//|   }
//|   %2 = addi %1#0, %1#1 : tile<i32>
//|   %3 = store_ptr_tko weak %arg0, %2 : tile<ptr<i32>>, tile<i32> -> token
//|   return
//| }

// Where the first one returns, the second is not reached.
entry @first_returns(%p: tile<ptr<i32>>, %n: tile<i32>, %c: tile<i1>) {
  %a = if %c -> (tile<i32>) {
    return
  } else {
    %x = addi %n, %n : tile<i32>
    yield %x : tile<i32>
  }
  %b = if %c -> (tile<i32>) {
    %x = muli %a, %n : tile<i32>
    yield %x : tile<i32>
  } else {
    %x = muli %n, %n : tile<i32>
    yield %x : tile<i32>
  }
  %s = addi %a, %b : tile<i32>
  %t = store_ptr_tko weak %p, %s : tile<ptr<i32>>, tile<i32> -> token
  return
}
//| entry @first_returns(%arg0: tile<ptr<i32>>, %arg1: tile<i32>, %arg2: tile<i1>) {
//|   %0:2 = if %arg2 -> (tile<i32>, tile<i32>) {
//|     return
//|   } else {
//|     %3 = addi %arg1, %arg1 : tile<i32>
//|     %4 = muli %arg1, %arg1 : tile<i32>
//|     yield %3, %4 : tile<i32>, tile<i32>
//|   }
//|   %1 = addi %0#0, %0#1 : tile<i32>
//|   %2 = store_ptr_tko weak %arg0, %1 : tile<ptr<i32>>, tile<i32> -> token
//|   return
//| }
entry @second_returns(%p: tile<ptr<i32>>, %n: tile<i32>, %c: tile<i1>) {
  %a = if %c -> (tile<i32>) {
    %x = muli %n, %n : tile<i32>
    yield %x : tile<i32>
  } else {
    %x = addi %n, %n : tile<i32>
    yield %x : tile<i32>
  }
  %b = if %c -> (tile<i32>) {
    %x = addi %a, %n : tile<i32>
    yield %x : tile<i32>
  } else {
    %t = store_ptr_tko weak %p, %a : tile<ptr<i32>>, tile<i32> -> token
    return
  }
  %s = addi %a, %b : tile<i32>
  %t = store_ptr_tko weak %p, %s : tile<ptr<i32>>, tile<i32> -> token
  return
}
//| entry @second_returns(%arg0: tile<ptr<i32>>, %arg1: tile<i32>, %arg2: tile<i1>) {
//|   %0:2 = if %arg2 -> (tile<i32>, tile<i32>) {
//|     %3 = muli %arg1, %arg1 : tile<i32>
//|     %4 = addi %3, %arg1 : tile<i32>
//|     yield %3, %4 : tile<i32>, tile<i32>
//|   } else {
//|     %3 = addi %arg1, %arg1 : tile<i32>
//|     %4 = store_ptr_tko weak %arg0, %3 : tile<ptr<i32>>, tile<i32> -> token
//|     return
//|   }
//|   %1 = addi %0#0, %0#1 : tile<i32>
//|   %2 = store_ptr_tko weak %arg0, %1 : tile<ptr<i32>>, tile<i32> -> token
//|   return
//| }

// A branch that does nothing but branch again is one on both conditions.
entry @nested(%p: tile<ptr<i32>>, %n: tile<i32>, %a: tile<i1>, %b: tile<i1>, %c: tile<i1>) {
  if %a {
    if %b {
      if %c {
        %t = store_ptr_tko weak %p, %n : tile<ptr<i32>>, tile<i32> -> token
        return
      }
    }
  }
  %m = addi %n, %n : tile<i32>
  %t = store_ptr_tko weak %p, %m : tile<ptr<i32>>, tile<i32> -> token
  return
}
//| entry @nested(%arg0: tile<ptr<i32>>, %arg1: tile<i32>, %arg2: tile<i1>, %arg3: tile<i1>, %arg4: tile<i1>) {
//|   %0 = andi %arg2, %arg3 : tile<i1>
//|   %1 = andi %0, %arg4 : tile<i1>
//|   if %1 {
//|     %4 = store_ptr_tko weak %arg0, %arg1 : tile<ptr<i32>>, tile<i32> -> token
//|     return
//|   }
//|   %2 = addi %arg1, %arg1 : tile<i32>
//|   %3 = store_ptr_tko weak %arg0, %2 : tile<ptr<i32>>, tile<i32> -> token
//|   return
//| }

// Where both branches jump, nothing behind them is reached.
entry @both_return(%p: tile<ptr<i32>>, %n: tile<i32>, %c: tile<i1>) {
  %a = if %c -> (tile<i32>) {
    %t = store_ptr_tko weak %p, %n : tile<ptr<i32>>, tile<i32> -> token
    return
  } else {
    %m = addi %n, %n : tile<i32>
    %t = store_ptr_tko weak %p, %m : tile<ptr<i32>>, tile<i32> -> token
    return
  }
  %t = store_ptr_tko weak %p, %a : tile<ptr<i32>>, tile<i32> -> token
  return
}
//| entry @both_return(%arg0: tile<ptr<i32>>, %arg1: tile<i32>, %arg2: tile<i1>) {
//|   if %arg2 {
//|     %2 = store_ptr_tko weak %arg0, %arg1 : tile<ptr<i32>>, tile<i32> -> token
//|     return
//|   }
//|   %0 = addi %arg1, %arg1 : tile<i32>
//|   %1 = store_ptr_tko weak %arg0, %0 : tile<ptr<i32>>, tile<i32> -> token
//|   return
//| }
entry @both_continue(%p: tile<ptr<i32>>, %n: tile<i32>, %c: tile<i1>) {
  %zero = constant <i32: 0> : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  %s = for %i in (%zero to %n, step %one) : tile<i32> iter_values(%a = %n) -> (tile<i32>) {
    if %c {
      %x = addi %a, %i : tile<i32>
      continue %x : tile<i32>
    } else {
      %x = muli %a, %i : tile<i32>
      continue %x : tile<i32>
    }
    continue %one : tile<i32>
  }
  %t = store_ptr_tko weak %p, %s : tile<ptr<i32>>, tile<i32> -> token
  return
}
//| entry @both_continue(%arg0: tile<ptr<i32>>, %arg1: tile<i32>, %arg2: tile<i1>) {
//|   %cst_0_i32 = constant <i32: 0> : tile<i32>
//|   %cst_1_i32 = constant <i32: 1> : tile<i32>
//|   %for = for %loopIdx in (%cst_0_i32 to %arg1, step %cst_1_i32) : tile<i32> iter_values(%iterArg0 = %arg1) -> (tile<i32>) {
//|     if %arg2 {
//|       %2 = addi %iterArg0, %loopIdx : tile<i32>
//|       continue %2 : tile<i32>
//|     }
//|     %1 = muli %iterArg0, %loopIdx : tile<i32>
//|     continue %1 : tile<i32>
//|   }
//|   %0 = store_ptr_tko weak %arg0, %for : tile<ptr<i32>>, tile<i32> -> token
//|   return
//| }

// Constants are selected wherever they stand; results that nothing reads, and an else that does nothing, go.
entry @results(%p: tile<ptr<i32>>, %n: tile<i32>, %c: tile<i1>) {
  %a, %b, %d = if %c -> (tile<i32>, tile<i32>, tile<4xi32>) {
    %seven = constant <i32: 7> : tile<i32>
    %x = muli %n, %n : tile<i32>
    %u = store_ptr_tko weak %p, %x : tile<ptr<i32>>, tile<i32> -> token
    %ones = constant <i32: 1> : tile<4xi32>
    yield %seven, %x, %ones : tile<i32>, tile<i32>, tile<4xi32>
  } else {
    %eight = constant <i32: 8> : tile<i32>
    %y = addi %n, %n : tile<i32>
    %twos = constant <i32: 2> : tile<4xi32>
    yield %eight, %y, %twos : tile<i32>, tile<i32>, tile<4xi32>
  }
  %t = store_ptr_tko weak %p, %a : tile<ptr<i32>>, tile<i32> -> token
  %i = iota : tile<4xi32>
  %q = reshape %p : tile<ptr<i32>> -> tile<1xptr<i32>>
  %qs = broadcast %q : tile<1xptr<i32>> -> tile<4xptr<i32>>
  %r = offset %qs, %i : tile<4xptr<i32>>, tile<4xi32> -> tile<4xptr<i32>>
  %v = store_ptr_tko weak %r, %d : tile<4xptr<i32>>, tile<4xi32> -> token
  return
}
//| entry @results(%arg0: tile<ptr<i32>>, %arg1: tile<i32>, %arg2: tile<i1>) {
//|   %cst_7_i32 = constant <i32: 7> : tile<i32>
//|   %cst_8_i32 = constant <i32: 8> : tile<i32>
//|   %0 = select %arg2, %cst_7_i32, %cst_8_i32 : tile<i1>, tile<i32>
//|   %reshape = reshape %arg2 : tile<i1> -> tile<1xi1>
//|   %bcast = broadcast %reshape : tile<1xi1> -> tile<4xi1>
//|   %cst_1_i32 = constant <i32: 1> : tile<4xi32>
//|   %cst_2_i32 = constant <i32: 2> : tile<4xi32>
//|   %1 = select %bcast, %cst_1_i32, %cst_2_i32 : tile<4xi1>, tile<4xi32>
//|   if %arg2 {
//|     %6 = muli %arg1, %arg1 : tile<i32>
//|     %7 = store_ptr_tko weak %arg0, %6 : tile<ptr<i32>>, tile<i32> -> token
//|   }
//|   %2 = store_ptr_tko weak %arg0, %0 : tile<ptr<i32>>, tile<i32> -> token
//|   %3 = iota : tile<4xi32>
//|   %reshape_0 = reshape %arg0 : tile<ptr<i32>> -> tile<1xptr<i32>>
//|   %bcast_1 = broadcast %reshape_0 : tile<1xptr<i32>> -> tile<4xptr<i32>>
//|   %4 = offset %bcast_1, %3 : tile<4xptr<i32>>, tile<4xi32> -> tile<4xptr<i32>>
//|   %5 = store_ptr_tko weak %4, %1 : tile<4xptr<i32>>, tile<4xi32> -> token
//|   return
//| }
entry @returns(%p: tile<ptr<i32>>, %n: tile<i32>, %c: tile<i1>) {
  %three = constant <i32: 3> : tile<i32>
  %a, %b = if %c -> (tile<i32>, tile<i32>) {
    return
  } else {
    yield %three, %n : tile<i32>, tile<i32>
  }
  %s = addi %a, %b : tile<i32>
  %t = store_ptr_tko weak %p, %s : tile<ptr<i32>>, tile<i32> -> token
  return
}
//| entry @returns(%arg0: tile<ptr<i32>>, %arg1: tile<i32>, %arg2: tile<i1>) {
//|   %cst_3_i32 = constant <i32: 3> : tile<i32>
//|   if %arg2 {
//|     return
//|   }
//|   %0 = addi %arg1, %cst_3_i32 : tile<i32>
//|   %1 = store_ptr_tko weak %arg0, %0 : tile<ptr<i32>>, tile<i32> -> token
//|   return
//| }

// Tokens are not selected.
entry @tokens(%p: tile<ptr<i32>>, %n: tile<i32>, %c: tile<i1>) {
  %a, %t0 = load_ptr_tko weak %p : tile<ptr<i32>> -> tile<i32>, token
  %b, %t1 = load_ptr_tko weak %p : tile<ptr<i32>> -> tile<i32>, token
  %t = if %c -> (token) {
    yield %t0 : token
  } else {
    yield %t1 : token
  }
  %u = store_ptr_tko weak %p, %n token = %t : tile<ptr<i32>>, tile<i32> -> token
  return
}
//| entry @tokens(%arg0: tile<ptr<i32>>, %arg1: tile<i32>, %arg2: tile<i1>) {
//|   %result, %result_token = load_ptr_tko weak %arg0 : tile<ptr<i32>> -> tile<i32>, token
//|   %result_0, %result_token_1 = load_ptr_tko weak %arg0 : tile<ptr<i32>> -> tile<i32>, token
//|   %0 = if %arg2 -> (token) {
//|     yield %result_token : token
//|   } else {
//|     yield %result_token_1 : token
//|   }
//|   %1 = store_ptr_tko weak %arg0, %arg1 token=%0 : tile<ptr<i32>>, tile<i32> -> token
//|   return
//| }

// Selections: of selections on the same condition, of what was compared, of the numbers 0 and 1, of equal constants.
entry @selections(%p: tile<ptr<i32>>, %n: tile<i32>, %m: tile<i32>, %c: tile<i1>) {
  %zero = constant <i32: 0> : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  %a = select %c, %n, %m : tile<i1>, tile<i32>
  %b = select %c, %a, %one : tile<i1>, tile<i32>
  %d = select %c, %one, %a : tile<i1>, tile<i32>
  %equal = cmpi equal %n, %m, signed : tile<i32> -> tile<i1>
  %e = select %equal, %n, %m : tile<i1>, tile<i32>
  %differ = cmpi not_equal %m, %n, signed : tile<i32> -> tile<i1>
  %f = select %differ, %n, %m : tile<i1>, tile<i32>
  %g = select %c, %one, %zero : tile<i1>, tile<i32>
  %h = select %c, %zero, %one : tile<i1>, tile<i32>
  %t0 = store_ptr_tko weak %p, %b : tile<ptr<i32>>, tile<i32> -> token
  %t1 = store_ptr_tko weak %p, %d token = %t0 : tile<ptr<i32>>, tile<i32> -> token
  %t2 = store_ptr_tko weak %p, %e token = %t1 : tile<ptr<i32>>, tile<i32> -> token
  %t3 = store_ptr_tko weak %p, %f token = %t2 : tile<ptr<i32>>, tile<i32> -> token
  %t4 = store_ptr_tko weak %p, %g token = %t3 : tile<ptr<i32>>, tile<i32> -> token
  %t5 = store_ptr_tko weak %p, %h token = %t4 : tile<ptr<i32>>, tile<i32> -> token
  return
}
//| entry @selections(%arg0: tile<ptr<i32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<i1>) {
//|   %cst_1_i32 = constant <i32: 1> : tile<i32>
//|   %0 = select %arg3, %arg1, %cst_1_i32 : tile<i1>, tile<i32>
//|   %1 = select %arg3, %cst_1_i32, %arg2 : tile<i1>, tile<i32>
//|   %2 = exti %arg3 unsigned : tile<i1> -> tile<i32>
//|   %true = constant <i1: true> : tile<i1>
//|   %3 = xori %arg3, %true : tile<i1>
//|   %4 = exti %3 unsigned : tile<i1> -> tile<i32>
//|   %5 = store_ptr_tko weak %arg0, %0 : tile<ptr<i32>>, tile<i32> -> token
//|   %6 = store_ptr_tko weak %arg0, %1 token=%5 : tile<ptr<i32>>, tile<i32> -> token
//|   %7 = store_ptr_tko weak %arg0, %arg2 token=%6 : tile<ptr<i32>>, tile<i32> -> token
//|   %8 = store_ptr_tko weak %arg0, %arg1 token=%7 : tile<ptr<i32>>, tile<i32> -> token
//|   %9 = store_ptr_tko weak %arg0, %2 token=%8 : tile<ptr<i32>>, tile<i32> -> token
//|   %10 = store_ptr_tko weak %arg0, %4 token=%9 : tile<ptr<i32>>, tile<i32> -> token
//|   return
//| }

// A promise that was made before is not made again.
entry @promises(%p: tile<ptr<i32>>, %n: tile<i32>) {
  %a = assume bounded<0, 42>, %n : tile<i32>
  %b = assume bounded<?, 42>, %a : tile<i32>
  %c = assume bounded<?, 42>, %b : tile<i32>
  %d = assume bounded<0, 42>, %c : tile<i32>
  %t = store_ptr_tko weak %p, %d : tile<ptr<i32>>, tile<i32> -> token
  return
}
//| entry @promises(%arg0: tile<ptr<i32>>, %arg1: tile<i32>) {
//|   %assume = assume bounded<0, 42>, %arg1 : tile<i32>
//|   %assume_assume = assume bounded<?, 42>, %assume : tile<i32>
//|   %0 = store_ptr_tko weak %arg0, %assume_assume : tile<ptr<i32>>, tile<i32> -> token
//|   return
//| }
