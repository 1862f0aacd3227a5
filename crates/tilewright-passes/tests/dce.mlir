// passes: dce

// What nothing reads goes, and what only that reads.
entry @unused(%p: tile<ptr<i32>>, %n: tile<i32>) {
  %one = constant <i32: 1> : tile<i32>
  %sum = addi %n, %one : tile<i32>
  %product = muli %sum, %sum : tile<i32>
  %quotient = divi %n, %n signed : tile<i32>
  %token = store_ptr_tko weak %p, %n : tile<ptr<i32>>, tile<i32> -> token
  return
}
//| entry @unused(%arg0: tile<ptr<i32>>, %arg1: tile<i32>) {
//|   %0 = store_ptr_tko weak %arg0, %arg1 : tile<ptr<i32>>, tile<i32> -> token
//|   return
//| }

// What has an effect stays: assertions, printing, atomic updates.
entry @effects(%p: tile<ptr<i32>>, %n: tile<i32>) {
  %t = cmpi less_than %n, %n, signed : tile<i32> -> tile<i1>
  assert %t, "never" : tile<i1>
  %token = print_tko "%d", %n : tile<i32> -> token
  %old, %done = atomic_rmw_tko relaxed device %p, add, %n : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
  return
}
//| entry @effects(%arg0: tile<ptr<i32>>, %arg1: tile<i32>) {
//|   %0 = cmpi less_than %arg1, %arg1, signed : tile<i32> -> tile<i1>
//|   assert %0, "never" : tile<i1>
//|   %1 = print_tko "%d", %arg1 : tile<i32> -> token
//|   %result, %result_token = atomic_rmw_tko relaxed device %arg0, add, %arg1 : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
//|   return
//| }

// A loop that counts something only for itself no longer does; what it gives stays.
entry @carried(%p: tile<ptr<i32>>, %n: tile<i32>) {
  %zero = constant <i32: 0> : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  %a, %b = for %i in (%zero to %n, step %one) : tile<i32> iter_values(%x = %zero, %y = %zero) -> (tile<i32>, tile<i32>) {
    %x2 = addi %x, %i : tile<i32>
    %y2 = addi %y, %x : tile<i32>
    %z = muli %y2, %y2 : tile<i32>
    continue %x2, %y2 : tile<i32>, tile<i32>
  }
  %token = store_ptr_tko weak %p, %a : tile<ptr<i32>>, tile<i32> -> token
  return
}
//| entry @carried(%arg0: tile<ptr<i32>>, %arg1: tile<i32>) {
//|   %cst_0_i32 = constant <i32: 0> : tile<i32>
//|   %cst_1_i32 = constant <i32: 1> : tile<i32>
//|   %for = for %loopIdx in (%cst_0_i32 to %arg1, step %cst_1_i32) : tile<i32> iter_values(%iterArg0 = %cst_0_i32) -> (tile<i32>) {
//|     %1 = addi %iterArg0, %loopIdx : tile<i32>
//|     continue %1 : tile<i32>
//|   }
//|   %0 = store_ptr_tko weak %arg0, %for : tile<ptr<i32>>, tile<i32> -> token
//|   return
//| }

// A loop that gives nothing that is read, and does nothing, goes as a whole.
entry @idle(%n: tile<i32>) {
  %zero = constant <i32: 0> : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  %a = for %i in (%zero to %n, step %one) : tile<i32> iter_values(%x = %zero) -> (tile<i32>) {
    %x2 = addi %x, %i : tile<i32>
    continue %x2 : tile<i32>
  }
  return
}
//| entry @idle(%arg0: tile<i32>) {
//|   return
//| }

// Nobody knows whether a loop ends, so it stays; what it carries and gives for nobody goes.
entry @endless(%n: tile<i32>) {
  %one = constant <i32: 1> : tile<i32>
  %a, %b = loop iter_values(%x = %n, %y = %n) : tile<i32>, tile<i32> -> tile<i32>, tile<i32> {
    %stop = cmpi greater_than %x, %n, signed : tile<i32> -> tile<i1>
    if %stop {
      break %x, %y : tile<i32>, tile<i32>
    }
    %x2 = addi %x, %one : tile<i32>
    %y2 = addi %y, %one : tile<i32>
    continue %x2, %y2 : tile<i32>, tile<i32>
  }
  return
}
//| entry @endless(%arg0: tile<i32>) {
//|   %cst_1_i32 = constant <i32: 1> : tile<i32>
//|   loop iter_values(%arg1 = %arg0) : tile<i32> {
//|     %0 = cmpi greater_than %arg1, %arg0, signed : tile<i32> -> tile<i1>
//|     if %0 {
//|       break
//|     }
//|     %1 = addi %arg1, %cst_1_i32 : tile<i32>
//|     continue %1 : tile<i32>
//|   }
//|   return
//| }

// Of two results of a branch one stays.
entry @branch(%p: tile<ptr<i32>>, %n: tile<i32>) {
  %one = constant <i32: 1> : tile<i32>
  %c = cmpi less_than %n, %one, signed : tile<i32> -> tile<i1>
  %a, %b = if %c -> (tile<i32>, tile<i32>) {
    %x = addi %n, %one : tile<i32>
    yield %x, %one : tile<i32>, tile<i32>
  } else {
    %y = muli %n, %n : tile<i32>
    yield %y, %n : tile<i32>, tile<i32>
  }
  %token = store_ptr_tko weak %p, %b : tile<ptr<i32>>, tile<i32> -> token
  return
}
//| entry @branch(%arg0: tile<ptr<i32>>, %arg1: tile<i32>) {
//|   %cst_1_i32 = constant <i32: 1> : tile<i32>
//|   %0 = cmpi less_than %arg1, %cst_1_i32, signed : tile<i32> -> tile<i1>
//|   %1 = if %0 -> (tile<i32>) {
//|     yield %cst_1_i32 : tile<i32>
//|   } else {
//|     yield %arg1 : tile<i32>
//|   }
//|   %2 = store_ptr_tko weak %arg0, %1 : tile<ptr<i32>>, tile<i32> -> token
//|   return
//| }

// A weak load that nobody reads hands its token on; one that acquires stays.
entry @loads(%p: tile<ptr<i32>>, %n: tile<i32>) {
  %t0 = make_token : token
  %a, %t1 = load_ptr_tko weak %p token=%t0 : tile<ptr<i32>> -> tile<i32>, token
  %b, %t2 = load_ptr_tko acquire device %p token=%t1 : tile<ptr<i32>> -> tile<i32>, token
  %t3 = store_ptr_tko weak %p, %n token=%t2 : tile<ptr<i32>>, tile<i32> -> token
  %c, %t4 = load_ptr_tko weak %p : tile<ptr<i32>> -> tile<i32>, token
  %t5 = store_ptr_tko weak %p, %n token=%t4 : tile<ptr<i32>>, tile<i32> -> token
  return
}
//| entry @loads(%arg0: tile<ptr<i32>>, %arg1: tile<i32>) {
//|   %0 = make_token : token
//|   %result, %result_token = load_ptr_tko acquire device %arg0 token=%0 : tile<ptr<i32>> -> tile<i32>, token
//|   %1 = store_ptr_tko weak %arg0, %arg1 token=%result_token : tile<ptr<i32>>, tile<i32> -> token
//|   %2 = make_token : token
//|   %3 = store_ptr_tko weak %arg0, %arg1 token=%2 : tile<ptr<i32>>, tile<i32> -> token
//|   return
//| }
