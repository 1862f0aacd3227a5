// coarsened: 0 by 2

// Operations that move elements have the blocks in front.
entry @moves(%p: tile<ptr<i32>>) {
  %i, %by, %bz = get_tile_block_id : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  %zero = constant <i32: 0> : tile<i32>
  %i1 = reshape %i : tile<i32> -> tile<1x1xi32>
  %tile = broadcast %i1 : tile<1x1xi32> -> tile<4x2xi32>
  %turned = permute %tile [1, 0] : tile<4x2xi32> -> tile<2x4xi32>
  %both = cat %turned, %turned dim = 0 : tile<2x4xi32>, tile<2x4xi32> -> tile<4x4xi32>
  %part = extract %both[%one, %zero] : tile<4x4xi32> -> tile<2x4xi32>
  %whole = insert %part, %both[%zero, %zero] : tile<2x4xi32>, tile<4x4xi32>
  %sums = scan %whole dim=1 reverse=false identities=[0 : i32] : tile<4x4xi32> -> tile<4x4xi32>
  (%l: tile<i32>, %r: tile<i32>) {
    %s = addi %l, %r : tile<i32>
    yield %s : tile<i32>
  }
  %row = reshape %sums : tile<4x4xi32> -> tile<16xi32>
  %bytes = pack %row : tile<16xi32> -> tile<64xi8>
  %c = make_tensor_view %p, shape = [1024], strides = [1] : tensor_view<1024xi32, strides=[1]>
  %cs = make_partition_view %c : partition_view<tile=(16), tensor_view<1024xi32, strides=[1]>>
  %again = unpack %bytes : tile<64xi8> -> tile<16xi32>
  %t = store_view_tko weak %again, %cs[%i] : tile<16xi32>, partition_view<tile=(16), tensor_view<1024xi32, strides=[1]>>, tile<i32> -> token
  return
}
//| entry @moves(%arg0: tile<ptr<i32>>) {
//|   %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
//|   %cst_2_i32 = constant <i32: 2> : tile<i32>
//|   %0 = muli %blockId_x, %cst_2_i32 : tile<i32>
//|   %1 = iota : tile<2xi32>
//|   %reshape = reshape %0 : tile<i32> -> tile<1xi32>
//|   %bcast = broadcast %reshape : tile<1xi32> -> tile<2xi32>
//|   %2 = addi %bcast, %1 : tile<2xi32>
//|   %cst_1_i32 = constant <i32: 1> : tile<i32>
//|   %cst_0_i32 = constant <i32: 0> : tile<i32>
//|   %reshape_0 = reshape %2 : tile<2xi32> -> tile<2x1x1xi32>
//|   %bcast_1 = broadcast %reshape_0 : tile<2x1x1xi32> -> tile<2x4x2xi32>
//|   %3 = permute %bcast_1 [0, 2, 1] : tile<2x4x2xi32> -> tile<2x2x4xi32>
//|   %4 = cat %3, %3 dim = 1 : tile<2x2x4xi32>, tile<2x2x4xi32> -> tile<2x4x4xi32>
//|   %5 = extract %4[%cst_0_i32, %cst_1_i32, %cst_0_i32] : tile<2x4x4xi32> -> tile<2x2x4xi32>
//|   %6 = insert %5, %4[%cst_0_i32, %cst_0_i32, %cst_0_i32] : tile<2x2x4xi32>, tile<2x4x4xi32>
//|   %7 = scan %6 dim=2 reverse=false identities=[0 : i32] : tile<2x4x4xi32> -> tile<2x4x4xi32>
//|   (%arg1: tile<i32>, %arg2: tile<i32>) {
//|     %9 = addi %arg1, %arg2 : tile<i32>
//|     yield %9 : tile<i32>
//|   }
//|   %tview = make_tensor_view %arg0, shape = [1024], strides = [1] : tensor_view<1024xi32, strides=[1]>
//|   %pview = make_partition_view %tview : partition_view<tile=(32), tensor_view<1024xi32, strides=[1]>>
//|   %reshape_2 = reshape %7 : tile<2x4x4xi32> -> tile<32xi32>
//|   %8 = store_view_tko weak %reshape_2, %pview[%blockId_x] : tile<32xi32>, partition_view<tile=(32), tensor_view<1024xi32, strides=[1]>>, tile<i32> -> token
//|   return
//| }

// Products are a batch.
entry @products(%x: tile<ptr<f32>>, %w: tile<ptr<f32>>, %y: tile<ptr<f32>>) {
  %i, %by, %bz = get_tile_block_id : tile<i32>
  %zero = constant <i32: 0> : tile<i32>
  %start = constant <f32: 0.0> : tile<4x8xf32>
  %a = make_tensor_view %x, shape = [64, 16], strides = [16, 1] : tensor_view<64x16xf32, strides=[16,1]>
  %b = make_tensor_view %w, shape = [16, 8], strides = [8, 1] : tensor_view<16x8xf32, strides=[8,1]>
  %c = make_tensor_view %y, shape = [64, 8], strides = [8, 1] : tensor_view<64x8xf32, strides=[8,1]>
  %as = make_partition_view %a : partition_view<tile=(4x16), tensor_view<64x16xf32, strides=[16,1]>>
  %bs = make_partition_view %b : partition_view<tile=(16x8), tensor_view<16x8xf32, strides=[8,1]>>
  %cs = make_partition_view %c : partition_view<tile=(4x8), tensor_view<64x8xf32, strides=[8,1]>>
  %lhs, %t0 = load_view_tko weak %as[%i, %zero] : partition_view<tile=(4x16), tensor_view<64x16xf32, strides=[16,1]>>, tile<i32> -> tile<4x16xf32>, token
  %rhs, %t1 = load_view_tko weak %bs[%zero, %zero] : partition_view<tile=(16x8), tensor_view<16x8xf32, strides=[8,1]>>, tile<i32> -> tile<16x8xf32>, token
  %product = mmaf %lhs, %rhs, %start : tile<4x16xf32>, tile<16x8xf32>, tile<4x8xf32>
  %t2 = store_view_tko weak %product, %cs[%i, %zero] : tile<4x8xf32>, partition_view<tile=(4x8), tensor_view<64x8xf32, strides=[8,1]>>, tile<i32> -> token
  return
}
//| entry @products(%arg0: tile<ptr<f32>>, %arg1: tile<ptr<f32>>, %arg2: tile<ptr<f32>>) {
//|   %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
//|   %cst_0_i32 = constant <i32: 0> : tile<i32>
//|   %cst_0_f32 = constant <f32: 0.000000e+00> : tile<2x4x8xf32>
//|   %tview = make_tensor_view %arg0, shape = [64, 16], strides = [16, 1] : tensor_view<64x16xf32, strides=[16,1]>
//|   %tview_0 = make_tensor_view %arg1, shape = [16, 8], strides = [8, 1] : tensor_view<16x8xf32, strides=[8,1]>
//|   %tview_1 = make_tensor_view %arg2, shape = [64, 8], strides = [8, 1] : tensor_view<64x8xf32, strides=[8,1]>
//|   %pview = make_partition_view %tview : partition_view<tile=(8x16), tensor_view<64x16xf32, strides=[16,1]>>
//|   %pview_2 = make_partition_view %tview_0 : partition_view<tile=(16x8), tensor_view<16x8xf32, strides=[8,1]>>
//|   %pview_3 = make_partition_view %tview_1 : partition_view<tile=(8x8), tensor_view<64x8xf32, strides=[8,1]>>
//|   %tile, %result_token = load_view_tko weak %pview[%blockId_x, %cst_0_i32] : partition_view<tile=(8x16), tensor_view<64x16xf32, strides=[16,1]>>, tile<i32> -> tile<8x16xf32>, token
//|   %reshape = reshape %tile : tile<8x16xf32> -> tile<2x4x16xf32>
//|   %tile_4, %result_token_5 = load_view_tko weak %pview_2[%cst_0_i32, %cst_0_i32] : partition_view<tile=(16x8), tensor_view<16x8xf32, strides=[8,1]>>, tile<i32> -> tile<16x8xf32>, token
//|   %reshape_6 = reshape %tile_4 : tile<16x8xf32> -> tile<1x16x8xf32>
//|   %bcast = broadcast %reshape_6 : tile<1x16x8xf32> -> tile<2x16x8xf32>
//|   %0 = mmaf %reshape, %bcast, %cst_0_f32 : tile<2x4x16xf32>, tile<2x16x8xf32>, tile<2x4x8xf32>
//|   %reshape_7 = reshape %0 : tile<2x4x8xf32> -> tile<8x8xf32>
//|   %1 = store_view_tko weak %reshape_7, %pview_3[%blockId_x, %cst_0_i32] : tile<8x8xf32>, partition_view<tile=(8x8), tensor_view<64x8xf32, strides=[8,1]>>, tile<i32> -> token
//|   return
//| }

// Branches and loops that all blocks take alike; what they carry may differ. A loop over as many numbers in each block is one of the first.
entry @control(%p: tile<ptr<i32>>, %n: tile<i32>, %b: tile<i1>) {
  %i, %by, %bz = get_tile_block_id : tile<i32>
  %zero = constant <i32: 0> : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  %four = constant <i32: 4> : tile<i32>
  %lower = muli %i, %four : tile<i32>
  %upper = addi %lower, %four : tile<i32>
  %sum = for %j in (%lower to %upper, step %one) : tile<i32> iter_values(%old = %zero) -> (tile<i32>) {
    %new = addi %old, %j : tile<i32>
    continue %new : tile<i32>
  }
  %chosen = if %b -> (tile<i32>) {
    yield %sum : tile<i32>
  } else {
    yield %n : tile<i32>
  }
  %last = loop iter_values(%c = %n) : tile<i32> -> tile<i32> {
    %done = cmpi equal %c, %zero, signed : tile<i32> -> tile<i1>
    if %done {
      break %chosen : tile<i32>
    }
    %next = subi %c, %one : tile<i32>
    continue %next : tile<i32>
  }
  %q = offset %p, %i : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
  %t = store_ptr_tko weak %q, %last : tile<ptr<i32>>, tile<i32> -> token
  return
}
//| entry @control(%arg0: tile<ptr<i32>>, %arg1: tile<i32>, %arg2: tile<i1>) {
//|   %reshape = reshape %arg1 : tile<i32> -> tile<1xi32>
//|   %bcast = broadcast %reshape : tile<1xi32> -> tile<2xi32>
//|   %reshape_0 = reshape %arg0 : tile<ptr<i32>> -> tile<1xptr<i32>>
//|   %bcast_1 = broadcast %reshape_0 : tile<1xptr<i32>> -> tile<2xptr<i32>>
//|   %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
//|   %cst_2_i32 = constant <i32: 2> : tile<i32>
//|   %0 = muli %blockId_x, %cst_2_i32 : tile<i32>
//|   %1 = iota : tile<2xi32>
//|   %reshape_2 = reshape %0 : tile<i32> -> tile<1xi32>
//|   %bcast_3 = broadcast %reshape_2 : tile<1xi32> -> tile<2xi32>
//|   %2 = addi %bcast_3, %1 : tile<2xi32>
//|   %cst_0_i32 = constant <i32: 0> : tile<i32>
//|   %cst_0_i32_4 = constant <i32: 0> : tile<2xi32>
//|   %cst_1_i32 = constant <i32: 1> : tile<i32>
//|   %cst_4_i32 = constant <i32: 4> : tile<i32>
//|   %cst_8_i32 = constant <i32: 8> : tile<i32>
//|   %3 = muli %blockId_x, %cst_8_i32 : tile<i32>
//|   %4 = addi %3, %cst_4_i32 : tile<i32>
//|   %for = for %loopIdx in (%3 to %4, step %cst_1_i32) : tile<i32> iter_values(%iterArg0 = %cst_0_i32_4) -> (tile<2xi32>) {
//|     %cst_4_i32_7 = constant <i32: 4> : tile<2xi32>
//|     %9 = muli %1, %cst_4_i32_7 : tile<2xi32>
//|     %reshape_8 = reshape %loopIdx : tile<i32> -> tile<1xi32>
//|     %bcast_9 = broadcast %reshape_8 : tile<1xi32> -> tile<2xi32>
//|     %10 = addi %bcast_9, %9 : tile<2xi32>
//|     %11 = addi %iterArg0, %10 : tile<2xi32>
//|     continue %11 : tile<2xi32>
//|   }
//|   %reshape_5 = reshape %arg2 : tile<i1> -> tile<1xi1>
//|   %bcast_6 = broadcast %reshape_5 : tile<1xi1> -> tile<2xi1>
//|   %5 = select %bcast_6, %for, %bcast : tile<2xi1>, tile<2xi32>
//|   %6 = loop iter_values(%arg3 = %arg1) : tile<i32> -> tile<2xi32> {
//|     %9 = cmpi equal %arg3, %cst_0_i32, signed : tile<i32> -> tile<i1>
//|     if %9 {
//|       break %5 : tile<2xi32>
//|     }
//|     %10 = subi %arg3, %cst_1_i32 : tile<i32>
//|     continue %10 : tile<i32>
//|   }
//|   %7 = offset %bcast_1, %2 : tile<2xptr<i32>>, tile<2xi32> -> tile<2xptr<i32>>
//|   %8 = store_ptr_tko weak %7, %6 : tile<2xptr<i32>>, tile<2xi32> -> token
//|   return
//| }

// Blocks check their conditions at once.
entry @asserts(%n: tile<i32>) {
  %i, %by, %bz = get_tile_block_id : tile<i32>
  %low = cmpi less_than %i, %n, signed : tile<i32> -> tile<i1>
  assert %low, "too many blocks" : tile<i1>
  return
}
//| entry @asserts(%arg0: tile<i32>) {
//|   %reshape = reshape %arg0 : tile<i32> -> tile<1xi32>
//|   %bcast = broadcast %reshape : tile<1xi32> -> tile<2xi32>
//|   %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
//|   %cst_2_i32 = constant <i32: 2> : tile<i32>
//|   %0 = muli %blockId_x, %cst_2_i32 : tile<i32>
//|   %1 = iota : tile<2xi32>
//|   %reshape_0 = reshape %0 : tile<i32> -> tile<1xi32>
//|   %bcast_1 = broadcast %reshape_0 : tile<1xi32> -> tile<2xi32>
//|   %2 = addi %bcast_1, %1 : tile<2xi32>
//|   %3 = cmpi less_than %2, %bcast, signed : tile<2xi32> -> tile<2xi1>
//|   assert %3, "too many blocks" : tile<2xi1>
//|   return
//| }

// Both numbers grow alike, so their order is that of the first block: the branch is no matter of the block.
entry @compared(%p: tile<ptr<i32>>, %n: tile<i32>) {
  %i, %by, %bz = get_tile_block_id : tile<i32>
  %k = assume bounded<0, 1000>, %n : tile<i32>
  %j = addi %i, %k : tile<i32>
  %low = cmpi less_than %i, %j, signed : tile<i32> -> tile<i1>
  %q = offset %p, %i : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
  if %low {
    %t = store_ptr_tko weak %q, %n : tile<ptr<i32>>, tile<i32> -> token
  }
  return
}
//| entry @compared(%arg0: tile<ptr<i32>>, %arg1: tile<i32>) {
//|   %reshape = reshape %arg1 : tile<i32> -> tile<1xi32>
//|   %bcast = broadcast %reshape : tile<1xi32> -> tile<2xi32>
//|   %reshape_0 = reshape %arg0 : tile<ptr<i32>> -> tile<1xptr<i32>>
//|   %bcast_1 = broadcast %reshape_0 : tile<1xptr<i32>> -> tile<2xptr<i32>>
//|   %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
//|   %cst_2_i32 = constant <i32: 2> : tile<i32>
//|   %0 = muli %blockId_x, %cst_2_i32 : tile<i32>
//|   %1 = iota : tile<2xi32>
//|   %reshape_2 = reshape %0 : tile<i32> -> tile<1xi32>
//|   %bcast_3 = broadcast %reshape_2 : tile<1xi32> -> tile<2xi32>
//|   %2 = addi %bcast_3, %1 : tile<2xi32>
//|   %assume = assume bounded<0, 1000>, %arg1 : tile<i32>
//|   %3 = addi %0, %assume : tile<i32>
//|   %4 = cmpi less_than %0, %3, signed : tile<i32> -> tile<i1>
//|   %5 = offset %bcast_1, %2 : tile<2xptr<i32>>, tile<2xi32> -> tile<2xptr<i32>>
//|   if %4 {
//|     %6 = store_ptr_tko weak %5, %bcast : tile<2xptr<i32>>, tile<2xi32> -> token
//|   }
//|   return
//| }
