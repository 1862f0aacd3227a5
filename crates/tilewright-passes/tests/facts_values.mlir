// facts: values

// Promises, constants, and arithmetic: what may wrap knows nothing of the range.
entry @numbers(%p: tile<ptr<f32>>, %n: tile<i32>, %m: tile<i32>) {
  %base = assume div_by<16>, %p : tile<ptr<f32>>
  %few = assume bounded<1, 100>, %n : tile<i32>
  %step = assume div_by<8>, %m : tile<i32>
  %six = constant <i32: 6> : tile<i32>
  %listed = constant <i32: [8, 9, 10, 11, 32, 33, 34, 35]> : tile<8xi32>
  %more = addi %few, %six : tile<i32>
  %twice = addi %step, %step : tile<i32>
  %product = muli %few, %step : tile<i32>
  %rest = remi %few, %six signed : tile<i32>
  %part = divi %few, %six signed rounding<positive_inf> : tile<i32>
  %capped = mini %m, %six signed : tile<i32>
  %wide = exti %few unsigned : tile<i32> -> tile<i64>
  %next = offset %base, %six : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
  return
}
//| entry @numbers(%arg0: tile<ptr<f32>>, %arg1: tile<i32>, %arg2: tile<i32>) {
//|   %assume = assume div_by<16>, %arg0 : tile<ptr<f32>>  // divisible by 16
//|   %assume_0 = assume bounded<1, 100>, %arg1 : tile<i32>  // range 1..=100
//|   %assume_1 = assume div_by<8>, %arg2 : tile<i32>  // divisible by 8
//|   %cst_6_i32 = constant <i32: 6> : tile<i32>
//|   %cst_i32 = constant <i32: [8, 9, 10, 11, 32, 33, 34, 35]> : tile<8xi32>
//|   %0 = addi %assume_0, %cst_6_i32 : tile<i32>  // range 7..=106
//|   %1 = addi %assume_1, %assume_1 : tile<i32>  // divisible by 8
//|   %2 = muli %assume_0, %assume_1 : tile<i32>  // divisible by 8
//|   %3 = remi %assume_0, %cst_6_i32 signed : tile<i32>  // range 0..=5
//|   %4 = divi %assume_0, %cst_6_i32 signed rounding<positive_inf> : tile<i32>  // range 1..=17
//|   %5 = mini %arg2, %cst_6_i32 signed : tile<i32>  // range -2147483648..=6 (signed)
//|   %6 = exti %assume_0 unsigned : tile<i32> -> tile<i64>  // range 1..=100
//|   %7 = offset %assume, %cst_6_i32 : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>  // divisible by 8
//|   return
//| }

// Elements beside each other: contiguous offsets of a block, masks in groups, quotients and remainders.
entry @elements(%n: tile<i32>) {
  %x, %y, %z = get_tile_block_id : tile<i32>
  %length = constant <i32: 64> : tile<i32>
  %first = muli %x, %length : tile<i32>
  %lane = iota : tile<64xi32>
  %one = reshape %first : tile<i32> -> tile<1xi32>
  %firsts = broadcast %one : tile<1xi32> -> tile<64xi32>
  %offsets = addi %firsts, %lane : tile<64xi32>
  %end = muli %n, %length : tile<i32>
  %bound = reshape %end : tile<i32> -> tile<1xi32>
  %bounds = broadcast %bound : tile<1xi32> -> tile<64xi32>
  %few = assume bounded<0, 1000>, %bounds : tile<64xi32>
  %mask = cmpi less_than %offsets, %few, signed : tile<64xi32> -> tile<64xi1>
  %four = constant <i32: 4> : tile<64xi32>
  %row = divi %lane, %four signed : tile<64xi32>
  %column = remi %lane, %four signed : tile<64xi32>
  %matrix = reshape %lane : tile<64xi32> -> tile<16x4xi32>
  %turned = permute %matrix [1, 0] : tile<16x4xi32> -> tile<4x16xi32>
  return
}
//| entry @elements(%arg0: tile<i32>) {
//|   %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>  // %blockId_x: range 0..=16777214; %blockId_y: range 0..=16777214; %blockId_z: range 0..=16777214
//|   %cst_64_i32 = constant <i32: 64> : tile<i32>
//|   %0 = muli %blockId_x, %cst_64_i32 : tile<i32>  // range 0..=1073741696, divisible by 64
//|   %1 = iota : tile<64xi32>  // range 0..=63, dim 0 contiguous 64 from 0
//|   %reshape = reshape %0 : tile<i32> -> tile<1xi32>  // range 0..=1073741696, divisible by 64
//|   %bcast = broadcast %reshape : tile<1xi32> -> tile<64xi32>  // range 0..=1073741696, divisible by 64, dim 0 constant 64
//|   %2 = addi %bcast, %1 : tile<64xi32>  // range 0..=1073741759, dim 0 contiguous 64 from multiples of 64
//|   %3 = muli %arg0, %cst_64_i32 : tile<i32>  // divisible by 64
//|   %reshape_0 = reshape %3 : tile<i32> -> tile<1xi32>  // divisible by 64
//|   %bcast_1 = broadcast %reshape_0 : tile<1xi32> -> tile<64xi32>  // divisible by 64, dim 0 constant 64
//|   %assume_bcast = assume bounded<0, 1000>, %bcast_1 : tile<64xi32>  // range 0..=1000, divisible by 64, dim 0 constant 64
//|   %4 = cmpi less_than %2, %assume_bcast, signed : tile<64xi32> -> tile<64xi1>  // dim 0 constant 64
//|   %cst_4_i32 = constant <i32: 4> : tile<64xi32>
//|   %5 = divi %1, %cst_4_i32 signed : tile<64xi32>  // range 0..=15, dim 0 constant 4
//|   %6 = remi %1, %cst_4_i32 signed : tile<64xi32>  // range 0..=3, dim 0 contiguous 4 from multiples of 4
//|   %reshape_2 = reshape %1 : tile<64xi32> -> tile<16x4xi32>  // range 0..=63, dim 1 contiguous 4 from multiples of 4
//|   %7 = permute %reshape_2 [1, 0] : tile<16x4xi32> -> tile<4x16xi32>  // range 0..=63, dim 0 contiguous 4 from multiples of 4
//|   return
//| }

// Loops count, and what they carry may grow without bound; branches know their condition.
entry @control(%n: tile<i32>, %m: tile<i32>) {
  %zero = constant <i32: 0> : tile<i32>
  %two = constant <i32: 2> : tile<i32>
  %ten = constant <i32: 10> : tile<i32>
  %s = for %i in (%zero to %ten, step %two) : tile<i32> iter_values(%a = %zero) -> (tile<i32>) {
    %b = addi %a, %i : tile<i32>
    continue %b : tile<i32>
  }
  for %j in (%two to %n, step %two) : tile<i32> {
    %k = addi %j, %two : tile<i32>
  }
  %above = cmpi greater_than_or_equal %n, %zero, signed : tile<i32> -> tile<i1>
  %below = cmpi less_than %n, %ten, signed : tile<i32> -> tile<i1>
  %both = andi %above, %below : tile<i1>
  %v = if %both -> (tile<i32>) {
    %w = addi %n, %two : tile<i32>
    yield %w : tile<i32>
  } else {
    yield %two : tile<i32>
  }
  return
}
//| entry @control(%arg0: tile<i32>, %arg1: tile<i32>) {
//|   %cst_0_i32 = constant <i32: 0> : tile<i32>
//|   %cst_2_i32 = constant <i32: 2> : tile<i32>
//|   %cst_10_i32 = constant <i32: 10> : tile<i32>
//|   %for = for %loopIdx in (%cst_0_i32 to %cst_10_i32, step %cst_2_i32) : tile<i32> iter_values(%iterArg0 = %cst_0_i32) -> (tile<i32>) {  // %loopIdx: range 0..=9, divisible by 2; %iterArg0: divisible by 2
//|     %4 = addi %iterArg0, %loopIdx : tile<i32>  // divisible by 2
//|     continue %4 : tile<i32>
//|   }  // divisible by 2; 5 trips
//|   for %loopIdx in (%cst_2_i32 to %arg0, step %cst_2_i32) : tile<i32> {  // %loopIdx: range 2..=2147483646, divisible by 2
//|     %4 = addi %loopIdx, %cst_2_i32 : tile<i32>  // range 4..=2147483648 (unsigned), divisible by 2
//|   }  // 0 to 1073741823 trips
//|   %0 = cmpi greater_than_or_equal %arg0, %cst_0_i32, signed : tile<i32> -> tile<i1>
//|   %1 = cmpi less_than %arg0, %cst_10_i32, signed : tile<i32> -> tile<i1>
//|   %2 = andi %0, %1 : tile<i1>
//|   %3 = if %2 -> (tile<i32>) {
//|     %4 = addi %arg0, %cst_2_i32 : tile<i32>  // range 2..=11
//|     yield %4 : tile<i32>
//|   } else {
//|     yield %cst_2_i32 : tile<i32>
//|   }  // range 2..=11
//|   return
//| }

// Extents of views, and the grid.
entry @extents(%p: tile<ptr<f32>>, %n: tile<i32>) {
  %few = assume bounded<1, 64>, %n : tile<i32>
  %rows = assume div_by<4>, %few : tile<i32>
  %t = make_tensor_view %p, shape = [%rows, 8], strides = [8, 1] : tile<i32> -> tensor_view<?x8xf32, strides=[8,1]>
  %v = make_partition_view %t : partition_view<tile=(4x8), tensor_view<?x8xf32, strides=[8,1]>>
  %h, %w = get_tensor_shape %t : tensor_view<?x8xf32, strides=[8,1]> -> tile<i32>
  %down, %across = get_index_space_shape %v : partition_view<tile=(4x8), tensor_view<?x8xf32, strides=[8,1]>> -> tile<i32>
  %x, %y, %z = get_num_tile_blocks : tile<i32>
  return
}
//| entry @extents(%arg0: tile<ptr<f32>>, %arg1: tile<i32>) {
//|   %assume = assume bounded<1, 64>, %arg1 : tile<i32>  // range 1..=64
//|   %assume_assume = assume div_by<4>, %assume : tile<i32>  // range 1..=64, divisible by 4
//|   %tview = make_tensor_view %arg0, shape = [%assume_assume, 8], strides = [8, 1] : tile<i32> -> tensor_view<?x8xf32, strides=[8,1]>
//|   %pview = make_partition_view %tview : partition_view<tile=(4x8), tensor_view<?x8xf32, strides=[8,1]>>
//|   %0:2 = get_tensor_shape %tview : tensor_view<?x8xf32, strides=[8,1]> -> tile<i32>  // %0#0: range 1..=64, divisible by 4; %0#1: all 8
//|   %1:2 = get_index_space_shape %pview : partition_view<tile=(4x8), tensor_view<?x8xf32, strides=[8,1]>> -> tile<i32>  // %1#0: range 1..=16; %1#1: all 1
//|   %gridSize_x, %gridSize_y, %gridSize_z = get_num_tile_blocks : tile<i32>  // %gridSize_x: range 1..=16777215; %gridSize_y: range 1..=16777215; %gridSize_z: range 1..=16777215
//|   return
//| }
