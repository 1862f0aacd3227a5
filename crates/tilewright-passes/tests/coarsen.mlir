// coarsened: 0 by 4

// A row for each block. The tiles of neighbouring blocks are one tile of the view; what all blocks read is read once.
entry @rows(%x: tile<ptr<f32>>, %w: tile<ptr<f32>>, %y: tile<ptr<f32>>, %n: tile<i32>) {
  %i, %by, %bz = get_tile_block_id : tile<i32>
  %zero = constant <i32: 0> : tile<i32>
  %a = make_tensor_view %x, shape = [%n, 64], strides = [64, 1] : tile<i32> -> tensor_view<?x64xf32, strides=[64,1]>
  %b = make_tensor_view %w, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
  %c = make_tensor_view %y, shape = [%n, 64], strides = [64, 1] : tile<i32> -> tensor_view<?x64xf32, strides=[64,1]>
  %as = make_partition_view %a : partition_view<tile=(1x64), tensor_view<?x64xf32, strides=[64,1]>>
  %bs = make_partition_view %b : partition_view<tile=(64), tensor_view<64xf32, strides=[1]>>
  %cs = make_partition_view %c : partition_view<tile=(1x64), tensor_view<?x64xf32, strides=[64,1]>>
  %row, %t0 = load_view_tko weak %as[%i, %zero] : partition_view<tile=(1x64), tensor_view<?x64xf32, strides=[64,1]>>, tile<i32> -> tile<1x64xf32>, token
  %scale, %t1 = load_view_tko weak %bs[%zero] : partition_view<tile=(64), tensor_view<64xf32, strides=[1]>>, tile<i32> -> tile<64xf32>, token
  %flat = reshape %row : tile<1x64xf32> -> tile<64xf32>
  %sum = reduce %flat dim=0 identities=[0.000000e+00 : f32] : tile<64xf32> -> tile<f32>
  (%l: tile<f32>, %r: tile<f32>) {
    %s = addf %l, %r : tile<f32>
    yield %s : tile<f32>
  }
  %one = reshape %sum : tile<f32> -> tile<1xf32>
  %all = broadcast %one : tile<1xf32> -> tile<64xf32>
  %q = divf %flat, %all : tile<64xf32>
  %p = mulf %q, %scale : tile<64xf32>
  %back = reshape %p : tile<64xf32> -> tile<1x64xf32>
  %t2 = store_view_tko weak %back, %cs[%i, %zero] : tile<1x64xf32>, partition_view<tile=(1x64), tensor_view<?x64xf32, strides=[64,1]>>, tile<i32> -> token
  return
}
//| entry @rows(%arg0: tile<ptr<f32>>, %arg1: tile<ptr<f32>>, %arg2: tile<ptr<f32>>, %arg3: tile<i32>) {
//|   %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
//|   %cst_0_i32 = constant <i32: 0> : tile<i32>
//|   %tview = make_tensor_view %arg0, shape = [%arg3, 64], strides = [64, 1] : tile<i32> -> tensor_view<?x64xf32, strides=[64,1]>
//|   %tview_0 = make_tensor_view %arg1, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
//|   %tview_1 = make_tensor_view %arg2, shape = [%arg3, 64], strides = [64, 1] : tile<i32> -> tensor_view<?x64xf32, strides=[64,1]>
//|   %pview = make_partition_view %tview : partition_view<tile=(4x64), tensor_view<?x64xf32, strides=[64,1]>>
//|   %pview_2 = make_partition_view %tview_0 : partition_view<tile=(64), tensor_view<64xf32, strides=[1]>>
//|   %pview_3 = make_partition_view %tview_1 : partition_view<tile=(4x64), tensor_view<?x64xf32, strides=[64,1]>>
//|   %tile, %result_token = load_view_tko weak %pview[%blockId_x, %cst_0_i32] : partition_view<tile=(4x64), tensor_view<?x64xf32, strides=[64,1]>>, tile<i32> -> tile<4x64xf32>, token
//|   %tile_4, %result_token_5 = load_view_tko weak %pview_2[%cst_0_i32] : partition_view<tile=(64), tensor_view<64xf32, strides=[1]>>, tile<i32> -> tile<64xf32>, token
//|   %reshape = reshape %tile_4 : tile<64xf32> -> tile<1x64xf32>
//|   %bcast = broadcast %reshape : tile<1x64xf32> -> tile<4x64xf32>
//|   %reduce = reduce %tile dim=1 identities=[0.000000e+00 : f32] : tile<4x64xf32> -> tile<4xf32>
//|   (%reduce_lhs: tile<f32>, %reduce_rhs: tile<f32>) {
//|     %3 = addf %reduce_lhs, %reduce_rhs  : tile<f32>
//|     yield %3 : tile<f32>
//|   }
//|   %reshape_6 = reshape %reduce : tile<4xf32> -> tile<4x1xf32>
//|   %bcast_7 = broadcast %reshape_6 : tile<4x1xf32> -> tile<4x64xf32>
//|   %0 = divf %tile, %bcast_7  : tile<4x64xf32>
//|   %1 = mulf %0, %bcast  : tile<4x64xf32>
//|   %2 = store_view_tko weak %1, %pview_3[%blockId_x, %cst_0_i32] : tile<4x64xf32>, partition_view<tile=(4x64), tensor_view<?x64xf32, strides=[64,1]>>, tile<i32> -> token
//|   return
//| }

// A row in pieces: the loop is that of each block.
entry @pieces(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>, %n: tile<i32>) {
  %i, %by, %bz = get_tile_block_id : tile<i32>
  %zero = constant <i32: 0> : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  %start = constant <f32: 0.0> : tile<2x8xf32>
  %a = make_tensor_view %x, shape = [%n, 64], strides = [64, 1] : tile<i32> -> tensor_view<?x64xf32, strides=[64,1]>
  %c = make_tensor_view %y, shape = [%n, 8], strides = [8, 1] : tile<i32> -> tensor_view<?x8xf32, strides=[8,1]>
  %as = make_partition_view %a : partition_view<tile=(2x8), tensor_view<?x64xf32, strides=[64,1]>>
  %cs = make_partition_view %c : partition_view<tile=(2x8), tensor_view<?x8xf32, strides=[8,1]>>
  %sum = for %j in (%zero to %n, step %one) : tile<i32> iter_values(%old = %start) -> (tile<2x8xf32>) {
    %piece, %t0 = load_view_tko weak %as[%i, %j] : partition_view<tile=(2x8), tensor_view<?x64xf32, strides=[64,1]>>, tile<i32> -> tile<2x8xf32>, token
    %new = addf %old, %piece : tile<2x8xf32>
    continue %new : tile<2x8xf32>
  }
  %t2 = store_view_tko weak %sum, %cs[%i, %zero] : tile<2x8xf32>, partition_view<tile=(2x8), tensor_view<?x8xf32, strides=[8,1]>>, tile<i32> -> token
  return
}
//| entry @pieces(%arg0: tile<ptr<f32>>, %arg1: tile<ptr<f32>>, %arg2: tile<i32>) {
//|   %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
//|   %cst_0_i32 = constant <i32: 0> : tile<i32>
//|   %cst_1_i32 = constant <i32: 1> : tile<i32>
//|   %cst_0_f32 = constant <f32: 0.000000e+00> : tile<4x2x8xf32>
//|   %tview = make_tensor_view %arg0, shape = [%arg2, 64], strides = [64, 1] : tile<i32> -> tensor_view<?x64xf32, strides=[64,1]>
//|   %tview_0 = make_tensor_view %arg1, shape = [%arg2, 8], strides = [8, 1] : tile<i32> -> tensor_view<?x8xf32, strides=[8,1]>
//|   %pview = make_partition_view %tview : partition_view<tile=(8x8), tensor_view<?x64xf32, strides=[64,1]>>
//|   %pview_1 = make_partition_view %tview_0 : partition_view<tile=(8x8), tensor_view<?x8xf32, strides=[8,1]>>
//|   %for = for %loopIdx in (%cst_0_i32 to %arg2, step %cst_1_i32) : tile<i32> iter_values(%iterArg0 = %cst_0_f32) -> (tile<4x2x8xf32>) {
//|     %tile, %result_token = load_view_tko weak %pview[%blockId_x, %loopIdx] : partition_view<tile=(8x8), tensor_view<?x64xf32, strides=[64,1]>>, tile<i32> -> tile<8x8xf32>, token
//|     %reshape_2 = reshape %tile : tile<8x8xf32> -> tile<4x2x8xf32>
//|     %1 = addf %iterArg0, %reshape_2  : tile<4x2x8xf32>
//|     continue %1 : tile<4x2x8xf32>
//|   }
//|   %reshape = reshape %for : tile<4x2x8xf32> -> tile<8x8xf32>
//|   %0 = store_view_tko weak %reshape, %pview_1[%blockId_x, %cst_0_i32] : tile<8x8xf32>, partition_view<tile=(8x8), tensor_view<?x8xf32, strides=[8,1]>>, tile<i32> -> token
//|   return
//| }

// Pointers: one for each element of each block.
entry @pointers(%x: tile<ptr<f32>>, %n: tile<i32>) {
  %i, %by, %bz = get_tile_block_id : tile<i32>
  %extent = constant <i32: 16> : tile<i32>
  %first = muli %i, %extent : tile<i32>
  %lane = iota : tile<16xi32>
  %f1 = reshape %first : tile<i32> -> tile<1xi32>
  %fs = broadcast %f1 : tile<1xi32> -> tile<16xi32>
  %at = addi %fs, %lane : tile<16xi32>
  %n1 = reshape %n : tile<i32> -> tile<1xi32>
  %ns = broadcast %n1 : tile<1xi32> -> tile<16xi32>
  %mask = cmpi less_than %at, %ns, signed : tile<16xi32> -> tile<16xi1>
  %p1 = reshape %x : tile<ptr<f32>> -> tile<1xptr<f32>>
  %ps = broadcast %p1 : tile<1xptr<f32>> -> tile<16xptr<f32>>
  %q = offset %ps, %at : tile<16xptr<f32>>, tile<16xi32> -> tile<16xptr<f32>>
  %zero = constant <f32: 0.0> : tile<16xf32>
  %v, %t0 = load_ptr_tko weak %q, %mask, %zero : tile<16xptr<f32>>, tile<16xi1>, tile<16xf32> -> tile<16xf32>, token
  %w = addf %v, %v : tile<16xf32>
  %t1 = store_ptr_tko weak %q, %w, %mask token=%t0 : tile<16xptr<f32>>, tile<16xf32>, tile<16xi1> -> token
  return
}
//| entry @pointers(%arg0: tile<ptr<f32>>, %arg1: tile<i32>) {
//|   %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
//|   %cst_64_i32 = constant <i32: 64> : tile<i32>
//|   %0 = muli %blockId_x, %cst_64_i32 : tile<i32>
//|   %1 = iota : tile<4xi32>
//|   %cst_16_i32 = constant <i32: 16> : tile<4xi32>
//|   %2 = muli %1, %cst_16_i32 : tile<4xi32>
//|   %reshape = reshape %0 : tile<i32> -> tile<1xi32>
//|   %bcast = broadcast %reshape : tile<1xi32> -> tile<4xi32>
//|   %3 = addi %bcast, %2 : tile<4xi32>
//|   %4 = iota : tile<16xi32>
//|   %reshape_0 = reshape %4 : tile<16xi32> -> tile<1x16xi32>
//|   %bcast_1 = broadcast %reshape_0 : tile<1x16xi32> -> tile<4x16xi32>
//|   %reshape_2 = reshape %3 : tile<4xi32> -> tile<4x1xi32>
//|   %bcast_3 = broadcast %reshape_2 : tile<4x1xi32> -> tile<4x16xi32>
//|   %5 = addi %bcast_3, %bcast_1 : tile<4x16xi32>
//|   %reshape_4 = reshape %arg1 : tile<i32> -> tile<1xi32>
//|   %bcast_5 = broadcast %reshape_4 : tile<1xi32> -> tile<16xi32>
//|   %reshape_6 = reshape %bcast_5 : tile<16xi32> -> tile<1x16xi32>
//|   %bcast_7 = broadcast %reshape_6 : tile<1x16xi32> -> tile<4x16xi32>
//|   %6 = cmpi less_than %5, %bcast_7, signed : tile<4x16xi32> -> tile<4x16xi1>
//|   %reshape_8 = reshape %arg0 : tile<ptr<f32>> -> tile<1xptr<f32>>
//|   %bcast_9 = broadcast %reshape_8 : tile<1xptr<f32>> -> tile<16xptr<f32>>
//|   %reshape_10 = reshape %bcast_9 : tile<16xptr<f32>> -> tile<1x16xptr<f32>>
//|   %bcast_11 = broadcast %reshape_10 : tile<1x16xptr<f32>> -> tile<4x16xptr<f32>>
//|   %7 = offset %bcast_11, %5 : tile<4x16xptr<f32>>, tile<4x16xi32> -> tile<4x16xptr<f32>>
//|   %cst_0_f32 = constant <f32: 0.000000e+00> : tile<4x16xf32>
//|   %result, %result_token = load_ptr_tko weak %7, %6, %cst_0_f32 : tile<4x16xptr<f32>>, tile<4x16xi1>, tile<4x16xf32> -> tile<4x16xf32>, token
//|   %8 = addf %result, %result  : tile<4x16xf32>
//|   %9 = store_ptr_tko weak %7, %8, %6 token=%result_token : tile<4x16xptr<f32>>, tile<4x16xf32>, tile<4x16xi1> -> token
//|   return
//| }

// Columns: the wider tile has the blocks in the middle.
entry @columns(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>) {
  %i, %by, %bz = get_tile_block_id : tile<i32>
  %zero = constant <i32: 0> : tile<i32>
  %a = make_tensor_view %x, shape = [16, 512], strides = [512, 1] : tensor_view<16x512xf32, strides=[512,1]>
  %c = make_tensor_view %y, shape = [512], strides = [1] : tensor_view<512xf32, strides=[1]>
  %as = make_partition_view %a : partition_view<tile=(16x8), tensor_view<16x512xf32, strides=[512,1]>>
  %cs = make_partition_view %c : partition_view<tile=(8), tensor_view<512xf32, strides=[1]>>
  %tile, %t0 = load_view_tko weak %as[%zero, %i] : partition_view<tile=(16x8), tensor_view<16x512xf32, strides=[512,1]>>, tile<i32> -> tile<16x8xf32>, token
  %max = reduce %tile dim=0 identities=[0xFF800000 : f32] : tile<16x8xf32> -> tile<8xf32>
  (%l: tile<f32>, %r: tile<f32>) {
    %s = maxf %l, %r : tile<f32>
    yield %s : tile<f32>
  }
  %t2 = store_view_tko weak %max, %cs[%i] : tile<8xf32>, partition_view<tile=(8), tensor_view<512xf32, strides=[1]>>, tile<i32> -> token
  return
}
//| entry @columns(%arg0: tile<ptr<f32>>, %arg1: tile<ptr<f32>>) {
//|   %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
//|   %cst_0_i32 = constant <i32: 0> : tile<i32>
//|   %tview = make_tensor_view %arg0, shape = [16, 512], strides = [512, 1] : tensor_view<16x512xf32, strides=[512,1]>
//|   %tview_0 = make_tensor_view %arg1, shape = [512], strides = [1] : tensor_view<512xf32, strides=[1]>
//|   %pview = make_partition_view %tview : partition_view<tile=(16x32), tensor_view<16x512xf32, strides=[512,1]>>
//|   %pview_1 = make_partition_view %tview_0 : partition_view<tile=(32), tensor_view<512xf32, strides=[1]>>
//|   %tile, %result_token = load_view_tko weak %pview[%cst_0_i32, %blockId_x] : partition_view<tile=(16x32), tensor_view<16x512xf32, strides=[512,1]>>, tile<i32> -> tile<16x32xf32>, token
//|   %reshape = reshape %tile : tile<16x32xf32> -> tile<16x4x8xf32>
//|   %0 = permute %reshape [1, 0, 2] : tile<16x4x8xf32> -> tile<4x16x8xf32>
//|   %reduce = reduce %0 dim=1 identities=[0xFF800000 : f32] : tile<4x16x8xf32> -> tile<4x8xf32>
//|   (%reduce_lhs: tile<f32>, %reduce_rhs: tile<f32>) {
//|     %2 = maxf %reduce_lhs, %reduce_rhs : tile<f32>
//|     yield %2 : tile<f32>
//|   }
//|   %reshape_2 = reshape %reduce : tile<4x8xf32> -> tile<32xf32>
//|   %1 = store_view_tko weak %reshape_2, %pview_1[%blockId_x] : tile<32xf32>, partition_view<tile=(32), tensor_view<512xf32, strides=[1]>>, tile<i32> -> token
//|   return
//| }

// An index that is no multiple of the factor for the first block of a group: a view with the distances of the narrow one.
entry @shifted(%x: tile<ptr<i32>>, %y: tile<ptr<i32>>, %n: tile<i32>) {
  %i, %by, %bz = get_tile_block_id : tile<i32>
  %k = assume bounded<0, 1000>, %n : tile<i32>
  %j = addi %i, %k : tile<i32>
  %a = make_tensor_view %x, shape = [4096], strides = [1] : tensor_view<4096xi32, strides=[1]>
  %c = make_tensor_view %y, shape = [4096], strides = [1] : tensor_view<4096xi32, strides=[1]>
  %as = make_partition_view %a : partition_view<tile=(8), tensor_view<4096xi32, strides=[1]>>
  %cs = make_partition_view %c : partition_view<tile=(8), tensor_view<4096xi32, strides=[1]>>
  %tile, %t0 = load_view_tko weak %as[%j] : partition_view<tile=(8), tensor_view<4096xi32, strides=[1]>>, tile<i32> -> tile<8xi32>, token
  %t2 = store_view_tko weak %tile, %cs[%i] : tile<8xi32>, partition_view<tile=(8), tensor_view<4096xi32, strides=[1]>>, tile<i32> -> token
  return
}
//| entry @shifted(%arg0: tile<ptr<i32>>, %arg1: tile<ptr<i32>>, %arg2: tile<i32>) {
//|   %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
//|   %cst_4_i32 = constant <i32: 4> : tile<i32>
//|   %0 = muli %blockId_x, %cst_4_i32 : tile<i32>
//|   %assume = assume bounded<0, 1000>, %arg2 : tile<i32>
//|   %1 = addi %0, %assume : tile<i32>
//|   %tview = make_tensor_view %arg0, shape = [4096], strides = [1] : tensor_view<4096xi32, strides=[1]>
//|   %tview_0 = make_tensor_view %arg1, shape = [4096], strides = [1] : tensor_view<4096xi32, strides=[1]>
//|   %sview = make_strided_view %tview : strided_view<tile=(32), traversal_strides=[8], tensor_view<4096xi32, strides=[1]>>
//|   %pview = make_partition_view %tview_0 : partition_view<tile=(32), tensor_view<4096xi32, strides=[1]>>
//|   %tile, %result_token = load_view_tko weak %sview[%1] : strided_view<tile=(32), traversal_strides=[8], tensor_view<4096xi32, strides=[1]>>, tile<i32> -> tile<32xi32>, token
//|   %2 = store_view_tko weak %tile, %pview[%blockId_x] : tile<32xi32>, partition_view<tile=(32), tensor_view<4096xi32, strides=[1]>>, tile<i32> -> token
//|   return
//| }

// Numbers of blocks taken apart: the quotient by a multiple of the factor is that of all blocks of a group.
entry @apart(%x: tile<ptr<i32>>, %y: tile<ptr<i32>>) {
  %i, %by, %bz = get_tile_block_id : tile<i32>
  %across = constant <i32: 8> : tile<i32>
  %row = divi %i, %across signed : tile<i32>
  %column = remi %i, %across signed : tile<i32>
  %a = make_tensor_view %x, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xi32, strides=[64,1]>
  %c = make_tensor_view %y, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xi32, strides=[64,1]>
  %as = make_partition_view %a : partition_view<tile=(1x8), tensor_view<64x64xi32, strides=[64,1]>>
  %cs = make_partition_view %c : partition_view<tile=(1x8), tensor_view<64x64xi32, strides=[64,1]>>
  %tile, %t0 = load_view_tko weak %as[%row, %column] : partition_view<tile=(1x8), tensor_view<64x64xi32, strides=[64,1]>>, tile<i32> -> tile<1x8xi32>, token
  %t2 = store_view_tko weak %tile, %cs[%row, %column] : tile<1x8xi32>, partition_view<tile=(1x8), tensor_view<64x64xi32, strides=[64,1]>>, tile<i32> -> token
  return
}
//| entry @apart(%arg0: tile<ptr<i32>>, %arg1: tile<ptr<i32>>) {
//|   %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
//|   %cst_4_i32 = constant <i32: 4> : tile<i32>
//|   %0 = muli %blockId_x, %cst_4_i32 : tile<i32>
//|   %cst_8_i32 = constant <i32: 8> : tile<i32>
//|   %1 = divi %0, %cst_8_i32 signed : tile<i32>
//|   %2 = remi %0, %cst_8_i32 signed : tile<i32>
//|   %tview = make_tensor_view %arg0, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xi32, strides=[64,1]>
//|   %tview_0 = make_tensor_view %arg1, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xi32, strides=[64,1]>
//|   %pview = make_partition_view %tview : partition_view<tile=(1x32), tensor_view<64x64xi32, strides=[64,1]>>
//|   %pview_1 = make_partition_view %tview_0 : partition_view<tile=(1x32), tensor_view<64x64xi32, strides=[64,1]>>
//|   %cst_2_i32 = constant <i32: 2> : tile<i32>
//|   %3 = shri %2, %cst_2_i32 unsigned : tile<i32>
//|   %tile, %result_token = load_view_tko weak %pview[%1, %3] : partition_view<tile=(1x32), tensor_view<64x64xi32, strides=[64,1]>>, tile<i32> -> tile<1x32xi32>, token
//|   %4 = store_view_tko weak %tile, %pview_1[%1, %3] : tile<1x32xi32>, partition_view<tile=(1x32), tensor_view<64x64xi32, strides=[64,1]>>, tile<i32> -> token
//|   return
//| }

// The last of what a block does is an update of which nothing is read: those of a group are in the order of its blocks.
entry @updates(%x: tile<ptr<i32>>, %y: tile<ptr<f32>>) {
  %i, %by, %bz = get_tile_block_id : tile<i32>
  %p = offset %x, %i : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
  %row, %t = load_ptr_tko weak %p : tile<ptr<i32>> -> tile<i32>, token
  %q = offset %y, %row : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
  %one = constant <f32: 1.0> : tile<f32>
  %old, %u = atomic_rmw_tko relaxed device %q, addf, %one token=%t : tile<ptr<f32>>, tile<f32> -> tile<f32>, token
  return
}
//| entry @updates(%arg0: tile<ptr<i32>>, %arg1: tile<ptr<f32>>) {
//|   %reshape = reshape %arg1 : tile<ptr<f32>> -> tile<1xptr<f32>>
//|   %bcast = broadcast %reshape : tile<1xptr<f32>> -> tile<4xptr<f32>>
//|   %reshape_0 = reshape %arg0 : tile<ptr<i32>> -> tile<1xptr<i32>>
//|   %bcast_1 = broadcast %reshape_0 : tile<1xptr<i32>> -> tile<4xptr<i32>>
//|   %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
//|   %cst_4_i32 = constant <i32: 4> : tile<i32>
//|   %0 = muli %blockId_x, %cst_4_i32 : tile<i32>
//|   %1 = iota : tile<4xi32>
//|   %reshape_2 = reshape %0 : tile<i32> -> tile<1xi32>
//|   %bcast_3 = broadcast %reshape_2 : tile<1xi32> -> tile<4xi32>
//|   %2 = addi %bcast_3, %1 : tile<4xi32>
//|   %3 = offset %bcast_1, %2 : tile<4xptr<i32>>, tile<4xi32> -> tile<4xptr<i32>>
//|   %result, %result_token = load_ptr_tko weak %3 : tile<4xptr<i32>> -> tile<4xi32>, token
//|   %4 = offset %bcast, %result : tile<4xptr<f32>>, tile<4xi32> -> tile<4xptr<f32>>
//|   %cst_1_f32 = constant <f32: 1.000000e+00> : tile<4xf32>
//|   %result_4, %result_token_5 = atomic_rmw_tko relaxed device %4, addf, %cst_1_f32 token=%result_token : tile<4xptr<f32>>, tile<4xf32> -> tile<4xf32>, token
//|   return
//| }

// What is computed only to be stored is computed in the order of the wider tile; what is read otherwise, too, is not.
entry @stored(%x: tile<ptr<f32>>, %y: tile<ptr<f16>>, %z: tile<ptr<f32>>) {
  %i, %by, %bz = get_tile_block_id : tile<i32>
  %zero = constant <i32: 0> : tile<i32>
  %a = make_tensor_view %x, shape = [8, 4096], strides = [4096, 1] : tensor_view<8x4096xf32, strides=[4096,1]>
  %c = make_tensor_view %y, shape = [8, 4096], strides = [4096, 1] : tensor_view<8x4096xf16, strides=[4096,1]>
  %d = make_tensor_view %z, shape = [4096], strides = [1] : tensor_view<4096xf32, strides=[1]>
  %as = make_partition_view %a : partition_view<tile=(8x16), tensor_view<8x4096xf32, strides=[4096,1]>>
  %cs = make_partition_view %c : partition_view<tile=(8x16), tensor_view<8x4096xf16, strides=[4096,1]>>
  %ds = make_partition_view %d : partition_view<tile=(16), tensor_view<4096xf32, strides=[1]>>
  %tile, %t0 = load_view_tko weak %as[%zero, %i] : partition_view<tile=(8x16), tensor_view<8x4096xf32, strides=[4096,1]>>, tile<i32> -> tile<8x16xf32>, token
  %power = exp %tile : tile<8x16xf32>
  %sum = reduce %power dim=0 identities=[0.000000e+00 : f32] : tile<8x16xf32> -> tile<16xf32>
  (%l: tile<f32>, %r: tile<f32>) {
    %plus = addf %l, %r : tile<f32>
    yield %plus : tile<f32>
  }
  %root = sqrt %power : tile<8x16xf32>
  %scaled = mulf %root, %tile : tile<8x16xf32>
  %half = ftof %scaled : tile<8x16xf32> -> tile<8x16xf16>
  %t1 = store_view_tko weak %half, %cs[%zero, %i] : tile<8x16xf16>, partition_view<tile=(8x16), tensor_view<8x4096xf16, strides=[4096,1]>>, tile<i32> -> token
  %t2 = store_view_tko weak %sum, %ds[%i] : tile<16xf32>, partition_view<tile=(16), tensor_view<4096xf32, strides=[1]>>, tile<i32> -> token
  return
}
//| entry @stored(%arg0: tile<ptr<f32>>, %arg1: tile<ptr<f16>>, %arg2: tile<ptr<f32>>) {
//|   %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
//|   %cst_0_i32 = constant <i32: 0> : tile<i32>
//|   %tview = make_tensor_view %arg0, shape = [8, 4096], strides = [4096, 1] : tensor_view<8x4096xf32, strides=[4096,1]>
//|   %tview_0 = make_tensor_view %arg1, shape = [8, 4096], strides = [4096, 1] : tensor_view<8x4096xf16, strides=[4096,1]>
//|   %tview_1 = make_tensor_view %arg2, shape = [4096], strides = [1] : tensor_view<4096xf32, strides=[1]>
//|   %pview = make_partition_view %tview : partition_view<tile=(8x64), tensor_view<8x4096xf32, strides=[4096,1]>>
//|   %pview_2 = make_partition_view %tview_0 : partition_view<tile=(8x64), tensor_view<8x4096xf16, strides=[4096,1]>>
//|   %pview_3 = make_partition_view %tview_1 : partition_view<tile=(64), tensor_view<4096xf32, strides=[1]>>
//|   %tile, %result_token = load_view_tko weak %pview[%cst_0_i32, %blockId_x] : partition_view<tile=(8x64), tensor_view<8x4096xf32, strides=[4096,1]>>, tile<i32> -> tile<8x64xf32>, token
//|   %reshape = reshape %tile : tile<8x64xf32> -> tile<8x4x16xf32>
//|   %0 = permute %reshape [1, 0, 2] : tile<8x4x16xf32> -> tile<4x8x16xf32>
//|   %1 = exp %0  : tile<4x8x16xf32>
//|   %reduce = reduce %1 dim=1 identities=[0.000000e+00 : f32] : tile<4x8x16xf32> -> tile<4x16xf32>
//|   (%reduce_lhs: tile<f32>, %reduce_rhs: tile<f32>) {
//|     %8 = addf %reduce_lhs, %reduce_rhs  : tile<f32>
//|     yield %8 : tile<f32>
//|   }
//|   %2 = permute %1 [1, 0, 2] : tile<4x8x16xf32> -> tile<8x4x16xf32>
//|   %3 = sqrt %2  : tile<8x4x16xf32>
//|   %4 = mulf %3, %reshape  : tile<8x4x16xf32>
//|   %5 = ftof %4  : tile<8x4x16xf32> -> tile<8x4x16xf16>
//|   %reshape_4 = reshape %5 : tile<8x4x16xf16> -> tile<8x64xf16>
//|   %6 = store_view_tko weak %reshape_4, %pview_2[%cst_0_i32, %blockId_x] : tile<8x64xf16>, partition_view<tile=(8x64), tensor_view<8x4096xf16, strides=[4096,1]>>, tile<i32> -> token
//|   %reshape_5 = reshape %reduce : tile<4x16xf32> -> tile<64xf32>
//|   %7 = store_view_tko weak %reshape_5, %pview_3[%blockId_x] : tile<64xf32>, partition_view<tile=(64), tensor_view<4096xf32, strides=[1]>>, tile<i32> -> token
//|   return
//| }

// So is what gets dimensions of extent 1 before it is stored.
entry @batch(%x: tile<ptr<f32>>, %y: tile<ptr<f16>>) {
  %i, %by, %bz = get_tile_block_id : tile<i32>
  %zero = constant <i32: 0> : tile<i32>
  %a = make_tensor_view %x, shape = [8, 4096], strides = [4096, 1] : tensor_view<8x4096xf32, strides=[4096,1]>
  %c = make_tensor_view %y, shape = [1, 8, 4096], strides = [32768, 4096, 1] : tensor_view<1x8x4096xf16, strides=[32768,4096,1]>
  %as = make_partition_view %a : partition_view<tile=(8x16), tensor_view<8x4096xf32, strides=[4096,1]>>
  %cs = make_partition_view %c : partition_view<tile=(1x8x16), tensor_view<1x8x4096xf16, strides=[32768,4096,1]>>
  %tile, %t0 = load_view_tko weak %as[%zero, %i] : partition_view<tile=(8x16), tensor_view<8x4096xf32, strides=[4096,1]>>, tile<i32> -> tile<8x16xf32>, token
  %half = ftof %tile : tile<8x16xf32> -> tile<8x16xf16>
  %one = reshape %half : tile<8x16xf16> -> tile<1x8x16xf16>
  %t1 = store_view_tko weak %one, %cs[%zero, %zero, %i] : tile<1x8x16xf16>, partition_view<tile=(1x8x16), tensor_view<1x8x4096xf16, strides=[32768,4096,1]>>, tile<i32> -> token
  return
}
//| entry @batch(%arg0: tile<ptr<f32>>, %arg1: tile<ptr<f16>>) {
//|   %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
//|   %cst_0_i32 = constant <i32: 0> : tile<i32>
//|   %tview = make_tensor_view %arg0, shape = [8, 4096], strides = [4096, 1] : tensor_view<8x4096xf32, strides=[4096,1]>
//|   %tview_0 = make_tensor_view %arg1, shape = [1, 8, 4096], strides = [32768, 4096, 1] : tensor_view<1x8x4096xf16, strides=[32768,4096,1]>
//|   %pview = make_partition_view %tview : partition_view<tile=(8x64), tensor_view<8x4096xf32, strides=[4096,1]>>
//|   %pview_1 = make_partition_view %tview_0 : partition_view<tile=(1x8x64), tensor_view<1x8x4096xf16, strides=[32768,4096,1]>>
//|   %tile, %result_token = load_view_tko weak %pview[%cst_0_i32, %blockId_x] : partition_view<tile=(8x64), tensor_view<8x4096xf32, strides=[4096,1]>>, tile<i32> -> tile<8x64xf32>, token
//|   %reshape = reshape %tile : tile<8x64xf32> -> tile<8x4x16xf32>
//|   %0 = ftof %reshape  : tile<8x4x16xf32> -> tile<8x4x16xf16>
//|   %reshape_2 = reshape %0 : tile<8x4x16xf16> -> tile<1x8x64xf16>
//|   %1 = store_view_tko weak %reshape_2, %pview_1[%cst_0_i32, %cst_0_i32, %blockId_x] : tile<1x8x64xf16>, partition_view<tile=(1x8x64), tensor_view<1x8x4096xf16, strides=[32768,4096,1]>>, tile<i32> -> token
//|   return
//| }
