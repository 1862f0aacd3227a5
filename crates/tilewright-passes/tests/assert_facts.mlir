// passes: assert-facts

// Each range and divisor is checked behind the value that it is about.
entry @kernel(%p: tile<ptr<i32>>, %n: tile<i32>) {
  %zero = constant <i32: 0> : tile<i32>
  %eight = constant <i32: 8> : tile<i32>
  %m = muli %n, %eight : tile<i32>
  for %i in (%zero to %eight, step %eight) : tile<i32> {
    %j = addi %i, %m : tile<i32>
    %t = store_ptr_tko weak %p, %j : tile<ptr<i32>>, tile<i32> -> token
  }
  return
}
//| entry @kernel(%arg0: tile<ptr<i32>>, %arg1: tile<i32>) {
//|   %cst_0_i32 = constant <i32: 0> : tile<i32>
//|   %cst_8_i32 = constant <i32: 8> : tile<i32>
//|   %0 = muli %arg1, %cst_8_i32 : tile<i32>
//|   %cst_7_i32 = constant <i32: 7> : tile<i32>
//|   %1 = andi %0, %cst_7_i32 : tile<i32>
//|   %cst_0_i32_0 = constant <i32: 0> : tile<i32>
//|   %2 = cmpi equal %1, %cst_0_i32_0, unsigned : tile<i32> -> tile<i1>
//|   assert %2, "a fact does not hold" : tile<i1>
//|   for %loopIdx in (%cst_0_i32 to %cst_8_i32, step %cst_8_i32) : tile<i32> {
//|     %cst_0_i32_1 = constant <i32: 0> : tile<i32>
//|     %3 = cmpi greater_than_or_equal %loopIdx, %cst_0_i32_1, signed : tile<i32> -> tile<i1>
//|     assert %3, "a fact does not hold" : tile<i1>
//|     %cst_7_i32_2 = constant <i32: 7> : tile<i32>
//|     %4 = cmpi less_than_or_equal %loopIdx, %cst_7_i32_2, signed : tile<i32> -> tile<i1>
//|     assert %4, "a fact does not hold" : tile<i1>
//|     %cst_7_i32_3 = constant <i32: 7> : tile<i32>
//|     %5 = cmpi less_than_or_equal %loopIdx, %cst_7_i32_3, unsigned : tile<i32> -> tile<i1>
//|     assert %5, "a fact does not hold" : tile<i1>
//|     %cst_7_i32_4 = constant <i32: 7> : tile<i32>
//|     %6 = andi %loopIdx, %cst_7_i32_4 : tile<i32>
//|     %cst_0_i32_5 = constant <i32: 0> : tile<i32>
//|     %7 = cmpi equal %6, %cst_0_i32_5, unsigned : tile<i32> -> tile<i1>
//|     assert %7, "a fact does not hold" : tile<i1>
//|     %8 = addi %loopIdx, %0 : tile<i32>
//|     %cst_7_i32_6 = constant <i32: 7> : tile<i32>
//|     %9 = andi %8, %cst_7_i32_6 : tile<i32>
//|     %cst_0_i32_7 = constant <i32: 0> : tile<i32>
//|     %10 = cmpi equal %9, %cst_0_i32_7, unsigned : tile<i32> -> tile<i1>
//|     assert %10, "a fact does not hold" : tile<i1>
//|     %11 = store_ptr_tko weak %arg0, %8 : tile<ptr<i32>>, tile<i32> -> token
//|   }
//|   return
//| }
