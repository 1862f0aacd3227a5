// passes: canonicalize

// Constants are folded with the arithmetic that the engine runs: integers wrap, floats are rounded once.
entry @constants() {
  %a = constant <i8: 100> : tile<i8>
  %b = constant <i8: 50> : tile<i8>
  %sum = addi %a, %b : tile<i8>
  %c = constant <f32: 1.0> : tile<4xf32>
  %d = constant <f32: 3.0> : tile<4xf32>
  %third = divf %c, %d rounding<positive_inf> : tile<4xf32>
  %e = constant <i32: [1, 2, 3, 4]> : tile<4xi32>
  %f = constant <i32: 7> : tile<4xi32>
  %product = muli %e, %f : tile<4xi32>
  %g = reshape %product : tile<4xi32> -> tile<2x2xi32>
  %t = print_tko "%d %f %d", %sum, %third, %g : tile<i8>, tile<4xf32>, tile<2x2xi32> -> token
  return
}
//| entry @constants() {
//|   %cst_-106_i8 = constant <i8: -106> : tile<i8>
//|   %cst_f32 = constant <f32: 0.333333343> : tile<4xf32>
//|   %cst_i32 = constant <i32: [[7, 14], [21, 28]]> : tile<2x2xi32>
//|   %0 = print_tko "%d %f %d", %cst_-106_i8, %cst_f32, %cst_i32 : tile<i8>, tile<4xf32>, tile<2x2xi32> -> token
//|   return
//| }

// What is not defined is not folded, nor a NaN, of whose bits nothing is promised.
entry @undefined() {
  %zero = constant <i32: 0> : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  %a = divi %one, %zero signed : tile<i32>
  %b = constant <i32: 32> : tile<i32>
  %c = shli %one, %b : tile<i32>
  %d = constant <f32: 0.0> : tile<f32>
  %e = divf %d, %d : tile<f32>
  %t = print_tko "%d %d %f", %a, %c, %e : tile<i32>, tile<i32>, tile<f32> -> token
  return
}
//| entry @undefined() {
//|   %cst_0_i32 = constant <i32: 0> : tile<i32>
//|   %cst_1_i32 = constant <i32: 1> : tile<i32>
//|   %0 = divi %cst_1_i32, %cst_0_i32 signed : tile<i32>
//|   %cst_32_i32 = constant <i32: 32> : tile<i32>
//|   %1 = shli %cst_1_i32, %cst_32_i32 : tile<i32>
//|   %cst_0_f32 = constant <f32: 0.000000e+00> : tile<f32>
//|   %2 = divf %cst_0_f32, %cst_0_f32  : tile<f32>
//|   %3 = print_tko "%d %d %f", %0, %1, %2 : tile<i32>, tile<i32>, tile<f32> -> token
//|   return
//| }

// Numbers that change nothing.
entry @identities(%n: tile<i32>, %x: tile<f32>) {
  %zero = constant <i32: 0> : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  %ones = constant <i32: -1> : tile<i32>
  %a = addi %zero, %n : tile<i32>
  %b = muli %one, %a : tile<i32>
  %c = subi %b, %zero : tile<i32>
  %d = divi %c, %one signed : tile<i32>
  %e = andi %d, %ones : tile<i32>
  %f = ori %e, %e : tile<i32>
  %g = subi %f, %n : tile<i32>
  %h = remi %n, %one signed : tile<i32>
  %m = maxi %n, %n signed : tile<i32>
  %negative = negi %m : tile<i32>
  %positive = negi %negative : tile<i32>
  %minus_zero = constant <f32: -0.0> : tile<f32>
  %fone = constant <f32: 1.0> : tile<f32>
  %y = addf %x, %minus_zero : tile<f32>
  %z = mulf %y, %fone : tile<f32>
  %t = print_tko "%d %d %d %d %f", %f, %g, %h, %positive, %z : tile<i32>, tile<i32>, tile<i32>, tile<i32>, tile<f32> -> token
  return
}
//| entry @identities(%arg0: tile<i32>, %arg1: tile<f32>) {
//|   %cst_0_i32 = constant <i32: 0> : tile<i32>
//|   %cst_0_i32_0 = constant <i32: 0> : tile<i32>
//|   %0 = print_tko "%d %d %d %d %f", %arg0, %cst_0_i32, %cst_0_i32_0, %arg0, %arg1 : tile<i32>, tile<i32>, tile<i32>, tile<i32>, tile<f32> -> token
//|   return
//| }

// Numbers that change something: +0 makes -0 +0, -0 does so rounded down, and 1 flushes.
entry @no_identities(%x: tile<f32>) {
  %zero = constant <f32: 0.0> : tile<f32>
  %minus_zero = constant <f32: -0.0> : tile<f32>
  %one = constant <f32: 1.0> : tile<f32>
  %a = addf %x, %zero : tile<f32>
  %b = addf %x, %minus_zero rounding<negative_inf> : tile<f32>
  %c = mulf %x, %one flush_to_zero : tile<f32>
  %d = mulf %x, %zero : tile<f32>
  %e = subf %x, %x : tile<f32>
  %t = print_tko "%f %f %f %f %f", %a, %b, %c, %d, %e : tile<f32>, tile<f32>, tile<f32>, tile<f32>, tile<f32> -> token
  return
}
//| entry @no_identities(%arg0: tile<f32>) {
//|   %cst_0_f32 = constant <f32: 0.000000e+00> : tile<f32>
//|   %cst_f32 = constant <f32: -0.000000e+00> : tile<f32>
//|   %cst_1_f32 = constant <f32: 1.000000e+00> : tile<f32>
//|   %0 = addf %arg0, %cst_0_f32  : tile<f32>
//|   %1 = addf %arg0, %cst_f32 rounding<negative_inf> : tile<f32>
//|   %2 = mulf %arg0, %cst_1_f32  flush_to_zero : tile<f32>
//|   %3 = mulf %arg0, %cst_0_f32  : tile<f32>
//|   %4 = subf %arg0, %arg0  : tile<f32>
//|   %5 = print_tko "%f %f %f %f %f", %0, %1, %2, %3, %4 : tile<f32>, tile<f32>, tile<f32>, tile<f32>, tile<f32> -> token
//|   return
//| }

// Constants go to the right and meet there; sums begin with products.
entry @order(%n: tile<i32>, %x: tile<f32>) {
  %three = constant <i32: 3> : tile<i32>
  %five = constant <i32: 5> : tile<i32>
  %a = addi %three, %n overflow<no_signed_wrap> : tile<i32>
  %b = addi %a, %five overflow<no_signed_wrap> : tile<i32>
  %c = cmpi less_than %three, %b, signed : tile<i32> -> tile<i1>
  %y = mulf %x, %x : tile<f32>
  %z = addf %x, %y : tile<f32>
  %t = print_tko "%d %d %f", %b, %c, %z : tile<i32>, tile<i1>, tile<f32> -> token
  return
}
//| entry @order(%arg0: tile<i32>, %arg1: tile<f32>) {
//|   %cst_3_i32 = constant <i32: 3> : tile<i32>
//|   %cst_8_i32 = constant <i32: 8> : tile<i32>
//|   %0 = addi %arg0, %cst_8_i32 : tile<i32>
//|   %1 = cmpi greater_than %0, %cst_3_i32, signed : tile<i32> -> tile<i1>
//|   %2 = mulf %arg1, %arg1  : tile<f32>
//|   %3 = addf %2, %arg1  : tile<f32>
//|   %4 = print_tko "%d %d %f", %0, %1, %3 : tile<i32>, tile<i1>, tile<f32> -> token
//|   return
//| }

// Comparisons.
entry @compare(%n: tile<i32>, %m: tile<i32>) {
  %zero = constant <i32: 0> : tile<i32>
  %true = constant <i1: true> : tile<i1>
  %a = cmpi less_than_or_equal %n, %n, signed : tile<i32> -> tile<i1>
  %b = cmpi less_than %n, %zero, unsigned : tile<i32> -> tile<i1>
  %c = cmpi less_than %n, %m, signed : tile<i32> -> tile<i1>
  %d = xori %c, %true : tile<i1>
  %e = exti %n signed : tile<i32> -> tile<i64>
  %f = exti %m signed : tile<i32> -> tile<i64>
  %g = cmpi less_than %e, %f, signed : tile<i64> -> tile<i1>
  %ten = constant <i64: 10> : tile<i64>
  %h = cmpi less_than %e, %ten, signed : tile<i64> -> tile<i1>
  %large = constant <i64: 10000000000> : tile<i64>
  %i = cmpi less_than %e, %large, signed : tile<i64> -> tile<i1>
  %t = print_tko "%d %d %d %d %d %d", %a, %b, %d, %g, %h, %i : tile<i1>, tile<i1>, tile<i1>, tile<i1>, tile<i1>, tile<i1> -> token
  return
}
//| entry @compare(%arg0: tile<i32>, %arg1: tile<i32>) {
//|   %true = constant <i1: true> : tile<i1>
//|   %false = constant <i1: false> : tile<i1>
//|   %0 = cmpi greater_than_or_equal %arg0, %arg1, signed : tile<i32> -> tile<i1>
//|   %1 = exti %arg0 signed : tile<i32> -> tile<i64>
//|   %2 = cmpi less_than %arg0, %arg1, signed : tile<i32> -> tile<i1>
//|   %cst_10_i32 = constant <i32: 10> : tile<i32>
//|   %3 = cmpi less_than %arg0, %cst_10_i32, signed : tile<i32> -> tile<i1>
//|   %cst_10000000000_i64 = constant <i64: 10000000000> : tile<i64>
//|   %4 = cmpi less_than %1, %cst_10000000000_i64, signed : tile<i64> -> tile<i1>
//|   %5 = print_tko "%d %d %d %d %d %d", %true, %false, %0, %2, %3, %4 : tile<i1>, tile<i1>, tile<i1>, tile<i1>, tile<i1>, tile<i1> -> token
//|   return
//| }

// Selections.
entry @select(%c: tile<i1>, %n: tile<i32>, %m: tile<i32>) {
  %true = constant <i1: true> : tile<i1>
  %false = constant <i1: false> : tile<i1>
  %a = select %true, %n, %m : tile<i1>, tile<i32>
  %b = select %c, %n, %n : tile<i1>, tile<i32>
  %d = select %c, %true, %false : tile<i1>, tile<i1>
  %e = select %c, %false, %true : tile<i1>, tile<i1>
  %f = select %e, %n, %m : tile<i1>, tile<i32>
  %t = print_tko "%d %d %d %d %d", %a, %b, %d, %e, %f : tile<i32>, tile<i32>, tile<i1>, tile<i1>, tile<i32> -> token
  return
}
//| entry @select(%arg0: tile<i1>, %arg1: tile<i32>, %arg2: tile<i32>) {
//|   %true = constant <i1: true> : tile<i1>
//|   %0 = xori %arg0, %true : tile<i1>
//|   %1 = select %arg0, %arg2, %arg1 : tile<i1>, tile<i32>
//|   %2 = print_tko "%d %d %d %d %d", %arg1, %arg1, %arg0, %0, %1 : tile<i32>, tile<i32>, tile<i1>, tile<i1>, tile<i32> -> token
//|   return
//| }

// Conversions and moved elements.
entry @conversions(%n: tile<i16>, %p: tile<ptr<i8>>) {
  %numbers = iota : tile<8xi32>
  %x = reshape %numbers : tile<8xi32> -> tile<2x4xi32>
  %a = exti %n unsigned : tile<i16> -> tile<i32>
  %b = exti %a signed : tile<i32> -> tile<i64>
  %c = trunci %b : tile<i64> -> tile<i16>
  %d = trunci %b : tile<i64> -> tile<i8>
  %e = permute %x [1, 0] : tile<2x4xi32> -> tile<4x2xi32>
  %f = permute %e [1, 0] : tile<4x2xi32> -> tile<2x4xi32>
  %g = reshape %f : tile<2x4xi32> -> tile<8xi32>
  %h = reshape %g : tile<8xi32> -> tile<4x2xi32>
  %i = ptr_to_int %p : tile<ptr<i8>> -> tile<i64>
  %j = int_to_ptr %i : tile<i64> -> tile<ptr<i8>>
  %zero = constant <i32: 0> : tile<i32>
  %k = offset %j, %zero : tile<ptr<i8>>, tile<i32> -> tile<ptr<i8>>
  %t = print_tko "%d %d %d %d %d %p", %b, %c, %d, %e, %h, %k : tile<i64>, tile<i16>, tile<i8>, tile<4x2xi32>, tile<4x2xi32>, tile<ptr<i8>> -> token
  return
}
//| entry @conversions(%arg0: tile<i16>, %arg1: tile<ptr<i8>>) {
//|   %0 = iota : tile<8xi32>
//|   %reshape = reshape %0 : tile<8xi32> -> tile<2x4xi32>
//|   %1 = exti %arg0 unsigned : tile<i16> -> tile<i64>
//|   %2 = trunci %arg0 : tile<i16> -> tile<i8>
//|   %3 = permute %reshape [1, 0] : tile<2x4xi32> -> tile<4x2xi32>
//|   %reshape_0 = reshape %0 : tile<8xi32> -> tile<4x2xi32>
//|   %4 = print_tko "%d %d %d %d %d %p", %1, %arg0, %2, %3, %reshape_0, %arg1 : tile<i64>, tile<i16>, tile<i8>, tile<4x2xi32>, tile<4x2xi32>, tile<ptr<i8>> -> token
//|   return
//| }

// Extents of views.
entry @extents(%p: tile<ptr<f32>>, %n: tile<i32>) {
  %view = make_tensor_view %p, shape = [%n, 10], strides = [10, 1] : tile<i32> -> tensor_view<?x10xf32, strides=[10,1]>
  %a, %b = get_tensor_shape %view : tensor_view<?x10xf32, strides=[10,1]> -> tile<i64>
  %tiles = make_partition_view %view : partition_view<tile=(4x4), tensor_view<?x10xf32, strides=[10,1]>>
  %c, %d = get_index_space_shape %tiles : partition_view<tile=(4x4), tensor_view<?x10xf32, strides=[10,1]>> -> tile<i32>
  %t = print_tko "%d %d %d %d", %a, %b, %c, %d : tile<i64>, tile<i64>, tile<i32>, tile<i32> -> token
  return
}
//| entry @extents(%arg0: tile<ptr<f32>>, %arg1: tile<i32>) {
//|   %tview = make_tensor_view %arg0, shape = [%arg1, 10], strides = [10, 1] : tile<i32> -> tensor_view<?x10xf32, strides=[10,1]>
//|   %0 = exti %arg1 unsigned : tile<i32> -> tile<i64>
//|   %cst_10_i64 = constant <i64: 10> : tile<i64>
//|   %pview = make_partition_view %tview : partition_view<tile=(4x4), tensor_view<?x10xf32, strides=[10,1]>>
//|   %cst_3_i32 = constant <i32: 3> : tile<i32>
//|   %1:2 = get_index_space_shape %pview : partition_view<tile=(4x4), tensor_view<?x10xf32, strides=[10,1]>> -> tile<i32>
//|   %2 = print_tko "%d %d %d %d", %0, %cst_10_i64, %1#0, %cst_3_i32 : tile<i64>, tile<i64>, tile<i32>, tile<i32> -> token
//|   return
//| }

// Tokens that order nothing, or the same twice.
entry @tokens(%p: tile<ptr<i32>>, %n: tile<i32>) {
  %t0 = make_token : token
  %t1 = store_ptr_tko weak %p, %n : tile<ptr<i32>>, tile<i32> -> token
  %t2 = join_tokens %t0, %t1, %t1 : token
  %t3 = store_ptr_tko weak %p, %n token=%t2 : tile<ptr<i32>>, tile<i32> -> token
  return
}
//| entry @tokens(%arg0: tile<ptr<i32>>, %arg1: tile<i32>) {
//|   %0 = store_ptr_tko weak %arg0, %arg1 : tile<ptr<i32>>, tile<i32> -> token
//|   %1 = store_ptr_tko weak %arg0, %arg1 token=%0 : tile<ptr<i32>>, tile<i32> -> token
//|   return
//| }

// A branch that is always taken, and one that returns.
entry @taken(%p: tile<ptr<i32>>, %n: tile<i32>) {
  %true = constant <i1: true> : tile<i1>
  %a = if %true -> (tile<i32>) {
    %x = addi %n, %n : tile<i32>
    yield %x : tile<i32>
  } else {
    yield %n : tile<i32>
  }
  %t1 = store_ptr_tko weak %p, %a : tile<ptr<i32>>, tile<i32> -> token
  if %true {
    return
  }
  %t2 = store_ptr_tko weak %p, %n : tile<ptr<i32>>, tile<i32> -> token
  return
}
//| entry @taken(%arg0: tile<ptr<i32>>, %arg1: tile<i32>) {
//|   %0 = addi %arg1, %arg1 : tile<i32>
//|   %1 = store_ptr_tko weak %arg0, %0 : tile<ptr<i32>>, tile<i32> -> token
//|   return
//| }

// Results that are known outside; an opposite condition; a branch that leaves.
entry @results(%p: tile<ptr<i32>>, %c: tile<i1>, %n: tile<i32>, %m: tile<i32>) {
  %true = constant <i1: true> : tile<i1>
  %not = xori %c, %true : tile<i1>
  %a, %b, %d = if %not -> (tile<i32>, tile<i32>, tile<i32>) {
    %x = addi %n, %m : tile<i32>
    yield %n, %m, %x : tile<i32>, tile<i32>, tile<i32>
  } else {
    yield %n, %n, %m : tile<i32>, tile<i32>, tile<i32>
  }
  %e = if %c -> (tile<i32>) {
    return
  } else {
    yield %m : tile<i32>
  }
  %t = print_tko "%d %d %d %d", %a, %b, %d, %e : tile<i32>, tile<i32>, tile<i32>, tile<i32> -> token
  return
}
//| entry @results(%arg0: tile<ptr<i32>>, %arg1: tile<i1>, %arg2: tile<i32>, %arg3: tile<i32>) {
//|   %0 = select %arg1, %arg2, %arg3 : tile<i1>, tile<i32>
//|   %1 = if %arg1 -> (tile<i32>) {
//|     return
//|   } else {
//|     %3 = addi %arg2, %arg3 : tile<i32>
//|     yield %3 : tile<i32>
//|   }
//|   %2 = print_tko "%d %d %d %d", %arg2, %0, %1, %arg3 : tile<i32>, tile<i32>, tile<i32>, tile<i32> -> token
//|   return
//| }

// Loops that run once or never, and a value that no iteration changes.
entry @loops(%n: tile<i32>, %m: tile<i32>) {
  %zero = constant <i32: 0> : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  %a = for %i in (%zero to %one, step %one) : tile<i32> iter_values(%x = %n) -> (tile<i32>) {
    %y = muli %x, %m : tile<i32>
    continue %y : tile<i32>
  }
  %b = for %i in (%one to %zero, step %one) : tile<i32> iter_values(%x = %n) -> (tile<i32>) {
    %y = muli %x, %m : tile<i32>
    continue %y : tile<i32>
  }
  %c, %d = for %i in (%zero to %n, step %one) : tile<i32> iter_values(%x = %n, %y = %m) -> (tile<i32>, tile<i32>) {
    %z = muli %x, %y : tile<i32>
    continue %z, %y : tile<i32>, tile<i32>
  }
  %e = loop iter_values(%x = %n) : tile<i32> -> tile<i32> {
    %z = muli %x, %m : tile<i32>
    break %z : tile<i32>
  }
  %t = print_tko "%d %d %d %d %d", %a, %b, %c, %d, %e : tile<i32>, tile<i32>, tile<i32>, tile<i32>, tile<i32> -> token
  return
}
//| entry @loops(%arg0: tile<i32>, %arg1: tile<i32>) {
//|   %cst_0_i32 = constant <i32: 0> : tile<i32>
//|   %cst_1_i32 = constant <i32: 1> : tile<i32>
//|   %0 = muli %arg0, %arg1 : tile<i32>
//|   %for:2 = for %loopIdx in (%cst_0_i32 to %arg0, step %cst_1_i32) : tile<i32> iter_values(%iterArg0 = %arg0, %iterArg1 = %arg1) -> (tile<i32>, tile<i32>) {
//|     %3 = muli %iterArg0, %arg1 : tile<i32>
//|     continue %3, %arg1 : tile<i32>, tile<i32>
//|   }
//|   %1 = muli %arg0, %arg1 : tile<i32>
//|   %2 = print_tko "%d %d %d %d %d", %0, %arg0, %for#0, %arg1, %1 : tile<i32>, tile<i32>, tile<i32>, tile<i32>, tile<i32> -> token
//|   return
//| }

// Numbers that are moved after they were extended are compared, and added to pointers, before: here 64 positions below an end.
entry @extended(%p: tile<ptr<i32>>, %y: tile<i32>, %n: tile<i32>) {
  %x = reshape %y : tile<i32> -> tile<1xi32>
  %i = iota : tile<64xi32>
  %e = exti %i signed : tile<64xi32> -> tile<64xi64>
  %n0 = exti %n signed : tile<i32> -> tile<i64>
  %n1 = reshape %n0 : tile<i64> -> tile<1xi64>
  %n2 = broadcast %n1 : tile<1xi64> -> tile<64xi64>
  %m = cmpi less_than %e, %n2, unsigned : tile<64xi64> -> tile<64xi1>
  %one = constant <i64: 1> : tile<64xi64>
  %o = muli %e, %one : tile<64xi64>
  %p0 = reshape %p : tile<ptr<i32>> -> tile<1xptr<i32>>
  %p1 = broadcast %p0 : tile<1xptr<i32>> -> tile<64xptr<i32>>
  %q = offset %p1, %o : tile<64xptr<i32>>, tile<64xi64> -> tile<64xptr<i32>>
  %w = exti %x signed : tile<1xi32> -> tile<1xi64>
  %w1 = broadcast %w : tile<1xi64> -> tile<64xi64>
  %r = offset %q, %w1 : tile<64xptr<i32>>, tile<64xi64> -> tile<64xptr<i32>>
  %t = store_ptr_tko weak %r, %i, %m : tile<64xptr<i32>>, tile<64xi32>, tile<64xi1> -> token
  return
}
//| entry @extended(%arg0: tile<ptr<i32>>, %arg1: tile<i32>, %arg2: tile<i32>) {
//|   %reshape = reshape %arg1 : tile<i32> -> tile<1xi32>
//|   %0 = iota : tile<64xi32>
//|   %reshape_0 = reshape %arg2 : tile<i32> -> tile<1xi32>
//|   %bcast = broadcast %reshape_0 : tile<1xi32> -> tile<64xi32>
//|   %1 = cmpi less_than %0, %bcast, unsigned : tile<64xi32> -> tile<64xi1>
//|   %reshape_1 = reshape %arg0 : tile<ptr<i32>> -> tile<1xptr<i32>>
//|   %bcast_2 = broadcast %reshape_1 : tile<1xptr<i32>> -> tile<64xptr<i32>>
//|   %2 = offset %bcast_2, %0 : tile<64xptr<i32>>, tile<64xi32> -> tile<64xptr<i32>>
//|   %bcast_3 = broadcast %reshape : tile<1xi32> -> tile<64xi32>
//|   %3 = offset %2, %bcast_3 : tile<64xptr<i32>>, tile<64xi32> -> tile<64xptr<i32>>
//|   %4 = store_ptr_tko weak %3, %0, %1 : tile<64xptr<i32>>, tile<64xi32>, tile<64xi1> -> token
//|   return
//| }

// A carried value that one way on leaves alone and another one changes.
entry @ways_on(%p: tile<ptr<i32>>, %n: tile<i32>, %m: tile<i32>) {
  %zero = constant <i32: 0> : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  %s, %u = for %i in (%zero to %n, step %one) : tile<i32> iter_values(%a = %m, %b = %m) -> (tile<i32>, tile<i32>) {
    %first = cmpi equal %i, %zero, signed : tile<i32> -> tile<i1>
    if %first {
      continue %a, %b : tile<i32>, tile<i32>
    }
    %c = addi %a, %i : tile<i32>
    continue %c, %b : tile<i32>, tile<i32>
  }
  print_tko "%d %d", %s, %u : tile<i32>, tile<i32> -> token
  return
}
//| entry @ways_on(%arg0: tile<ptr<i32>>, %arg1: tile<i32>, %arg2: tile<i32>) {
//|   %cst_0_i32 = constant <i32: 0> : tile<i32>
//|   %cst_1_i32 = constant <i32: 1> : tile<i32>
//|   %for:2 = for %loopIdx in (%cst_0_i32 to %arg1, step %cst_1_i32) : tile<i32> iter_values(%iterArg0 = %arg2, %iterArg1 = %arg2) -> (tile<i32>, tile<i32>) {
//|     %1 = cmpi equal %loopIdx, %cst_0_i32, signed : tile<i32> -> tile<i1>
//|     if %1 {
//|       continue %iterArg0, %arg2 : tile<i32>, tile<i32>
//|     }
//|     %2 = addi %iterArg0, %loopIdx : tile<i32>
//|     continue %2, %arg2 : tile<i32>, tile<i32>
//|   }
//|   %0 = print_tko "%d %d", %for#0, %arg2 : tile<i32>, tile<i32> -> token
//|   return
//| }

// A number that was widened with its sign, and then without, is not one that was widened once.
entry @widened(%n: tile<i8>) {
  %a = exti %n signed : tile<i8> -> tile<i16>
  %b = exti %a unsigned : tile<i16> -> tile<i32>
  %c = exti %n unsigned : tile<i8> -> tile<i16>
  %d = exti %c signed : tile<i16> -> tile<i32>
  print_tko "%d %d", %b, %d : tile<i32>, tile<i32> -> token
  return
}
//| entry @widened(%arg0: tile<i8>) {
//|   %0 = exti %arg0 signed : tile<i8> -> tile<i16>
//|   %1 = exti %0 unsigned : tile<i16> -> tile<i32>
//|   %2 = exti %arg0 unsigned : tile<i8> -> tile<i32>
//|   %3 = print_tko "%d %d", %1, %2 : tile<i32>, tile<i32> -> token
//|   return
//| }

// Numbers of different types that were extended: the larger one decides, unless only the smaller one has a sign.
entry @compared(%y: tile<i8>, %h: tile<i16>, %w: tile<i32>) {
  %byte = exti %y unsigned : tile<i8> -> tile<i64>
  %signed_byte = exti %y signed : tile<i8> -> tile<i64>
  %word = exti %w signed : tile<i32> -> tile<i64>
  %half = exti %h unsigned : tile<i16> -> tile<i64>
  %signed_half = exti %h signed : tile<i16> -> tile<i64>
  %a = cmpi less_than %byte, %word, unsigned : tile<i64> -> tile<i1>
  %b = cmpi less_than %word, %signed_byte, signed : tile<i64> -> tile<i1>
  %c = cmpi less_than %half, %byte, signed : tile<i64> -> tile<i1>
  %d = cmpi less_than %half, %signed_byte, signed : tile<i64> -> tile<i1>
  %e = cmpi less_than %half, %signed_half, signed : tile<i64> -> tile<i1>
  %t = print_tko "%d %d %d %d %d", %a, %b, %c, %d, %e : tile<i1>, tile<i1>, tile<i1>, tile<i1>, tile<i1> -> token
  return
}
//| entry @compared(%arg0: tile<i8>, %arg1: tile<i16>, %arg2: tile<i32>) {
//|   %0 = exti %arg0 signed : tile<i8> -> tile<i64>
//|   %1 = exti %arg1 unsigned : tile<i16> -> tile<i64>
//|   %2 = exti %arg1 signed : tile<i16> -> tile<i64>
//|   %3 = exti %arg0 unsigned : tile<i8> -> tile<i32>
//|   %4 = cmpi less_than %3, %arg2, unsigned : tile<i32> -> tile<i1>
//|   %5 = exti %arg0 signed : tile<i8> -> tile<i32>
//|   %6 = cmpi less_than %arg2, %5, signed : tile<i32> -> tile<i1>
//|   %7 = exti %arg0 unsigned : tile<i8> -> tile<i16>
//|   %8 = cmpi less_than %arg1, %7, unsigned : tile<i16> -> tile<i1>
//|   %9 = cmpi less_than %1, %0, signed : tile<i64> -> tile<i1>
//|   %10 = cmpi less_than %1, %2, signed : tile<i64> -> tile<i1>
//|   %11 = print_tko "%d %d %d %d %d", %4, %6, %8, %9, %10 : tile<i1>, tile<i1>, tile<i1>, tile<i1>, tile<i1> -> token
//|   return
//| }
