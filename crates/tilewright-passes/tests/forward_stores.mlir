// passes: forward-stores

// A load after a store of the same place gives what was stored; its token is the one that it waits for.
entry @stored(%p: tile<ptr<f32>>, %n: tile<i32>, %x: tile<f32>) {
  %t0 = store_ptr_tko weak %p, %x : tile<ptr<f32>>, tile<f32> -> token
  %y, %t1 = load_ptr_tko weak %p token = %t0 : tile<ptr<f32>> -> tile<f32>, token
  %z = addf %y, %y : tile<f32>
  %t2 = store_ptr_tko weak %p, %z token = %t1 : tile<ptr<f32>>, tile<f32> -> token
  return
}
//| entry @stored(%arg0: tile<ptr<f32>>, %arg1: tile<i32>, %arg2: tile<f32>) {
//|   %0 = make_token : token
//|   %1 = addf %arg2, %arg2  : tile<f32>
//|   %2 = store_ptr_tko weak %arg0, %1 token=%0 : tile<ptr<f32>>, tile<f32> -> token
//|   return
//| }

// Without a token the load is not behind the store; two loads are equal whatever their tokens are.
entry @tokens(%p: tile<ptr<f32>>, %q: tile<ptr<f32>>, %x: tile<f32>) {
  %a, %t0 = load_ptr_tko weak %p : tile<ptr<f32>> -> tile<f32>, token
  %b, %t1 = load_ptr_tko weak %p : tile<ptr<f32>> -> tile<f32>, token
  %s = addf %a, %b : tile<f32>
  %j = join_tokens %t0, %t1 : token
  %t2 = store_ptr_tko weak %p, %s token = %j : tile<ptr<f32>>, tile<f32> -> token
  %c, %t3 = load_ptr_tko weak %p token = %j : tile<ptr<f32>> -> tile<f32>, token
  %t4 = store_ptr_tko weak %q, %c token = %t3 : tile<ptr<f32>>, tile<f32> -> token
  return
}
//| entry @tokens(%arg0: tile<ptr<f32>>, %arg1: tile<ptr<f32>>, %arg2: tile<f32>) {
//|   %result, %result_token = load_ptr_tko weak %arg0 : tile<ptr<f32>> -> tile<f32>, token
//|   %0 = make_token : token
//|   %1 = addf %result, %result  : tile<f32>
//|   %2 = join_tokens %result_token, %0 : token
//|   %3 = store_ptr_tko weak %arg0, %1 token=%2 : tile<ptr<f32>>, tile<f32> -> token
//|   %result_0, %result_token_1 = load_ptr_tko weak %arg0 token=%2 : tile<ptr<f32>> -> tile<f32>, token
//|   %4 = store_ptr_tko weak %arg1, %result_0 token=%result_token_1 : tile<ptr<f32>>, tile<f32> -> token
//|   return
//| }

// A store that may overlap ends what is known; one to another place does not.
entry @between(%p: tile<ptr<f32>>, %q: tile<ptr<f32>>, %x: tile<f32>) {
  %one = constant <i32: 1> : tile<i32>
  %near = offset %p, %one : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
  %t0 = store_ptr_tko weak %p, %x : tile<ptr<f32>>, tile<f32> -> token
  %t1 = store_ptr_tko weak %near, %x token = %t0 : tile<ptr<f32>>, tile<f32> -> token
  %a, %t2 = load_ptr_tko weak %p token = %t1 : tile<ptr<f32>> -> tile<f32>, token
  %b = addf %a, %a : tile<f32>
  %t3 = store_ptr_tko weak %q, %b token = %t2 : tile<ptr<f32>>, tile<f32> -> token
  %c, %t4 = load_ptr_tko weak %p token = %t3 : tile<ptr<f32>> -> tile<f32>, token
  %t5 = store_ptr_tko weak %near, %c token = %t4 : tile<ptr<f32>>, tile<f32> -> token
  return
}
//| entry @between(%arg0: tile<ptr<f32>>, %arg1: tile<ptr<f32>>, %arg2: tile<f32>) {
//|   %cst_1_i32 = constant <i32: 1> : tile<i32>
//|   %0 = offset %arg0, %cst_1_i32 : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
//|   %1 = store_ptr_tko weak %arg0, %arg2 : tile<ptr<f32>>, tile<f32> -> token
//|   %2 = addf %arg2, %arg2  : tile<f32>
//|   %3 = store_ptr_tko weak %arg1, %2 token=%1 : tile<ptr<f32>>, tile<f32> -> token
//|   %result, %result_token = load_ptr_tko weak %arg0 token=%3 : tile<ptr<f32>> -> tile<f32>, token
//|   %4 = store_ptr_tko weak %0, %result token=%result_token : tile<ptr<f32>>, tile<f32> -> token
//|   return
//| }

// Masks: what is padded is selected; elements that were not stored are not known, and those without padding are 0.
entry @masked(%base: tile<ptr<f32>>, %n: tile<i32>, %v: tile<f32>) {
  %i = iota : tile<4xi32>
  %b = reshape %base : tile<ptr<f32>> -> tile<1xptr<f32>>
  %bb = broadcast %b : tile<1xptr<f32>> -> tile<4xptr<f32>>
  %p = offset %bb, %i : tile<4xptr<f32>>, tile<4xi32> -> tile<4xptr<f32>>
  %r = reshape %n : tile<i32> -> tile<1xi32>
  %ns = broadcast %r : tile<1xi32> -> tile<4xi32>
  %m = cmpi less_than %i, %ns, signed : tile<4xi32> -> tile<4xi1>
  %o = cmpi equal %i, %ns, signed : tile<4xi32> -> tile<4xi1>
  %w = reshape %v : tile<f32> -> tile<1xf32>
  %x = broadcast %w : tile<1xf32> -> tile<4xf32>
  %pad = constant <f32: 2.0> : tile<4xf32>
  %t0 = store_ptr_tko weak %p, %x, %m : tile<4xptr<f32>>, tile<4xf32>, tile<4xi1> -> token
  %same, %t1 = load_ptr_tko weak %p, %m token = %t0 : tile<4xptr<f32>>, tile<4xi1> -> tile<4xf32>, token
  %padded, %t2 = load_ptr_tko weak %p, %m, %pad token = %t1 : tile<4xptr<f32>>, tile<4xi1>, tile<4xf32> -> tile<4xf32>, token
  %other, %t3 = load_ptr_tko weak %p, %o, %pad token = %t2 : tile<4xptr<f32>>, tile<4xi1>, tile<4xf32> -> tile<4xf32>, token
  %s0 = addf %same, %padded : tile<4xf32>
  %s1 = addf %s0, %other : tile<4xf32>
  %t4 = store_ptr_tko weak %p, %s1 token = %t3 : tile<4xptr<f32>>, tile<4xf32> -> token
  %all, %t5 = load_ptr_tko weak %p, %o, %pad token = %t4 : tile<4xptr<f32>>, tile<4xi1>, tile<4xf32> -> tile<4xf32>, token
  %s2 = addf %all, %all : tile<4xf32>
  %t6 = store_ptr_tko weak %p, %s2 token = %t5 : tile<4xptr<f32>>, tile<4xf32> -> token
  return
}
//| entry @masked(%arg0: tile<ptr<f32>>, %arg1: tile<i32>, %arg2: tile<f32>) {
//|   %0 = iota : tile<4xi32>
//|   %reshape = reshape %arg0 : tile<ptr<f32>> -> tile<1xptr<f32>>
//|   %bcast = broadcast %reshape : tile<1xptr<f32>> -> tile<4xptr<f32>>
//|   %1 = offset %bcast, %0 : tile<4xptr<f32>>, tile<4xi32> -> tile<4xptr<f32>>
//|   %reshape_0 = reshape %arg1 : tile<i32> -> tile<1xi32>
//|   %bcast_1 = broadcast %reshape_0 : tile<1xi32> -> tile<4xi32>
//|   %2 = cmpi less_than %0, %bcast_1, signed : tile<4xi32> -> tile<4xi1>
//|   %3 = cmpi equal %0, %bcast_1, signed : tile<4xi32> -> tile<4xi1>
//|   %reshape_2 = reshape %arg2 : tile<f32> -> tile<1xf32>
//|   %bcast_3 = broadcast %reshape_2 : tile<1xf32> -> tile<4xf32>
//|   %cst_2_f32 = constant <f32: 2.000000e+00> : tile<4xf32>
//|   %4 = store_ptr_tko weak %1, %bcast_3, %2 : tile<4xptr<f32>>, tile<4xf32>, tile<4xi1> -> token
//|   %result, %result_token = load_ptr_tko weak %1, %2 token=%4 : tile<4xptr<f32>>, tile<4xi1> -> tile<4xf32>, token
//|   %5 = select %2, %result, %cst_2_f32 : tile<4xi1>, tile<4xf32>
//|   %result_4, %result_token_5 = load_ptr_tko weak %1, %3, %cst_2_f32 token=%result_token : tile<4xptr<f32>>, tile<4xi1>, tile<4xf32> -> tile<4xf32>, token
//|   %6 = addf %result, %5  : tile<4xf32>
//|   %7 = addf %6, %result_4  : tile<4xf32>
//|   %8 = select %3, %7, %cst_2_f32 : tile<4xi1>, tile<4xf32>
//|   %9 = addf %8, %8  : tile<4xf32>
//|   %10 = store_ptr_tko weak %1, %9 token=%result_token_5 : tile<4xptr<f32>>, tile<4xf32> -> token
//|   return
//| }

// Outside of the tensor a view gives something else than what was stored; one whose index is known to be inside does not.
entry @views(%p: tile<ptr<f32>>, %k: tile<i32>) {
  %x = constant <f32: 1.0> : tile<4xf32>
  %one = constant <i32: 1> : tile<i32>
  %tensor = make_tensor_view %p, shape = [8], strides = [1] : tensor_view<8xf32, strides=[1]>
  %pads = make_partition_view %tensor : partition_view<tile=(4), padding_value = zero, tensor_view<8xf32, strides=[1]>>
  %view = make_partition_view %tensor : partition_view<tile=(4), tensor_view<8xf32, strides=[1]>>
  %t0 = store_view_tko weak %x, %pads[%k] : tile<4xf32>, partition_view<tile=(4), padding_value = zero, tensor_view<8xf32, strides=[1]>>, tile<i32> -> token
  %a, %t1 = load_view_tko weak %pads[%k] token = %t0 : partition_view<tile=(4), padding_value = zero, tensor_view<8xf32, strides=[1]>>, tile<i32> -> tile<4xf32>, token
  %t2 = store_view_tko weak %a, %pads[%one] token = %t1 : tile<4xf32>, partition_view<tile=(4), padding_value = zero, tensor_view<8xf32, strides=[1]>>, tile<i32> -> token
  %b, %t3 = load_view_tko weak %pads[%one] token = %t2 : partition_view<tile=(4), padding_value = zero, tensor_view<8xf32, strides=[1]>>, tile<i32> -> tile<4xf32>, token
  %t4 = store_view_tko weak %b, %view[%k] token = %t3 : tile<4xf32>, partition_view<tile=(4), tensor_view<8xf32, strides=[1]>>, tile<i32> -> token
  %c, %t5 = load_view_tko weak %view[%k] token = %t4 : partition_view<tile=(4), tensor_view<8xf32, strides=[1]>>, tile<i32> -> tile<4xf32>, token
  %d = addf %c, %c : tile<4xf32>
  %t6 = store_view_tko weak %d, %view[%one] token = %t5 : tile<4xf32>, partition_view<tile=(4), tensor_view<8xf32, strides=[1]>>, tile<i32> -> token
  return
}
//| entry @views(%arg0: tile<ptr<f32>>, %arg1: tile<i32>) {
//|   %cst_1_f32 = constant <f32: 1.000000e+00> : tile<4xf32>
//|   %cst_1_i32 = constant <i32: 1> : tile<i32>
//|   %tview = make_tensor_view %arg0, shape = [8], strides = [1] : tensor_view<8xf32, strides=[1]>
//|   %pview = make_partition_view %tview : partition_view<tile=(4), padding_value = zero, tensor_view<8xf32, strides=[1]>>
//|   %pview_0 = make_partition_view %tview : partition_view<tile=(4), tensor_view<8xf32, strides=[1]>>
//|   %0 = store_view_tko weak %cst_1_f32, %pview[%arg1] : tile<4xf32>, partition_view<tile=(4), padding_value = zero, tensor_view<8xf32, strides=[1]>>, tile<i32> -> token
//|   %tile, %result_token = load_view_tko weak %pview[%arg1] token = %0 : partition_view<tile=(4), padding_value = zero, tensor_view<8xf32, strides=[1]>>, tile<i32> -> tile<4xf32>, token
//|   %1 = store_view_tko weak %tile, %pview[%cst_1_i32] token = %result_token : tile<4xf32>, partition_view<tile=(4), padding_value = zero, tensor_view<8xf32, strides=[1]>>, tile<i32> -> token
//|   %2 = store_view_tko weak %tile, %pview_0[%arg1] token = %1 : tile<4xf32>, partition_view<tile=(4), tensor_view<8xf32, strides=[1]>>, tile<i32> -> token
//|   %tile_1, %result_token_2 = load_view_tko weak %pview_0[%arg1] token = %2 : partition_view<tile=(4), tensor_view<8xf32, strides=[1]>>, tile<i32> -> tile<4xf32>, token
//|   %3 = addf %tile_1, %tile_1  : tile<4xf32>
//|   %4 = store_view_tko weak %3, %pview_0[%cst_1_i32] token = %result_token_2 : tile<4xf32>, partition_view<tile=(4), tensor_view<8xf32, strides=[1]>>, tile<i32> -> token
//|   return
//| }

// A store whose place is written again before anything may read it goes; not where a load, an assertion or a loop is in between.
entry @overwritten(%p: tile<ptr<f32>>, %q: tile<ptr<f32>>, %x: tile<f32>, %y: tile<f32>, %c: tile<i1>) {
  %t0 = store_ptr_tko weak %p, %x : tile<ptr<f32>>, tile<f32> -> token
  %t1 = store_ptr_tko weak %p, %y token = %t0 : tile<ptr<f32>>, tile<f32> -> token
  %a, %t2 = load_ptr_tko weak %q token = %t1 : tile<ptr<f32>> -> tile<f32>, token
  %t3 = store_ptr_tko weak %p, %a token = %t2 : tile<ptr<f32>>, tile<f32> -> token
  assert %c, "c" : tile<i1>
  %t4 = store_ptr_tko weak %p, %y token = %t3 : tile<ptr<f32>>, tile<f32> -> token
  return
}
//| entry @overwritten(%arg0: tile<ptr<f32>>, %arg1: tile<ptr<f32>>, %arg2: tile<f32>, %arg3: tile<f32>, %arg4: tile<i1>) {
//|   %0 = make_token : token
//|   %1 = store_ptr_tko weak %arg0, %arg3 token=%0 : tile<ptr<f32>>, tile<f32> -> token
//|   %result, %result_token = load_ptr_tko weak %arg1 token=%1 : tile<ptr<f32>> -> tile<f32>, token
//|   %2 = store_ptr_tko weak %arg0, %result token=%result_token : tile<ptr<f32>>, tile<f32> -> token
//|   assert %arg4, "c" : tile<i1>
//|   %3 = store_ptr_tko weak %arg0, %arg3 token=%2 : tile<ptr<f32>>, tile<f32> -> token
//|   return
//| }

// What is known before a branch is known inside; behind it, only what no branch may write. In a loop, what no iteration may write.
entry @regions(%p: tile<ptr<f32>>, %q: tile<ptr<f32>>, %x: tile<f32>, %n: tile<i32>, %c: tile<i1>) {
  %zero = constant <i32: 0> : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  %near = offset %p, %one : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
  %t0 = store_ptr_tko weak %p, %x : tile<ptr<f32>>, tile<f32> -> token
  %t1 = store_ptr_tko weak %near, %x token = %t0 : tile<ptr<f32>>, tile<f32> -> token
  %t2 = if %c -> (token) {
    %a, %t3 = load_ptr_tko weak %p token = %t1 : tile<ptr<f32>> -> tile<f32>, token
    %b = addf %a, %a : tile<f32>
    %t4 = store_ptr_tko weak %p, %b token = %t3 : tile<ptr<f32>>, tile<f32> -> token
    yield %t4 : token
  } else {
    yield %t1 : token
  }
  %d, %t5 = load_ptr_tko weak %p token = %t2 : tile<ptr<f32>> -> tile<f32>, token
  %e, %t6 = load_ptr_tko weak %near token = %t5 : tile<ptr<f32>> -> tile<f32>, token
  %t7 = for %i in (%zero to %n, step %one) : tile<i32> iter_values(%t = %t6) -> (token) {
    %f, %t8 = load_ptr_tko weak %near token = %t : tile<ptr<f32>> -> tile<f32>, token
    %g, %t9 = load_ptr_tko weak %p token = %t8 : tile<ptr<f32>> -> tile<f32>, token
    %h = addf %f, %g : tile<f32>
    %t10 = store_ptr_tko weak %p, %h token = %t9 : tile<ptr<f32>>, tile<f32> -> token
    continue %t10 : token
  }
  %t11 = store_ptr_tko weak %p, %e token = %t7 : tile<ptr<f32>>, tile<f32> -> token
  return
}
//| entry @regions(%arg0: tile<ptr<f32>>, %arg1: tile<ptr<f32>>, %arg2: tile<f32>, %arg3: tile<i32>, %arg4: tile<i1>) {
//|   %cst_0_i32 = constant <i32: 0> : tile<i32>
//|   %cst_1_i32 = constant <i32: 1> : tile<i32>
//|   %0 = offset %arg0, %cst_1_i32 : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
//|   %1 = store_ptr_tko weak %arg0, %arg2 : tile<ptr<f32>>, tile<f32> -> token
//|   %2 = store_ptr_tko weak %0, %arg2 token=%1 : tile<ptr<f32>>, tile<f32> -> token
//|   %3 = if %arg4 -> (token) {
//|     %5 = addf %arg2, %arg2  : tile<f32>
//|     %6 = store_ptr_tko weak %arg0, %5 token=%2 : tile<ptr<f32>>, tile<f32> -> token
//|     yield %6 : token
//|   } else {
//|     yield %2 : token
//|   }
//|   %result, %result_token = load_ptr_tko weak %arg0 token=%3 : tile<ptr<f32>> -> tile<f32>, token
//|   %for = for %loopIdx in (%cst_0_i32 to %arg3, step %cst_1_i32) : tile<i32> iter_values(%iterArg0 = %result_token) -> (token) {
//|     %result_0, %result_token_1 = load_ptr_tko weak %arg0 token=%iterArg0 : tile<ptr<f32>> -> tile<f32>, token
//|     %5 = addf %arg2, %result_0  : tile<f32>
//|     %6 = store_ptr_tko weak %arg0, %5 token=%result_token_1 : tile<ptr<f32>>, tile<f32> -> token
//|     continue %6 : token
//|   }
//|   %4 = store_ptr_tko weak %arg0, %arg2 token=%for : tile<ptr<f32>>, tile<f32> -> token
//|   return
//| }

// Nothing is known across an atomic, and nothing in a function that hands memory to other blocks and takes it back.
entry @strong(%p: tile<ptr<i32>>, %x: tile<i32>) {
  %t0 = store_ptr_tko weak %p, %x : tile<ptr<i32>>, tile<i32> -> token
  %old, %t1 = atomic_rmw_tko relaxed device %p, add, %x token = %t0 : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
  %y, %t2 = load_ptr_tko weak %p token = %t1 : tile<ptr<i32>> -> tile<i32>, token
  %t3 = store_ptr_tko weak %p, %y token = %t2 : tile<ptr<i32>>, tile<i32> -> token
  return
}
//| entry @strong(%arg0: tile<ptr<i32>>, %arg1: tile<i32>) {
//|   %0 = store_ptr_tko weak %arg0, %arg1 : tile<ptr<i32>>, tile<i32> -> token
//|   %result, %result_token = atomic_rmw_tko relaxed device %arg0, add, %arg1 token=%0 : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
//|   %result_0, %result_token_1 = load_ptr_tko weak %arg0 token=%result_token : tile<ptr<i32>> -> tile<i32>, token
//|   %1 = store_ptr_tko weak %arg0, %result_0 token=%result_token_1 : tile<ptr<i32>>, tile<i32> -> token
//|   return
//| }
entry @handed_over(%p: tile<ptr<i32>>, %f: tile<ptr<i32>>, %x: tile<i32>) {
  %t0 = store_ptr_tko weak %p, %x : tile<ptr<i32>>, tile<i32> -> token
  %y, %t1 = load_ptr_tko weak %p token = %t0 : tile<ptr<i32>> -> tile<i32>, token
  %old, %t2 = atomic_rmw_tko acq_rel device %f, add, %y token = %t1 : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
  return
}
//| entry @handed_over(%arg0: tile<ptr<i32>>, %arg1: tile<ptr<i32>>, %arg2: tile<i32>) {
//|   %0 = store_ptr_tko weak %arg0, %arg2 : tile<ptr<i32>>, tile<i32> -> token
//|   %result, %result_token = load_ptr_tko weak %arg0 token=%0 : tile<ptr<i32>> -> tile<i32>, token
//|   %result_0, %result_token_1 = atomic_rmw_tko acq_rel device %arg1, add, %result token=%result_token : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
//|   return
//| }

// A masked store leaves what another one wrote where its mask is false; one with the same mask writes all of it again.
entry @masked_again(%p: tile<ptr<i32>>, %n: tile<i32>) {
  %i = iota : tile<4xi32>
  %one = reshape %p : tile<ptr<i32>> -> tile<1xptr<i32>>
  %all = broadcast %one : tile<1xptr<i32>> -> tile<4xptr<i32>>
  %at = offset %all, %i : tile<4xptr<i32>>, tile<4xi32> -> tile<4xptr<i32>>
  %some = reshape %n : tile<i32> -> tile<1xi32>
  %given = broadcast %some : tile<1xi32> -> tile<4xi32>
  %mask = cmpi less_than %i, %given, signed : tile<4xi32> -> tile<4xi1>
  %t0 = store_ptr_tko weak %at, %given : tile<4xptr<i32>>, tile<4xi32> -> token
  %t1 = store_ptr_tko weak %at, %i, %mask token = %t0 : tile<4xptr<i32>>, tile<4xi32>, tile<4xi1> -> token
  %t2 = store_ptr_tko weak %at, %given, %mask token = %t1 : tile<4xptr<i32>>, tile<4xi32>, tile<4xi1> -> token
  return
}
//| entry @masked_again(%arg0: tile<ptr<i32>>, %arg1: tile<i32>) {
//|   %0 = iota : tile<4xi32>
//|   %reshape = reshape %arg0 : tile<ptr<i32>> -> tile<1xptr<i32>>
//|   %bcast = broadcast %reshape : tile<1xptr<i32>> -> tile<4xptr<i32>>
//|   %1 = offset %bcast, %0 : tile<4xptr<i32>>, tile<4xi32> -> tile<4xptr<i32>>
//|   %reshape_0 = reshape %arg1 : tile<i32> -> tile<1xi32>
//|   %bcast_1 = broadcast %reshape_0 : tile<1xi32> -> tile<4xi32>
//|   %2 = cmpi less_than %0, %bcast_1, signed : tile<4xi32> -> tile<4xi1>
//|   %3 = store_ptr_tko weak %1, %bcast_1 : tile<4xptr<i32>>, tile<4xi32> -> token
//|   %4 = store_ptr_tko weak %1, %bcast_1, %2 token=%3 : tile<4xptr<i32>>, tile<4xi32>, tile<4xi1> -> token
//|   return
//| }

// Nothing is known behind a loop with an atomic update in it.
entry @updated_in_a_loop(%p: tile<ptr<i32>>, %n: tile<i32>) {
  %zero = constant <i32: 0> : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  %t0 = store_ptr_tko weak %p, %n : tile<ptr<i32>>, tile<i32> -> token
  %t1 = for %i in (%zero to %n, step %one) : tile<i32> iter_values(%t = %t0) -> (token) {
    %old, %u = atomic_rmw_tko relaxed tl_blk %p, add, %i token = %t : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
    continue %u : token
  }
  %x, %t2 = load_ptr_tko weak %p token = %t1 : tile<ptr<i32>> -> tile<i32>, token
  print_tko "%d", %x : tile<i32> -> token
  return
}
//| entry @updated_in_a_loop(%arg0: tile<ptr<i32>>, %arg1: tile<i32>) {
//|   %cst_0_i32 = constant <i32: 0> : tile<i32>
//|   %cst_1_i32 = constant <i32: 1> : tile<i32>
//|   %0 = store_ptr_tko weak %arg0, %arg1 : tile<ptr<i32>>, tile<i32> -> token
//|   %for = for %loopIdx in (%cst_0_i32 to %arg1, step %cst_1_i32) : tile<i32> iter_values(%iterArg0 = %0) -> (token) {
//|     %result_0, %result_token_1 = atomic_rmw_tko relaxed tl_blk %arg0, add, %loopIdx token=%iterArg0 : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
//|     continue %result_token_1 : token
//|   }
//|   %result, %result_token = load_ptr_tko weak %arg0 token=%for : tile<ptr<i32>> -> tile<i32>, token
//|   %1 = print_tko "%d", %result : tile<i32> -> token
//|   return
//| }
