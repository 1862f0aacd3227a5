// passes: licm

// What computes the same in every iteration moves out, as far as it can at once.
entry @nested(%p: tile<ptr<i32>>, %n: tile<i32>) {
  %zero = constant <i32: 0> : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  for %i in (%zero to %n, step %one) : tile<i32> {
    for %j in (%zero to %n, step %one) : tile<i32> {
      %a = muli %n, %n : tile<i32>
      %b = muli %a, %i : tile<i32>
      %c = muli %b, %j : tile<i32>
      %q = offset %p, %c : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
      %t = store_ptr_tko weak %q, %b : tile<ptr<i32>>, tile<i32> -> token
    }
  }
  return
}
//| entry @nested(%arg0: tile<ptr<i32>>, %arg1: tile<i32>) {
//|   %cst_0_i32 = constant <i32: 0> : tile<i32>
//|   %cst_1_i32 = constant <i32: 1> : tile<i32>
//|   %0 = muli %arg1, %arg1 : tile<i32>
//|   for %loopIdx in (%cst_0_i32 to %arg1, step %cst_1_i32) : tile<i32> {
//|     %1 = muli %0, %loopIdx : tile<i32>
//|     for %loopIdx_0 in (%cst_0_i32 to %arg1, step %cst_1_i32) : tile<i32> {
//|       %2 = muli %1, %loopIdx_0 : tile<i32>
//|       %3 = offset %arg0, %2 : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
//|       %4 = store_ptr_tko weak %3, %1 : tile<ptr<i32>>, tile<i32> -> token
//|     }
//|   }
//|   return
//| }

// A division by what might be zero stays, as the loop might not run; one by a constant moves.
entry @division(%p: tile<ptr<i32>>, %n: tile<i32>) {
  %zero = constant <i32: 0> : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  %seven = constant <i32: 7> : tile<i32>
  for %i in (%zero to %n, step %one) : tile<i32> {
    %a = divi %n, %n signed : tile<i32>
    %b = divi %n, %seven signed : tile<i32>
    %c = addi %a, %b : tile<i32>
    %t = store_ptr_tko weak %p, %c : tile<ptr<i32>>, tile<i32> -> token
  }
  return
}
//| entry @division(%arg0: tile<ptr<i32>>, %arg1: tile<i32>) {
//|   %cst_0_i32 = constant <i32: 0> : tile<i32>
//|   %cst_1_i32 = constant <i32: 1> : tile<i32>
//|   %cst_7_i32 = constant <i32: 7> : tile<i32>
//|   %0 = divi %arg1, %cst_7_i32 signed : tile<i32>
//|   for %loopIdx in (%cst_0_i32 to %arg1, step %cst_1_i32) : tile<i32> {
//|     %1 = divi %arg1, %arg1 signed : tile<i32>
//|     %2 = addi %1, %0 : tile<i32>
//|     %3 = store_ptr_tko weak %arg0, %2 : tile<ptr<i32>>, tile<i32> -> token
//|   }
//|   return
//| }

// Nothing moves out of a branch, and no access to memory moves.
entry @branch(%p: tile<ptr<i32>>, %n: tile<i32>, %c: tile<i1>) {
  %zero = constant <i32: 0> : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  for %i in (%zero to %n, step %one) : tile<i32> {
    if %c {
      %a = muli %n, %n : tile<i32>
      %x, %t0 = load_ptr_tko weak %p : tile<ptr<i32>> -> tile<i32>, token
      %b = addi %a, %x : tile<i32>
      %t = store_ptr_tko weak %p, %b token=%t0 : tile<ptr<i32>>, tile<i32> -> token
    }
  }
  return
}
//| entry @branch(%arg0: tile<ptr<i32>>, %arg1: tile<i32>, %arg2: tile<i1>) {
//|   %cst_0_i32 = constant <i32: 0> : tile<i32>
//|   %cst_1_i32 = constant <i32: 1> : tile<i32>
//|   for %loopIdx in (%cst_0_i32 to %arg1, step %cst_1_i32) : tile<i32> {
//|     if %arg2 {
//|       %0 = muli %arg1, %arg1 : tile<i32>
//|       %result, %result_token = load_ptr_tko weak %arg0 : tile<ptr<i32>> -> tile<i32>, token
//|       %1 = addi %0, %result : tile<i32>
//|       %2 = store_ptr_tko weak %arg0, %1 token=%result_token : tile<ptr<i32>>, tile<i32> -> token
//|     }
//|   }
//|   return
//| }
