// passes: cse

// Equal operations are one; operands of commutative operations may be exchanged, and those of a comparison with its predicate.
entry @equal(%p: tile<ptr<i32>>, %n: tile<i32>, %m: tile<i32>) {
  %a = addi %n, %m : tile<i32>
  %b = addi %m, %n : tile<i32>
  %c = subi %n, %m : tile<i32>
  %d = subi %m, %n : tile<i32>
  %e = cmpi less_than %n, %m, signed : tile<i32> -> tile<i1>
  %f = cmpi greater_than %m, %n, signed : tile<i32> -> tile<i1>
  %g = cmpi less_than %n, %m, unsigned : tile<i32> -> tile<i1>
  %t = print_tko "%d %d %d %d %d %d %d", %a, %b, %c, %d, %e, %f, %g : tile<i32>, tile<i32>, tile<i32>, tile<i32>, tile<i1>, tile<i1>, tile<i1> -> token
  return
}
//| entry @equal(%arg0: tile<ptr<i32>>, %arg1: tile<i32>, %arg2: tile<i32>) {
//|   %0 = addi %arg1, %arg2 : tile<i32>
//|   %1 = subi %arg1, %arg2 : tile<i32>
//|   %2 = subi %arg2, %arg1 : tile<i32>
//|   %3 = cmpi less_than %arg1, %arg2, signed : tile<i32> -> tile<i1>
//|   %4 = cmpi less_than %arg1, %arg2, unsigned : tile<i32> -> tile<i1>
//|   %5 = print_tko "%d %d %d %d %d %d %d", %0, %0, %1, %2, %3, %3, %4 : tile<i32>, tile<i32>, tile<i32>, tile<i32>, tile<i1>, tile<i1>, tile<i1> -> token
//|   return
//| }

// Constants are equal if their elements are.
entry @constants() {
  %a = constant <i32: [1, 2]> : tile<2xi32>
  %b = constant <i32: [1, 2]> : tile<2xi32>
  %c = constant <i32: [2, 1]> : tile<2xi32>
  %t = print_tko "%d %d %d", %a, %b, %c : tile<2xi32>, tile<2xi32>, tile<2xi32> -> token
  return
}
//| entry @constants() {
//|   %cst_i32 = constant <i32: [1, 2]> : tile<2xi32>
//|   %cst_i32_0 = constant <i32: [2, 1]> : tile<2xi32>
//|   %0 = print_tko "%d %d %d", %cst_i32, %cst_i32, %cst_i32_0 : tile<2xi32>, tile<2xi32>, tile<2xi32> -> token
//|   return
//| }

// What both promise of overflow stays promised.
entry @promises(%n: tile<i32>, %m: tile<i32>) {
  %a = addi %n, %m overflow<no_wrap> : tile<i32>
  %b = addi %n, %m overflow<no_signed_wrap> : tile<i32>
  %c = muli %n, %m overflow<no_signed_wrap> : tile<i32>
  %d = muli %n, %m overflow<no_unsigned_wrap> : tile<i32>
  %t = print_tko "%d %d %d %d", %a, %b, %c, %d : tile<i32>, tile<i32>, tile<i32>, tile<i32> -> token
  return
}
//| entry @promises(%arg0: tile<i32>, %arg1: tile<i32>) {
//|   %0 = addi %arg0, %arg1 overflow<no_signed_wrap> : tile<i32>
//|   %1 = muli %arg0, %arg1 : tile<i32>
//|   %2 = print_tko "%d %d %d %d", %0, %0, %1, %1 : tile<i32>, tile<i32>, tile<i32>, tile<i32> -> token
//|   return
//| }

// What a branch computes is known in it only; what stands before it is known in it, too.
entry @regions(%c: tile<i1>, %n: tile<i32>) {
  %a = addi %n, %n : tile<i32>
  %r = if %c -> (tile<i32>) {
    %b = addi %n, %n : tile<i32>
    %d = muli %b, %b : tile<i32>
    yield %d : tile<i32>
  } else {
    %e = muli %a, %a : tile<i32>
    yield %e : tile<i32>
  }
  %f = muli %a, %a : tile<i32>
  %t = print_tko "%d %d", %r, %f : tile<i32>, tile<i32> -> token
  return
}
//| entry @regions(%arg0: tile<i1>, %arg1: tile<i32>) {
//|   %0 = addi %arg1, %arg1 : tile<i32>
//|   %1 = if %arg0 -> (tile<i32>) {
//|     %4 = muli %0, %0 : tile<i32>
//|     yield %4 : tile<i32>
//|   } else {
//|     %4 = muli %0, %0 : tile<i32>
//|     yield %4 : tile<i32>
//|   }
//|   %2 = muli %0, %0 : tile<i32>
//|   %3 = print_tko "%d %d", %1, %2 : tile<i32>, tile<i32> -> token
//|   return
//| }

// Loads are not one: something may have stored between them.
entry @loads(%p: tile<ptr<i32>>) {
  %a, %t1 = load_ptr_tko weak %p : tile<ptr<i32>> -> tile<i32>, token
  %b, %t2 = load_ptr_tko weak %p : tile<ptr<i32>> -> tile<i32>, token
  %t = print_tko "%d %d", %a, %b : tile<i32>, tile<i32> -> token
  return
}
//| entry @loads(%arg0: tile<ptr<i32>>) {
//|   %result, %result_token = load_ptr_tko weak %arg0 : tile<ptr<i32>> -> tile<i32>, token
//|   %result_0, %result_token_1 = load_ptr_tko weak %arg0 : tile<ptr<i32>> -> tile<i32>, token
//|   %0 = print_tko "%d %d", %result, %result_0 : tile<i32>, tile<i32> -> token
//|   return
//| }

// Reductions are equal if their regions are.
entry @reductions(%p: tile<ptr<f32>>, %x: tile<f32>) {
  %r = reshape %x : tile<f32> -> tile<1xf32>
  %xs = broadcast %r : tile<1xf32> -> tile<8xf32>
  %s = reduce %xs dim=0 identities=[0.0 : f32] : tile<8xf32> -> tile<f32>
  (%a: tile<f32>, %b: tile<f32>) {
    %c = addf %a, %b : tile<f32>
    yield %c : tile<f32>
  }
  %t = reduce %xs dim=0 identities=[0.0 : f32] : tile<8xf32> -> tile<f32>
  (%a: tile<f32>, %b: tile<f32>) {
    %c = addf %a, %b : tile<f32>
    yield %c : tile<f32>
  }
  %u = reduce %xs dim=0 identities=[0.0 : f32] : tile<8xf32> -> tile<f32>
  (%a: tile<f32>, %b: tile<f32>) {
    %c = addf %b, %b : tile<f32>
    yield %c : tile<f32>
  }
  %v = addf %s, %t : tile<f32>
  %w = addf %v, %u : tile<f32>
  %k = store_ptr_tko weak %p, %w : tile<ptr<f32>>, tile<f32> -> token
  return
}
//| entry @reductions(%arg0: tile<ptr<f32>>, %arg1: tile<f32>) {
//|   %reshape = reshape %arg1 : tile<f32> -> tile<1xf32>
//|   %bcast = broadcast %reshape : tile<1xf32> -> tile<8xf32>
//|   %reduce = reduce %bcast dim=0 identities=[0.000000e+00 : f32] : tile<8xf32> -> tile<f32>
//|   (%reduce_lhs: tile<f32>, %reduce_rhs: tile<f32>) {
//|     %3 = addf %reduce_lhs, %reduce_rhs  : tile<f32>
//|     yield %3 : tile<f32>
//|   }
//|   %reduce_0 = reduce %bcast dim=0 identities=[0.000000e+00 : f32] : tile<8xf32> -> tile<f32>
//|   (%reduce_lhs: tile<f32>, %reduce_rhs: tile<f32>) {
//|     %3 = addf %reduce_rhs, %reduce_rhs  : tile<f32>
//|     yield %3 : tile<f32>
//|   }
//|   %0 = addf %reduce, %reduce  : tile<f32>
//|   %1 = addf %0, %reduce_0  : tile<f32>
//|   %2 = store_ptr_tko weak %arg0, %1 : tile<ptr<f32>>, tile<f32> -> token
//|   return
//| }

// A difference of floats, and a quotient, are other ones with their operands exchanged; a sum is not.
entry @exchanged(%x: tile<f32>, %y: tile<f32>) {
  %a = subf %x, %y : tile<f32>
  %b = subf %y, %x : tile<f32>
  %c = divf %x, %y : tile<f32>
  %d = divf %y, %x : tile<f32>
  %e = addf %x, %y : tile<f32>
  %f = addf %y, %x : tile<f32>
  print_tko "%f %f %f %f %f %f", %a, %b, %c, %d, %e, %f : tile<f32>, tile<f32>, tile<f32>, tile<f32>, tile<f32>, tile<f32> -> token
  return
}
//| entry @exchanged(%arg0: tile<f32>, %arg1: tile<f32>) {
//|   %0 = subf %arg0, %arg1  : tile<f32>
//|   %1 = subf %arg1, %arg0  : tile<f32>
//|   %2 = divf %arg0, %arg1  : tile<f32>
//|   %3 = divf %arg1, %arg0  : tile<f32>
//|   %4 = addf %arg0, %arg1  : tile<f32>
//|   %5 = print_tko "%f %f %f %f %f %f", %0, %1, %2, %3, %4, %4 : tile<f32>, tile<f32>, tile<f32>, tile<f32>, tile<f32>, tile<f32> -> token
//|   return
//| }
