// passes: inline

// A call is what its function does; functions that nothing calls any more go.
func @square(%x: tile<i32>) -> tile<i32> {
  %y = muli %x, %x : tile<i32>
  return %y : tile<i32>
}
//| removed
func @sum_of_squares(%x: tile<i32>, %n: tile<i32>) -> (tile<i32>, tile<i32>) {
  %zero = constant <i32: 0> : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  %s = for %i in (%zero to %n, step %one) : tile<i32> iter_values(%a = %x) -> (tile<i32>) {
    %q = preview$call @square(%i) : (tile<i32>) -> (tile<i32>)
    %b = addi %a, %q : tile<i32>
    continue %b : tile<i32>
  }
  return %s, %n : tile<i32>, tile<i32>
}
//| removed
entry @kernel(%p: tile<ptr<i32>>, %n: tile<i32>) {
  %s, %m = preview$call @sum_of_squares(%n, %n) : (tile<i32>, tile<i32>) -> (tile<i32>, tile<i32>)
  %q = preview$call @square(%m) : (tile<i32>) -> (tile<i32>)
  %r = addi %s, %q : tile<i32>
  %t = store_ptr_tko weak %p, %r : tile<ptr<i32>>, tile<i32> -> token
  return
}
//| entry @kernel(%arg0: tile<ptr<i32>>, %arg1: tile<i32>) {
//|   %cst_0_i32 = constant <i32: 0> : tile<i32>
//|   %cst_1_i32 = constant <i32: 1> : tile<i32>
//|   %for = for %loopIdx in (%cst_0_i32 to %arg1, step %cst_1_i32) : tile<i32> iter_values(%iterArg0 = %arg1) -> (tile<i32>) {
//|     %3 = muli %loopIdx, %loopIdx : tile<i32>
//|     %4 = addi %iterArg0, %3 : tile<i32>
//|     continue %4 : tile<i32>
//|   }
//|   %0 = muli %arg1, %arg1 : tile<i32>
//|   %1 = addi %for, %0 : tile<i32>
//|   %2 = store_ptr_tko weak %arg0, %1 : tile<ptr<i32>>, tile<i32> -> token
//|   return
//| }

// What leads back to itself stays, and what returns early.
func @recursive(%x: tile<i32>) -> tile<i32> {
  %y = preview$call @recursive(%x) : (tile<i32>) -> (tile<i32>)
  return %y : tile<i32>
}
//| func @recursive(%arg0: tile<i32>) -> tile<i32> {
//|   %0 = preview$call @recursive(%arg0) : (tile<i32>) -> (tile<i32>)
//|   return %0 : tile<i32>
//| }
func @early(%x: tile<i32>, %c: tile<i1>) -> tile<i32> {
  if %c {
    return %x : tile<i32>
  }
  %y = muli %x, %x : tile<i32>
  return %y : tile<i32>
}
//| func @early(%arg0: tile<i32>, %arg1: tile<i1>) -> tile<i32> {
//|   if %arg1 {
//|     return %arg0 : tile<i32>
//|   }
//|   %0 = muli %arg0, %arg0 : tile<i32>
//|   return %0 : tile<i32>
//| }
entry @stays(%p: tile<ptr<i32>>, %n: tile<i32>, %c: tile<i1>) {
  %a = preview$call @recursive(%n) : (tile<i32>) -> (tile<i32>)
  %b = preview$call @early(%a, %c) : (tile<i32>, tile<i1>) -> (tile<i32>)
  %t = store_ptr_tko weak %p, %b : tile<ptr<i32>>, tile<i32> -> token
  return
}
//| entry @stays(%arg0: tile<ptr<i32>>, %arg1: tile<i32>, %arg2: tile<i1>) {
//|   %0 = preview$call @recursive(%arg1) : (tile<i32>) -> (tile<i32>)
//|   %1 = preview$call @early(%0, %arg2) : (tile<i32>, tile<i1>) -> (tile<i32>)
//|   %2 = store_ptr_tko weak %arg0, %1 : tile<ptr<i32>>, tile<i32> -> token
//|   return
//| }
