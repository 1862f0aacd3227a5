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

// Reductions and scans move, with what they do in their regions.
entry @reductions(%p: tile<ptr<f32>>, %x: tile<f32>, %n: tile<i32>) {
  %zero = constant <i32: 0> : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  %r = reshape %x : tile<f32> -> tile<1xf32>
  %xs = broadcast %r : tile<1xf32> -> tile<8xf32>
  for %i in (%zero to %n, step %one) : tile<i32> {
    %s = reduce %xs dim=0 identities=[0.0 : f32] : tile<8xf32> -> tile<f32>
    (%a: tile<f32>, %b: tile<f32>) {
      %c = addf %a, %b : tile<f32>
      yield %c : tile<f32>
    }
    %t = store_ptr_tko weak %p, %s : tile<ptr<f32>>, tile<f32> -> token
  }
  return
}
//| entry @reductions(%arg0: tile<ptr<f32>>, %arg1: tile<f32>, %arg2: tile<i32>) {
//|   %cst_0_i32 = constant <i32: 0> : tile<i32>
//|   %cst_1_i32 = constant <i32: 1> : tile<i32>
//|   %reshape = reshape %arg1 : tile<f32> -> tile<1xf32>
//|   %bcast = broadcast %reshape : tile<1xf32> -> tile<8xf32>
//|   %reduce = reduce %bcast dim=0 identities=[0.000000e+00 : f32] : tile<8xf32> -> tile<f32>
//|   (%reduce_lhs: tile<f32>, %reduce_rhs: tile<f32>) {
//|     %0 = addf %reduce_lhs, %reduce_rhs  : tile<f32>
//|     yield %0 : tile<f32>
//|   }
//|   for %loopIdx in (%cst_0_i32 to %arg2, step %cst_1_i32) : tile<i32> {
//|     %0 = store_ptr_tko weak %arg0, %reduce : tile<ptr<f32>>, tile<f32> -> token
//|   }
//|   return
//| }

// A load moves out of a loop that runs, whose stores lie apart from it.
entry @loads(%p: tile<ptr<i32>>, %n: tile<i32>, %m: tile<i32>) {
  %zero = constant <i32: 0> : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  %four = constant <i32: 4> : tile<i32>
  %start = make_token : token
  for %i in (%zero to %four, step %one) : tile<i32> {
    %x, %t0 = load_ptr_tko weak %p token = %start : tile<ptr<i32>> -> tile<i32>, token
    %y = muli %x, %x : tile<i32>
    %j = addi %i, %one : tile<i32>
    %q = offset %p, %j : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
    %t1 = store_ptr_tko weak %q, %y : tile<ptr<i32>>, tile<i32> -> token
  }
  return
}
//| entry @loads(%arg0: tile<ptr<i32>>, %arg1: tile<i32>, %arg2: tile<i32>) {
//|   %cst_0_i32 = constant <i32: 0> : tile<i32>
//|   %cst_1_i32 = constant <i32: 1> : tile<i32>
//|   %cst_4_i32 = constant <i32: 4> : tile<i32>
//|   %0 = make_token : token
//|   %result, %result_token = load_ptr_tko weak %arg0 token=%0 : tile<ptr<i32>> -> tile<i32>, token
//|   %1 = muli %result, %result : tile<i32>
//|   for %loopIdx in (%cst_0_i32 to %cst_4_i32, step %cst_1_i32) : tile<i32> {
//|     %2 = addi %loopIdx, %cst_1_i32 : tile<i32>
//|     %3 = offset %arg0, %2 : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
//|     %4 = store_ptr_tko weak %3, %1 : tile<ptr<i32>>, tile<i32> -> token
//|   }
//|   return
//| }

// It stays where the loop might not run, where a store may overlap, behind an assertion, in a branch, and with a token of the loop.
entry @loads_that_stay(%p: tile<ptr<i32>>, %q: tile<ptr<i32>>, %n: tile<i32>, %c: tile<i1>) {
  %zero = constant <i32: 0> : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  %four = constant <i32: 4> : tile<i32>
  %start = make_token : token
  for %i in (%zero to %n, step %one) : tile<i32> {
    %x, %t = load_ptr_tko weak %p token = %start : tile<ptr<i32>> -> tile<i32>, token
    %u = print_tko "%d", %x : tile<i32> -> token
  }
  for %i in (%zero to %four, step %one) : tile<i32> {
    %x, %t = load_ptr_tko weak %p token = %start : tile<ptr<i32>> -> tile<i32>, token
    %u = store_ptr_tko weak %q, %x : tile<ptr<i32>>, tile<i32> -> token
  }
  for %i in (%zero to %four, step %one) : tile<i32> {
    assert %c, "c" : tile<i1>
    %x, %t = load_ptr_tko weak %p token = %start : tile<ptr<i32>> -> tile<i32>, token
    if %c {
      %y, %v = load_ptr_tko weak %q token = %start : tile<ptr<i32>> -> tile<i32>, token
      %w = print_tko "%d", %y : tile<i32> -> token
    }
    %u = print_tko "%d", %x : tile<i32> -> token
  }
  %end = for %i in (%zero to %four, step %one) : tile<i32> iter_values(%t = %start) -> (token) {
    %x, %u = load_ptr_tko weak %p token = %t : tile<ptr<i32>> -> tile<i32>, token
    %v = print_tko "%d", %x token = %u : tile<i32> -> token
    continue %v : token
  }
  return
}
//| entry @loads_that_stay(%arg0: tile<ptr<i32>>, %arg1: tile<ptr<i32>>, %arg2: tile<i32>, %arg3: tile<i1>) {
//|   %cst_0_i32 = constant <i32: 0> : tile<i32>
//|   %cst_1_i32 = constant <i32: 1> : tile<i32>
//|   %cst_4_i32 = constant <i32: 4> : tile<i32>
//|   %0 = make_token : token
//|   for %loopIdx in (%cst_0_i32 to %arg2, step %cst_1_i32) : tile<i32> {
//|     %result, %result_token = load_ptr_tko weak %arg0 token=%0 : tile<ptr<i32>> -> tile<i32>, token
//|     %1 = print_tko "%d", %result : tile<i32> -> token
//|   }
//|   for %loopIdx in (%cst_0_i32 to %cst_4_i32, step %cst_1_i32) : tile<i32> {
//|     %result, %result_token = load_ptr_tko weak %arg0 token=%0 : tile<ptr<i32>> -> tile<i32>, token
//|     %1 = store_ptr_tko weak %arg1, %result : tile<ptr<i32>>, tile<i32> -> token
//|   }
//|   for %loopIdx in (%cst_0_i32 to %cst_4_i32, step %cst_1_i32) : tile<i32> {
//|     assert %arg3, "c" : tile<i1>
//|     %result, %result_token = load_ptr_tko weak %arg0 token=%0 : tile<ptr<i32>> -> tile<i32>, token
//|     if %arg3 {
//|       %result_0, %result_token_1 = load_ptr_tko weak %arg1 token=%0 : tile<ptr<i32>> -> tile<i32>, token
//|       %2 = print_tko "%d", %result_0 : tile<i32> -> token
//|     }
//|     %1 = print_tko "%d", %result : tile<i32> -> token
//|   }
//|   %for = for %loopIdx in (%cst_0_i32 to %cst_4_i32, step %cst_1_i32) : tile<i32> iter_values(%iterArg0 = %0) -> (token) {
//|     %result, %result_token = load_ptr_tko weak %arg0 token=%iterArg0 : tile<ptr<i32>> -> tile<i32>, token
//|     %1 = print_tko "%d", %result token=%result_token : tile<i32> -> token
//|     continue %1 : token
//|   }
//|   return
//| }
