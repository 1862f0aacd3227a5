// passes: canonicalize

// A product comes first in a sum, also where the other operand is broadcast; one that is there stays.
entry @sums(%p: tile<ptr<f32>>, %x: tile<f32>, %y: tile<f32>, %z: tile<f32>) {
  %spread = broadcast %z : tile<f32> -> tile<f32>
  %xy = mulf %x, %y : tile<f32>
  %right = addf %spread, %xy : tile<f32>
  %yy = mulf %y, %y : tile<f32>
  %left = addf %yy, %right : tile<f32>
  %xx = mulf %x, %x : tile<f32>
  %zz = mulf %z, %z : tile<f32>
  %both = addf %xx, %zz : tile<f32>
  %all = addf %left, %both : tile<f32>
  %t = store_ptr_tko weak %p, %all : tile<ptr<f32>>, tile<f32> -> token
  return
}
//| entry @sums(%arg0: tile<ptr<f32>>, %arg1: tile<f32>, %arg2: tile<f32>, %arg3: tile<f32>) {
//|   %0 = mulf %arg1, %arg2  : tile<f32>
//|   %1 = addf %0, %arg3  : tile<f32>
//|   %2 = mulf %arg2, %arg2  : tile<f32>
//|   %3 = addf %2, %1  : tile<f32>
//|   %4 = mulf %arg1, %arg1  : tile<f32>
//|   %5 = mulf %arg3, %arg3  : tile<f32>
//|   %6 = addf %4, %5  : tile<f32>
//|   %7 = addf %3, %6  : tile<f32>
//|   %8 = store_ptr_tko weak %arg0, %7 : tile<ptr<f32>>, tile<f32> -> token
//|   return
//| }

// A branch that is always taken and jumps: what follows it in the iteration is never reached.
entry @jumps(%p: tile<ptr<i32>>, %n: tile<i32>) {
  %zero = constant <i32: 0> : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  %s = for %i in (%zero to %n, step %one) : tile<i32> iter_values(%a = %n) -> (tile<i32>) {
    %yes = constant <i1: 1> : tile<i1>
    %v = if %yes -> (tile<i32>) {
      %b = muli %a, %i : tile<i32>
      continue %b : tile<i32>
    } else {
      yield %one : tile<i32>
    }
    %w = addi %v, %i : tile<i32>
    continue %w : tile<i32>
  }
  %l = loop iter_values(%a = %s) : tile<i32> -> tile<i32> {
    %no = constant <i1: 0> : tile<i1>
    %v = if %no -> (tile<i32>) {
      yield %a : tile<i32>
    } else {
      %b = muli %a, %n : tile<i32>
      break %b : tile<i32>
    }
    continue %v : tile<i32>
  }
  %t = store_ptr_tko weak %p, %l : tile<ptr<i32>>, tile<i32> -> token
  return
}
//| entry @jumps(%arg0: tile<ptr<i32>>, %arg1: tile<i32>) {
//|   %cst_0_i32 = constant <i32: 0> : tile<i32>
//|   %cst_1_i32 = constant <i32: 1> : tile<i32>
//|   %for = for %loopIdx in (%cst_0_i32 to %arg1, step %cst_1_i32) : tile<i32> iter_values(%iterArg0 = %arg1) -> (tile<i32>) {
//|     %2 = muli %iterArg0, %loopIdx : tile<i32>
//|     continue %2 : tile<i32>
//|   }
//|   %0 = muli %for, %arg1 : tile<i32>
//|   %1 = store_ptr_tko weak %arg0, %0 : tile<ptr<i32>>, tile<i32> -> token
//|   return
//| }

// Branches that only say whether: the condition, and its opposite.
entry @truths(%p: tile<ptr<i32>>, %n: tile<i32>) {
  %five = constant <i32: 5> : tile<i32>
  %c = cmpi less_than %n, %five, signed : tile<i32> -> tile<i1>
  %same = if %c -> (tile<i1>) {
    %yes = constant <i1: 1> : tile<i1>
    yield %yes : tile<i1>
  } else {
    %no = constant <i1: 0> : tile<i1>
    yield %no : tile<i1>
  }
  %opposite = if %c -> (tile<i1>) {
    %no = constant <i1: 0> : tile<i1>
    yield %no : tile<i1>
  } else {
    %yes = constant <i1: 1> : tile<i1>
    yield %yes : tile<i1>
  }
  print_tko "%d %d", %same, %opposite : tile<i1>, tile<i1> -> token
  return
}
//| entry @truths(%arg0: tile<ptr<i32>>, %arg1: tile<i32>) {
//|   %cst_5_i32 = constant <i32: 5> : tile<i32>
//|   %0 = cmpi less_than %arg1, %cst_5_i32, signed : tile<i32> -> tile<i1>
//|   %true = constant <i1: true> : tile<i1>
//|   %1 = xori %0, %true : tile<i1>
//|   %2 = print_tko "%d %d", %0, %1 : tile<i1>, tile<i1> -> token
//|   return
//| }

// Some results are selected and some are computed; a branch that only computes what is known outside becomes a selection.
entry @partly(%p: tile<ptr<i32>>, %n: tile<i32>, %c: tile<i1>) {
  %three = constant <i32: 3> : tile<i32>
  %zero = constant <i32: 0> : tile<i32>
  %a, %b = if %c -> (tile<i32>, tile<i32>) {
    %m = muli %n, %three : tile<i32>
    yield %three, %m : tile<i32>, tile<i32>
  } else {
    yield %n, %three : tile<i32>, tile<i32>
  }
  %d = if %c -> (tile<i32>) {
    %same = addi %n, %zero : tile<i32>
    yield %same : tile<i32>
  } else {
    yield %three : tile<i32>
  }
  print_tko "%d %d %d", %a, %b, %d : tile<i32>, tile<i32>, tile<i32> -> token
  return
}
//| entry @partly(%arg0: tile<ptr<i32>>, %arg1: tile<i32>, %arg2: tile<i1>) {
//|   %cst_3_i32 = constant <i32: 3> : tile<i32>
//|   %0 = select %arg2, %cst_3_i32, %arg1 : tile<i1>, tile<i32>
//|   %1 = if %arg2 -> (tile<i32>) {
//|     %4 = muli %arg1, %cst_3_i32 : tile<i32>
//|     yield %4 : tile<i32>
//|   } else {
//|     yield %cst_3_i32 : tile<i32>
//|   }
//|   %2 = select %arg2, %arg1, %cst_3_i32 : tile<i1>, tile<i32>
//|   %3 = print_tko "%d %d %d", %0, %1, %2 : tile<i32>, tile<i32>, tile<i32> -> token
//|   return
//| }

// Tiles are selected with the condition for each element.
entry @tiles(%c: tile<i1>) {
  %a = constant <i32: [1, 2, 3, 4]> : tile<4xi32>
  %b = constant <i32: [4, 3, 2, 1]> : tile<4xi32>
  %v = if %c -> (tile<4xi32>) {
    yield %a : tile<4xi32>
  } else {
    yield %b : tile<4xi32>
  }
  print_tko "%d", %v : tile<4xi32> -> token
  return
}
//| entry @tiles(%arg0: tile<i1>) {
//|   %cst_i32 = constant <i32: [1, 2, 3, 4]> : tile<4xi32>
//|   %cst_i32_0 = constant <i32: [4, 3, 2, 1]> : tile<4xi32>
//|   %reshape = reshape %arg0 : tile<i1> -> tile<1xi1>
//|   %bcast = broadcast %reshape : tile<1xi1> -> tile<4xi1>
//|   %0 = select %bcast, %cst_i32, %cst_i32_0 : tile<4xi1>, tile<4xi32>
//|   %1 = print_tko "%d", %0 : tile<4xi32> -> token
//|   return
//| }

// Neighbours that hand tokens on, of which either side may leave: what the first gives the second reads where it was made.
entry @tokens(%p: tile<ptr<i32>>, %n: tile<i32>, %c: tile<i1>) {
  %t = make_token : token
  %first, %other = if %c -> (token, token) {
    %v, %l = load_ptr_tko weak %p token=%t : tile<ptr<i32>> -> tile<i32>, token
    %w = addi %v, %n : tile<i32>
    %s = store_ptr_tko weak %p, %w token=%l : tile<ptr<i32>>, tile<i32> -> token
    yield %s, %l : token, token
  } else {
    yield %t, %t : token, token
  }
  if %c {
    %j = join_tokens %first, %other : token
    %v, %l = load_ptr_tko weak %p token=%j : tile<ptr<i32>> -> tile<i32>, token
    %s = store_ptr_tko weak %p, %n token=%l : tile<ptr<i32>>, tile<i32> -> token
  }
  return
}
//| entry @tokens(%arg0: tile<ptr<i32>>, %arg1: tile<i32>, %arg2: tile<i1>) {
//|   %0 = make_token : token
//|   if %arg2 {
//|     %result, %result_token = load_ptr_tko weak %arg0 token=%0 : tile<ptr<i32>> -> tile<i32>, token
//|     %1 = addi %result, %arg1 : tile<i32>
//|     %2 = store_ptr_tko weak %arg0, %1 token=%result_token : tile<ptr<i32>>, tile<i32> -> token
//|     %3 = join_tokens %2, %result_token : token
//|     %result_0, %result_token_1 = load_ptr_tko weak %arg0 token=%3 : tile<ptr<i32>> -> tile<i32>, token
//|     %4 = store_ptr_tko weak %arg0, %arg1 token=%result_token_1 : tile<ptr<i32>>, tile<i32> -> token
//|   }
//|   return
//| }
entry @tokens_or_return(%p: tile<ptr<i32>>, %n: tile<i32>, %c: tile<i1>) {
  %t = make_token : token
  %first = if %c -> (token) {
    %s = store_ptr_tko weak %p, %n token=%t : tile<ptr<i32>>, tile<i32> -> token
    yield %s : token
  } else {
    return
  }
  if %c {
    %v, %l = load_ptr_tko weak %p token=%first : tile<ptr<i32>> -> tile<i32>, token
    print_tko "%d", %v : tile<i32> -> token
  }
  return
}
//| entry @tokens_or_return(%arg0: tile<ptr<i32>>, %arg1: tile<i32>, %arg2: tile<i1>) {
//|   %0 = make_token : token
//|   if %arg2 {
//|     %1 = store_ptr_tko weak %arg0, %arg1 token=%0 : tile<ptr<i32>>, tile<i32> -> token
//|     %result, %result_token = load_ptr_tko weak %arg0 token=%1 : tile<ptr<i32>> -> tile<i32>, token
//|     %2 = print_tko "%d", %result : tile<i32> -> token
//|   } else {
//|     return
//|   }
//|   return
//| }

// Neighbours of which the second leaves on one side or the other.
entry @leaves_second(%p: tile<ptr<i32>>, %n: tile<i32>, %c: tile<i1>) {
  %a = if %c -> (tile<i32>) {
    %x = muli %n, %n : tile<i32>
    yield %x : tile<i32>
  } else {
    yield %n : tile<i32>
  }
  %b = if %c -> (tile<i32>) {
    %y = addi %a, %n : tile<i32>
    yield %y : tile<i32>
  } else {
    %t = store_ptr_tko weak %p, %a : tile<ptr<i32>>, tile<i32> -> token
    return
  }
  print_tko "%d %d", %a, %b : tile<i32>, tile<i32> -> token
  return
}
//| entry @leaves_second(%arg0: tile<ptr<i32>>, %arg1: tile<i32>, %arg2: tile<i1>) {
//|   %0:2 = if %arg2 -> (tile<i32>, tile<i32>) {
//|     %2 = muli %arg1, %arg1 : tile<i32>
//|     %3 = addi %2, %arg1 : tile<i32>
//|     yield %2, %3 : tile<i32>, tile<i32>
//|   } else {
//|     %2 = store_ptr_tko weak %arg0, %arg1 : tile<ptr<i32>>, tile<i32> -> token
//|     return
//|   }
//|   %1 = print_tko "%d %d", %0#0, %0#1 : tile<i32>, tile<i32> -> token
//|   return
//| }

// A branch in a branch that leaves.
entry @nested_return(%n: tile<i32>, %a: tile<i1>, %b: tile<i1>) {
  if %a {
    if %b {
      print_tko "%d", %n : tile<i32> -> token
      return
    }
  }
  print_tko "no" -> token
  return
}
//| entry @nested_return(%arg0: tile<i32>, %arg1: tile<i1>, %arg2: tile<i1>) {
//|   %0 = andi %arg1, %arg2 : tile<i1>
//|   if %0 {
//|     %2 = print_tko "%d", %arg0 : tile<i32> -> token
//|     return
//|   }
//|   %1 = print_tko "no" -> token
//|   return
//| }

// Both branches leave, and what they would have given was read behind them.
entry @both_leave(%n: tile<i32>, %c: tile<i1>) {
  %v = if %c -> (tile<i32>) {
    print_tko "yes" -> token
    return
  } else {
    print_tko "no" -> token
    return
  }
  print_tko "%d", %v : tile<i32> -> token
  return
}
//| entry @both_leave(%arg0: tile<i32>, %arg1: tile<i1>) {
//|   if %arg1 {
//|     %1 = print_tko "yes" -> token
//|     return
//|   }
//|   %0 = print_tko "no" -> token
//|   return
//| }

// A selection of constants, element by element; one of 0 and 1, also of tiles.
entry @selections(%c: tile<i1>) {
  %mask = constant <i1: [0, 1, 1, 0]> : tile<4xi1>
  %a = constant <i32: [1, 2, 3, 4]> : tile<4xi32>
  %b = constant <i32: [5, 6, 7, 8]> : tile<4xi32>
  %known = select %mask, %a, %b : tile<4xi1>, tile<4xi32>
  %one = constant <i32: 1> : tile<4xi32>
  %zero = constant <i32: 0> : tile<4xi32>
  %each = reshape %c : tile<i1> -> tile<1xi1>
  %all = broadcast %each : tile<1xi1> -> tile<4xi1>
  %up = select %all, %one, %zero : tile<4xi1>, tile<4xi32>
  %down = select %all, %zero, %one : tile<4xi1>, tile<4xi32>
  print_tko "%d %d %d", %known, %up, %down : tile<4xi32>, tile<4xi32>, tile<4xi32> -> token
  return
}
//| entry @selections(%arg0: tile<i1>) {
//|   %cst_i32 = constant <i32: [5, 2, 3, 8]> : tile<4xi32>
//|   %reshape = reshape %arg0 : tile<i1> -> tile<1xi1>
//|   %bcast = broadcast %reshape : tile<1xi1> -> tile<4xi1>
//|   %0 = exti %bcast unsigned : tile<4xi1> -> tile<4xi32>
//|   %true = constant <i1: true> : tile<4xi1>
//|   %1 = xori %bcast, %true : tile<4xi1>
//|   %2 = exti %1 unsigned : tile<4xi1> -> tile<4xi32>
//|   %3 = print_tko "%d %d %d", %cst_i32, %0, %2 : tile<4xi32>, tile<4xi32>, tile<4xi32> -> token
//|   return
//| }

// Promises of every kind that were made before, directly or further back.
entry @promises(%p: tile<ptr<f32>>, %n: tile<i32>) {
  %one = reshape %n : tile<i32> -> tile<1x1xi32>
  %x = broadcast %one : tile<1x1xi32> -> tile<4x8xi32>
  %p1 = assume div_by<32>, %p : tile<ptr<f32>>
  %p2 = assume div_by<32>, %p1 : tile<ptr<f32>>
  %n1 = assume bounded<1, 9>, %n : tile<i32>
  %n2 = assume bounded<1, ?>, %n1 : tile<i32>
  %n3 = assume bounded<1, ?>, %n2 : tile<i32>
  %x1 = assume div_by<4, every 2 along 0>, %x : tile<4x8xi32>
  %x2 = assume same_elements<[1, 8]>, %x1 : tile<4x8xi32>
  %x3 = assume same_elements<[1, 8]>, %x2 : tile<4x8xi32>
  print_tko "%d %d", %n3, %x3 : tile<i32>, tile<4x8xi32> -> token
  %v, %t = load_ptr_tko weak %p2 : tile<ptr<f32>> -> tile<f32>, token
  print_tko "%f", %v : tile<f32> -> token
  return
}
//| entry @promises(%arg0: tile<ptr<f32>>, %arg1: tile<i32>) {
//|   %reshape = reshape %arg1 : tile<i32> -> tile<1x1xi32>
//|   %bcast = broadcast %reshape : tile<1x1xi32> -> tile<4x8xi32>
//|   %assume = assume div_by<32>, %arg0 : tile<ptr<f32>>
//|   %assume_0 = assume bounded<1, 9>, %arg1 : tile<i32>
//|   %assume_assume = assume bounded<1, ?>, %assume_0 : tile<i32>
//|   %assume_bcast = assume div_by<4, every 2 along 0>, %bcast : tile<4x8xi32>
//|   %assume_assume_bcast = assume same_elements<[1, 8]>, %assume_bcast : tile<4x8xi32>
//|   %0 = print_tko "%d %d", %assume_assume, %assume_assume_bcast : tile<i32>, tile<4x8xi32> -> token
//|   %result, %result_token = load_ptr_tko weak %assume : tile<ptr<f32>> -> tile<f32>, token
//|   %1 = print_tko "%f", %result : tile<f32> -> token
//|   return
//| }
