// passes: range-propagation

// Comparisons that always hold, and masks of them.
entry @masks(%base: tile<ptr<f32>>, %n: tile<i32>) {
  %i = iota : tile<8xi32>
  %eight = constant <i32: 8> : tile<8xi32>
  %zero = constant <i32: 0> : tile<8xi32>
  %pad = constant <f32: 0.0> : tile<8xf32>
  %b = reshape %base : tile<ptr<f32>> -> tile<1xptr<f32>>
  %bs = broadcast %b : tile<1xptr<f32>> -> tile<8xptr<f32>>
  %p = offset %bs, %i : tile<8xptr<f32>>, tile<8xi32> -> tile<8xptr<f32>>
  %m = cmpi less_than %i, %eight, signed : tile<8xi32> -> tile<8xi1>
  %start = make_token : token
  %x, %t = load_ptr_tko weak %p, %m, %pad token = %start : tile<8xptr<f32>>, tile<8xi1>, tile<8xf32> -> tile<8xf32>, token
  %r = reshape %n : tile<i32> -> tile<1xi32>
  %ns = broadcast %r : tile<1xi32> -> tile<8xi32>
  %o = cmpi less_than %i, %ns, signed : tile<8xi32> -> tile<8xi1>
  %u = store_ptr_tko weak %p, %x, %o token = %t : tile<8xptr<f32>>, tile<8xf32>, tile<8xi1> -> token
  return
}
//| entry @masks(%arg0: tile<ptr<f32>>, %arg1: tile<i32>) {
//|   %0 = iota : tile<8xi32>
//|   %cst_8_i32 = constant <i32: 8> : tile<8xi32>
//|   %cst_0_i32 = constant <i32: 0> : tile<8xi32>
//|   %cst_0_f32 = constant <f32: 0.000000e+00> : tile<8xf32>
//|   %reshape = reshape %arg0 : tile<ptr<f32>> -> tile<1xptr<f32>>
//|   %bcast = broadcast %reshape : tile<1xptr<f32>> -> tile<8xptr<f32>>
//|   %1 = offset %bcast, %0 : tile<8xptr<f32>>, tile<8xi32> -> tile<8xptr<f32>>
//|   %true = constant <i1: true> : tile<8xi1>
//|   %2 = make_token : token
//|   %result, %result_token = load_ptr_tko weak %1 token=%2 : tile<8xptr<f32>> -> tile<8xf32>, token
//|   %reshape_0 = reshape %arg1 : tile<i32> -> tile<1xi32>
//|   %bcast_1 = broadcast %reshape_0 : tile<1xi32> -> tile<8xi32>
//|   %3 = cmpi less_than %0, %bcast_1, signed : tile<8xi32> -> tile<8xi1>
//|   %4 = store_ptr_tko weak %1, %result, %3 token=%result_token : tile<8xptr<f32>>, tile<8xf32>, tile<8xi1> -> token
//|   return
//| }

// Numbers in a known order, divisions that leave no rest, and those that do.
entry @arithmetic(%p: tile<ptr<i32>>, %n: tile<i32>) {
  %seven = constant <i32: 7> : tile<i32>
  %eight = constant <i32: 8> : tile<i32>
  %k = assume bounded<0, 7>, %n : tile<i32>
  %a = maxi %k, %seven signed : tile<i32>
  %b = mini %k, %eight signed : tile<i32>
  %c = remi %k, %eight signed : tile<i32>
  %many = muli %n, %eight : tile<i32>
  %d = remi %many, %eight signed : tile<i32>
  %e = divi %many, %eight signed rounding<positive_inf> : tile<i32>
  %f = divi %k, %eight signed : tile<i32>
  %g = divi %n, %eight signed : tile<i32>
  %h = divi %n, %eight signed rounding<negative_inf> : tile<i32>
  %o = remi %n, %eight signed : tile<i32>
  %t = print_tko "%d %d %d %d %d %d %d %d %d", %a, %b, %c, %d, %e, %f, %g, %h, %o : tile<i32>, tile<i32>, tile<i32>, tile<i32>, tile<i32>, tile<i32>, tile<i32>, tile<i32>, tile<i32> -> token
  return
}
//| entry @arithmetic(%arg0: tile<ptr<i32>>, %arg1: tile<i32>) {
//|   %cst_7_i32 = constant <i32: 7> : tile<i32>
//|   %cst_8_i32 = constant <i32: 8> : tile<i32>
//|   %assume = assume bounded<0, 7>, %arg1 : tile<i32>
//|   %cst_7_i32_0 = constant <i32: 7> : tile<i32>
//|   %0 = muli %arg1, %cst_8_i32 : tile<i32>
//|   %cst_0_i32 = constant <i32: 0> : tile<i32>
//|   %cst_3_i32 = constant <i32: 3> : tile<i32>
//|   %1 = shri %0, %cst_3_i32 signed : tile<i32>
//|   %cst_0_i32_1 = constant <i32: 0> : tile<i32>
//|   %2 = divi %arg1, %cst_8_i32 signed : tile<i32>
//|   %cst_3_i32_2 = constant <i32: 3> : tile<i32>
//|   %3 = shri %arg1, %cst_3_i32_2 signed : tile<i32>
//|   %4 = remi %arg1, %cst_8_i32 signed : tile<i32>
//|   %5 = print_tko "%d %d %d %d %d %d %d %d %d", %cst_7_i32_0, %assume, %assume, %cst_0_i32, %1, %cst_0_i32_1, %2, %3, %4 : tile<i32>, tile<i32>, tile<i32>, tile<i32>, tile<i32>, tile<i32>, tile<i32>, tile<i32>, tile<i32> -> token
//|   return
//| }

// What is proven is neither promised nor checked: by another promise, by a branch, by the bounds of a loop.
entry @promises(%p: tile<ptr<i32>>, %n: tile<i32>) {
  %zero = constant <i32: 0> : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  %ten = constant <i32: 10> : tile<i32>
  %q = assume div_by<16>, %p : tile<ptr<i32>>
  %r = assume div_by<8>, %q : tile<ptr<i32>>
  %c = cmpi less_than %n, %ten, signed : tile<i32> -> tile<i1>
  if %c {
    %d = cmpi less_than_or_equal %n, %ten, signed : tile<i32> -> tile<i1>
    assert %d, "at most ten" : tile<i1>
    %m = assume bounded<?, 9>, %n : tile<i32>
    %o = assume bounded<0, 9>, %n : tile<i32>
    %t = store_ptr_tko weak %r, %m : tile<ptr<i32>>, tile<i32> -> token
    %u = store_ptr_tko weak %r, %o token = %t : tile<ptr<i32>>, tile<i32> -> token
  }
  for %i in (%zero to %ten, step %one) : tile<i32> {
    %e = cmpi greater_than_or_equal %i, %zero, signed : tile<i32> -> tile<i1>
    assert %e, "not negative" : tile<i1>
    %f = cmpi greater_than %i, %zero, signed : tile<i32> -> tile<i1>
    assert %f, "positive" : tile<i1>
  }
  return
}
//| entry @promises(%arg0: tile<ptr<i32>>, %arg1: tile<i32>) {
//|   %cst_0_i32 = constant <i32: 0> : tile<i32>
//|   %cst_1_i32 = constant <i32: 1> : tile<i32>
//|   %cst_10_i32 = constant <i32: 10> : tile<i32>
//|   %assume = assume div_by<16>, %arg0 : tile<ptr<i32>>
//|   %0 = cmpi less_than %arg1, %cst_10_i32, signed : tile<i32> -> tile<i1>
//|   if %0 {
//|     %true = constant <i1: true> : tile<i1>
//|     %assume_0 = assume bounded<0, 9>, %arg1 : tile<i32>
//|     %1 = store_ptr_tko weak %assume, %arg1 : tile<ptr<i32>>, tile<i32> -> token
//|     %2 = store_ptr_tko weak %assume, %assume_0 token=%1 : tile<ptr<i32>>, tile<i32> -> token
//|   }
//|   for %loopIdx in (%cst_0_i32 to %cst_10_i32, step %cst_1_i32) : tile<i32> {
//|     %true = constant <i1: true> : tile<i1>
//|     %1 = cmpi greater_than %loopIdx, %cst_0_i32, signed : tile<i32> -> tile<i1>
//|     assert %1, "positive" : tile<i1>
//|   }
//|   return
//| }

// What both branches give, if it is one number.
entry @results(%p: tile<ptr<i32>>, %n: tile<i32>, %c: tile<i1>) {
  %k = assume bounded<0, 3>, %n : tile<i32>
  %four = constant <i32: 4> : tile<i32>
  %a = if %c -> (tile<i32>) {
    %x = divi %k, %four signed : tile<i32>
    yield %x : tile<i32>
  } else {
    %y = subi %k, %k : tile<i32>
    %z = muli %y, %n : tile<i32>
    yield %z : tile<i32>
  }
  %t = store_ptr_tko weak %p, %a : tile<ptr<i32>>, tile<i32> -> token
  return
}
//| entry @results(%arg0: tile<ptr<i32>>, %arg1: tile<i32>, %arg2: tile<i1>) {
//|   %assume = assume bounded<0, 3>, %arg1 : tile<i32>
//|   %cst_4_i32 = constant <i32: 4> : tile<i32>
//|   %0 = if %arg2 -> (tile<i32>) {
//|     %cst_0_i32 = constant <i32: 0> : tile<i32>
//|     yield %cst_0_i32 : tile<i32>
//|   } else {
//|     %2 = subi %assume, %assume : tile<i32>
//|     %3 = muli %2, %arg1 : tile<i32>
//|     yield %3 : tile<i32>
//|   }
//|   %1 = store_ptr_tko weak %arg0, %0 : tile<ptr<i32>>, tile<i32> -> token
//|   return
//| }
