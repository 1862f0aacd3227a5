// coarsened: 1 by 2

// A branch that blocks take differently.
entry @branch(%p: tile<ptr<i32>>) {
  %bx, %i, %bz = get_tile_block_id : tile<i32>
  %four = constant <i32: 4> : tile<i32>
  %low = cmpi less_than %i, %four, signed : tile<i32> -> tile<i1>
  %q = offset %p, %i : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
  if %low {
    %t = store_ptr_tko weak %q, %four : tile<ptr<i32>>, tile<i32> -> token
  }
  return
}
//| refused: if: the condition depends on the block

// A loop that takes longer in some blocks.
entry @counts(%p: tile<ptr<i32>>, %n: tile<i32>) {
  %bx, %i, %bz = get_tile_block_id : tile<i32>
  %zero = constant <i32: 0> : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  %q = offset %p, %i : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
  %sum = for %j in (%zero to %i, step %one) : tile<i32> iter_values(%old = %zero) -> (tile<i32>) {
    %new = addi %old, %j : tile<i32>
    continue %new : tile<i32>
  }
  %t = store_ptr_tko weak %q, %sum : tile<ptr<i32>>, tile<i32> -> token
  return
}
//| refused: for: how often the loop runs depends on the block

// How many blocks there are.
entry @grid(%p: tile<ptr<i32>>) {
  %bx, %i, %bz = get_tile_block_id : tile<i32>
  %nx, %ny, %nz = get_num_tile_blocks : tile<i32>
  %q = offset %p, %i : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
  %t = store_ptr_tko weak %q, %ny : tile<ptr<i32>>, tile<i32> -> token
  return
}
//| refused: get_num_tile_blocks: the extent of the grid is used, which is another one for coarser blocks

// How many there are along another axis is no matter.
entry @other_axes(%p: tile<ptr<i32>>) {
  %bx, %i, %bz = get_tile_block_id : tile<i32>
  %nx, %ny, %nz = get_num_tile_blocks : tile<i32>
  %q = offset %p, %i : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
  %t = store_ptr_tko weak %q, %nx : tile<ptr<i32>>, tile<i32> -> token
  return
}
//| entry @other_axes(%arg0: tile<ptr<i32>>) {
//|   %reshape = reshape %arg0 : tile<ptr<i32>> -> tile<1xptr<i32>>
//|   %bcast = broadcast %reshape : tile<1xptr<i32>> -> tile<2xptr<i32>>
//|   %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
//|   %cst_2_i32 = constant <i32: 2> : tile<i32>
//|   %0 = muli %blockId_y, %cst_2_i32 : tile<i32>
//|   %1 = iota : tile<2xi32>
//|   %reshape_0 = reshape %0 : tile<i32> -> tile<1xi32>
//|   %bcast_1 = broadcast %reshape_0 : tile<1xi32> -> tile<2xi32>
//|   %2 = addi %bcast_1, %1 : tile<2xi32>
//|   %gridSize_x, %gridSize_y, %gridSize_z = get_num_tile_blocks : tile<i32>
//|   %reshape_2 = reshape %gridSize_x : tile<i32> -> tile<1xi32>
//|   %bcast_3 = broadcast %reshape_2 : tile<1xi32> -> tile<2xi32>
//|   %3 = offset %bcast, %2 : tile<2xptr<i32>>, tile<2xi32> -> tile<2xptr<i32>>
//|   %4 = store_ptr_tko weak %3, %bcast_3 : tile<2xptr<i32>>, tile<2xi32> -> token
//|   return
//| }

// All blocks store at one place, one of them last.
entry @one_place(%p: tile<ptr<i32>>) {
  %bx, %i, %bz = get_tile_block_id : tile<i32>
  %t = store_ptr_tko weak %p, %i : tile<ptr<i32>>, tile<i32> -> token
  return
}
//| refused: store_ptr_tko: all blocks store at one place

// What one block finds says what others did before.
entry @ticket(%p: tile<ptr<i32>>, %q: tile<ptr<i32>>) {
  %bx, %i, %bz = get_tile_block_id : tile<i32>
  %old, %t = atomic_rmw_tko relaxed device %p, add, %i : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
  %r = offset %q, %old : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
  return
}
//| refused: atomic_rmw_tko: what an atomic update finds may depend on what other blocks do

entry @update_and_store(%p: tile<ptr<i32>>) {
  %bx, %i, %bz = get_tile_block_id : tile<i32>
  %old, %t = atomic_rmw_tko relaxed device %p, add, %i : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
  %q = offset %p, %i : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
  %s = store_ptr_tko weak %q, %i : tile<ptr<i32>>, tile<i32> -> token
  return
}
//| refused: atomic_rmw_tko: an atomic update is not the last access to memory of its block

entry @updates_in_a_loop(%p: tile<ptr<i32>>, %n: tile<i32>) {
  %bx, %i, %bz = get_tile_block_id : tile<i32>
  %zero = constant <i32: 0> : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  for %j in (%zero to %n, step %one) : tile<i32> {
    %old, %t = atomic_rmw_tko relaxed device %p, add, %i : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
    continue
  }
  return
}
//| refused: atomic_rmw_tko: an atomic update is not the last access to memory of its block

entry @strong(%p: tile<ptr<i32>>) {
  %bx, %i, %bz = get_tile_block_id : tile<i32>
  %q = offset %p, %i : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
  %t = store_ptr_tko release device %q, %i : tile<ptr<i32>>, tile<i32> -> token
  return
}
//| refused: store_ptr_tko: the access is not weak, so it may order blocks

entry @prints() {
  %bx, %i, %bz = get_tile_block_id : tile<i32>
  %t = print_tko "%d", %i : tile<i32> -> token
  return
}
//| refused: print_tko: blocks print one after the other

entry @local() {
  %p = alloca num_elem = 4, alignment = 4 : tile<ptr<i32>>
  return
}
//| refused: alloca: each block has memory of its own

// Tiles along a diagonal.
entry @diagonal(%x: tile<ptr<f32>>) {
  %bx, %i, %bz = get_tile_block_id : tile<i32>
  %one = constant <f32: 1.0> : tile<4x4xf32>
  %a = make_tensor_view %x, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xf32, strides=[64,1]>
  %as = make_partition_view %a : partition_view<tile=(4x4), tensor_view<64x64xf32, strides=[64,1]>>
  %t = store_view_tko weak %one, %as[%i, %i] : tile<4x4xf32>, partition_view<tile=(4x4), tensor_view<64x64xf32, strides=[64,1]>>, tile<i32> -> token
  return
}
//| refused: store_view_tko: the number of the block decides about more than one dimension of a view

// Tiles with other tiles between them.
entry @apart(%x: tile<ptr<f32>>) {
  %bx, %i, %bz = get_tile_block_id : tile<i32>
  %two = constant <i32: 2> : tile<i32>
  %j = muli %i, %two : tile<i32>
  %one = constant <f32: 1.0> : tile<4xf32>
  %a = make_tensor_view %x, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
  %as = make_partition_view %a : partition_view<tile=(4), tensor_view<64xf32, strides=[1]>>
  %t = store_view_tko weak %one, %as[%j] : tile<4xf32>, partition_view<tile=(4), tensor_view<64xf32, strides=[1]>>, tile<i32> -> token
  return
}
//| refused: store_view_tko: the tiles of neighbouring blocks do not lie side by side along dimension 0

// An index that may go past the end of its width between two blocks.
entry @overflow(%x: tile<ptr<f32>>, %n: tile<i32>) {
  %bx, %i, %bz = get_tile_block_id : tile<i32>
  %j = addi %i, %n : tile<i32>
  %one = constant <f32: 1.0> : tile<4xf32>
  %a = make_tensor_view %x, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
  %as = make_partition_view %a : partition_view<tile=(4), tensor_view<64xf32, strides=[1]>>
  %t = store_view_tko weak %one, %as[%j] : tile<4xf32>, partition_view<tile=(4), tensor_view<64xf32, strides=[1]>>, tile<i32> -> token
  return
}
//| refused: store_view_tko: index 0 may overflow

// A tensor for each block.
entry @tensors(%x: tile<ptr<f32>>) {
  %bx, %i, %bz = get_tile_block_id : tile<i32>
  %zero = constant <i32: 0> : tile<i32>
  %p = offset %x, %i : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
  %one = constant <f32: 1.0> : tile<4xf32>
  %a = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
  %as = make_partition_view %a : partition_view<tile=(4), tensor_view<64xf32, strides=[1]>>
  %t = store_view_tko weak %one, %as[%zero] : tile<4xf32>, partition_view<tile=(4), tensor_view<64xf32, strides=[1]>>, tile<i32> -> token
  return
}
//| refused: make_tensor_view: the view depends on the block

// A reduction by an operation that is another one for each block.
entry @captures(%x: tile<ptr<f32>>) {
  %bx, %i, %bz = get_tile_block_id : tile<i32>
  %tile = constant <i32: 1> : tile<8xi32>
  %sum = reduce %tile dim=0 identities=[0 : i32] : tile<8xi32> -> tile<i32>
  (%l: tile<i32>, %r: tile<i32>) {
    %s = addi %l, %r : tile<i32>
    %m = maxi %s, %i signed : tile<i32>
    yield %m : tile<i32>
  }
  return
}
//| refused: maxi: the region of a reduction or scan uses a value that depends on the block

// Sums of floats in columns: in which order these are scanned depends on how many there are, and two times 32 are many.
entry @columns(%p: tile<ptr<f32>>) {
  %bx, %i, %bz = get_tile_block_id : tile<i32>
  %float = itof %i signed : tile<i32> -> tile<f32>
  %f1 = reshape %float : tile<f32> -> tile<1x1xf32>
  %tile = broadcast %f1 : tile<1x1xf32> -> tile<8x32xf32>
  %sums = scan %tile dim=0 reverse=false identities=[0.0 : f32] : tile<8x32xf32> -> tile<8x32xf32>
  (%l: tile<f32>, %r: tile<f32>) {
    %s = addf %l, %r : tile<f32>
    yield %s : tile<f32>
  }
  return
}
//| refused: scan: the order in which it combines may depend on how many rows there are

// More elements than a tile may have.
entry @large(%x: tile<ptr<f32>>) {
  %bx, %i, %bz = get_tile_block_id : tile<i32>
  %a = make_tensor_view %x, shape = [268435456], strides = [1] : tensor_view<268435456xf32, strides=[1]>
  %as = make_partition_view %a : partition_view<tile=(16777216), tensor_view<268435456xf32, strides=[1]>>
  %tile, %t0 = load_view_tko weak %as[%i] : partition_view<tile=(16777216), tensor_view<268435456xf32, strides=[1]>>, tile<i32> -> tile<16777216xf32>, token
  return
}
//| refused: load_view_tko: a tile has at most 16777216 elements, found 33554432
