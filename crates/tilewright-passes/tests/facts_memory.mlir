// facts: memory

// Tokens order along chains and joins; program order is none.
entry @order(%p: tile<ptr<i32>>, %q: tile<ptr<i32>>, %n: tile<i32>) {
  %start = make_token : token
  %a = store_ptr_tko weak %p, %n token = %start : tile<ptr<i32>>, tile<i32> -> token
  %b = store_ptr_tko weak %q, %n token = %start : tile<ptr<i32>>, tile<i32> -> token
  %both = join_tokens %a, %b : token
  %x, %c = load_ptr_tko weak %p token = %both : tile<ptr<i32>> -> tile<i32>, token
  %y, %d = load_ptr_tko weak %q token = %a : tile<ptr<i32>> -> tile<i32>, token
  return
}
//| entry @order(%arg0: tile<ptr<i32>>, %arg1: tile<ptr<i32>>, %arg2: tile<i32>) {
//|   %0 = make_token : token
//|   %1 = store_ptr_tko weak %arg0, %arg2 token=%0 : tile<ptr<i32>>, tile<i32> -> token  // access 0
//|   %2 = store_ptr_tko weak %arg1, %arg2 token=%0 : tile<ptr<i32>>, tile<i32> -> token  // access 1
//|   %3 = join_tokens %1, %2 : token
//|   %result, %result_token = load_ptr_tko weak %arg0 token=%3 : tile<ptr<i32>> -> tile<i32>, token  // access 2, after 0 and 1, the place of 0
//|   %result_0, %result_token_1 = load_ptr_tko weak %arg1 token=%1 : tile<ptr<i32>> -> tile<i32>, token  // access 3, after 0, the place of 1
//|   return
//| }

// Loops and branches hand the order on where each way does.
entry @control(%p: tile<ptr<i32>>, %n: tile<i32>, %c: tile<i1>) {
  %zero = constant <i32: 0> : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  %start = make_token : token
  %t = for %i in (%zero to %n, step %one) : tile<i32> iter_values(%u = %start) -> (token) {
    %s = store_ptr_tko weak %p, %i token = %u : tile<ptr<i32>>, tile<i32> -> token
    continue %s : token
  }
  %v = if %c -> (token) {
    %s = store_ptr_tko weak %p, %n token = %t : tile<ptr<i32>>, tile<i32> -> token
    yield %s : token
  } else {
    yield %start : token
  }
  %x, %l = load_ptr_tko weak %p token = %v : tile<ptr<i32>> -> tile<i32>, token
  return
}
//| entry @control(%arg0: tile<ptr<i32>>, %arg1: tile<i32>, %arg2: tile<i1>) {
//|   %cst_0_i32 = constant <i32: 0> : tile<i32>
//|   %cst_1_i32 = constant <i32: 1> : tile<i32>
//|   %0 = make_token : token
//|   %for = for %loopIdx in (%cst_0_i32 to %arg1, step %cst_1_i32) : tile<i32> iter_values(%iterArg0 = %0) -> (token) {
//|     %2 = store_ptr_tko weak %arg0, %loopIdx token=%iterArg0 : tile<ptr<i32>>, tile<i32> -> token  // access 0
//|     continue %2 : token
//|   }
//|   %1 = if %arg2 -> (token) {
//|     %2 = store_ptr_tko weak %arg0, %arg1 token=%for : tile<ptr<i32>>, tile<i32> -> token  // access 1, after 0, the place of 0
//|     yield %2 : token
//|   } else {
//|     yield %0 : token
//|   }
//|   %result, %result_token = load_ptr_tko weak %arg0 token=%1 : tile<ptr<i32>> -> tile<i32>, token  // access 2, after 1, the place of 0 and 1
//|   return
//| }

// Pointers lie apart by what they lead to and by their offsets.
global @g <i32: [0, 1, 2, 3]> : tile<4xi32>
entry @pointers(%p: tile<ptr<i32>>, %q: tile<ptr<i32>>, %n: tile<i32>) {
  %few = assume bounded<0, 3>, %n : tile<i32>
  %four = constant <i32: 4> : tile<i32>
  %near = offset %p, %few : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
  %far = offset %p, %four : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
  %own = alloca num_elem = 4, alignment = 4 : tile<ptr<i32>>
  %known = get_global @g : tile<ptr<i32>>
  %a = store_ptr_tko weak %near, %n : tile<ptr<i32>>, tile<i32> -> token
  %b = store_ptr_tko weak %far, %n : tile<ptr<i32>>, tile<i32> -> token
  %c = store_ptr_tko weak %own, %n : tile<ptr<i32>>, tile<i32> -> token
  %x, %d = load_ptr_tko weak %known : tile<ptr<i32>> -> tile<i32>, token
  %y, %e = load_ptr_tko weak %q : tile<ptr<i32>> -> tile<i32>, token
  %z, %f = load_ptr_tko weak %far : tile<ptr<i32>> -> tile<i32>, token
  return
}
//| entry @pointers(%arg0: tile<ptr<i32>>, %arg1: tile<ptr<i32>>, %arg2: tile<i32>) {
//|   %assume = assume bounded<0, 3>, %arg2 : tile<i32>
//|   %cst_4_i32 = constant <i32: 4> : tile<i32>
//|   %0 = offset %arg0, %assume : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
//|   %1 = offset %arg0, %cst_4_i32 : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
//|   %2 = alloca num_elem = 4, alignment = 4 : tile<ptr<i32>>
//|   %3 = get_global @g : tile<ptr<i32>>
//|   %4 = store_ptr_tko weak %0, %arg2 : tile<ptr<i32>>, tile<i32> -> token  // access 0
//|   %5 = store_ptr_tko weak %1, %arg2 : tile<ptr<i32>>, tile<i32> -> token  // access 1, apart from 0
//|   %6 = store_ptr_tko weak %2, %arg2 : tile<ptr<i32>>, tile<i32> -> token  // access 2, apart from 0 and 1
//|   %result, %result_token = load_ptr_tko weak %3 : tile<ptr<i32>> -> tile<i32>, token  // access 3, apart from 2
//|   %result_0, %result_token_1 = load_ptr_tko weak %arg1 : tile<ptr<i32>> -> tile<i32>, token  // access 4, apart from 2
//|   %result_2, %result_token_3 = load_ptr_tko weak %1 : tile<ptr<i32>> -> tile<i32>, token  // access 5, the place of 1, apart from 0 and 2
//|   return
//| }

// Tiles of one tensor are one by their indices, and lie apart by their ranges, where no two places of the tensor are one in memory.
entry @views(%p: tile<ptr<f32>>, %n: tile<i32>, %i: tile<i32>) {
  %zero = constant <i32: 0> : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  %two = constant <i32: 2> : tile<i32>
  %later = assume bounded<1, 9>, %i : tile<i32>
  %x = constant <f32: 1.0> : tile<4xf32>
  %t = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
  %v = make_partition_view %t : partition_view<tile=(4), tensor_view<64xf32, strides=[1]>>
  %a = store_view_tko weak %x, %v[%zero] : tile<4xf32>, partition_view<tile=(4), tensor_view<64xf32, strides=[1]>>, tile<i32> -> token
  %b = store_view_tko weak %x, %v[%later] : tile<4xf32>, partition_view<tile=(4), tensor_view<64xf32, strides=[1]>>, tile<i32> -> token
  %c = store_view_tko weak %x, %v[%one] : tile<4xf32>, partition_view<tile=(4), tensor_view<64xf32, strides=[1]>>, tile<i32> -> token
  %e = store_view_tko weak %x, %v[%two] : tile<4xf32>, partition_view<tile=(4), tensor_view<64xf32, strides=[1]>>, tile<i32> -> token
  %y, %d = load_view_tko weak %v[%zero] : partition_view<tile=(4), tensor_view<64xf32, strides=[1]>>, tile<i32> -> tile<4xf32>, token
  return
}
//| entry @views(%arg0: tile<ptr<f32>>, %arg1: tile<i32>, %arg2: tile<i32>) {
//|   %cst_0_i32 = constant <i32: 0> : tile<i32>
//|   %cst_1_i32 = constant <i32: 1> : tile<i32>
//|   %cst_2_i32 = constant <i32: 2> : tile<i32>
//|   %assume = assume bounded<1, 9>, %arg2 : tile<i32>
//|   %cst_1_f32 = constant <f32: 1.000000e+00> : tile<4xf32>
//|   %tview = make_tensor_view %arg0, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
//|   %pview = make_partition_view %tview : partition_view<tile=(4), tensor_view<64xf32, strides=[1]>>
//|   %0 = store_view_tko weak %cst_1_f32, %pview[%cst_0_i32] : tile<4xf32>, partition_view<tile=(4), tensor_view<64xf32, strides=[1]>>, tile<i32> -> token  // access 0
//|   %1 = store_view_tko weak %cst_1_f32, %pview[%assume] : tile<4xf32>, partition_view<tile=(4), tensor_view<64xf32, strides=[1]>>, tile<i32> -> token  // access 1, apart from 0
//|   %2 = store_view_tko weak %cst_1_f32, %pview[%cst_1_i32] : tile<4xf32>, partition_view<tile=(4), tensor_view<64xf32, strides=[1]>>, tile<i32> -> token  // access 2, apart from 0
//|   %3 = store_view_tko weak %cst_1_f32, %pview[%cst_2_i32] : tile<4xf32>, partition_view<tile=(4), tensor_view<64xf32, strides=[1]>>, tile<i32> -> token  // access 3, apart from 0 and 2
//|   %tile, %result_token = load_view_tko weak %pview[%cst_0_i32] : partition_view<tile=(4), tensor_view<64xf32, strides=[1]>>, tile<i32> -> tile<4xf32>, token  // access 4, the place of 0, apart from 1 and 2 and 3
//|   return
//| }
