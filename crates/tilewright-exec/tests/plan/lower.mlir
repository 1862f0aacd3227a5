// What is the same for all blocks is computed once, in the prologue; the rest is linear code on registers.

// A multiple of an argument is the same in all blocks, its sum with the number of a block is not.
entry @invariant(%from: tile<ptr<f32>>, %to: tile<ptr<f32>>, %n: tile<i32>) {
  %bx, %by, %bz = get_tile_block_id : tile<i32>
  %three = constant <i32: 3> : tile<i32>
  %m = muli %n, %three : tile<i32>
  %at = addi %bx, %m : tile<i32>
  %xt = make_tensor_view %from, shape = [65536], strides = [1] : tensor_view<65536xf32, strides=[1]>
  %x = make_partition_view %xt : partition_view<tile=(2048), tensor_view<65536xf32, strides=[1]>>
  %yt = make_tensor_view %to, shape = [65536], strides = [1] : tensor_view<65536xf32, strides=[1]>
  %y = make_partition_view %yt : partition_view<tile=(2048), tensor_view<65536xf32, strides=[1]>>
  %a, %a_t = load_view_tko weak %x[%at] : partition_view<tile=(2048), tensor_view<65536xf32, strides=[1]>>, tile<i32> -> tile<2048xf32>, token
  %a_y_s = store_view_tko weak %a, %y[%bx] : tile<2048xf32>, partition_view<tile=(2048), tensor_view<65536xf32, strides=[1]>>, tile<i32> -> token
  // CHECK: prologue:
  // CHECK-NEXT: MulI -> i32 of 1
  // CHECK-NEXT: code:
  // CHECK-NEXT: [[BX:%[0-9]+]], {{.*}} = block_id
  // CHECK-NEXT: [[AT:%[0-9]+]] = AddI -> i32 of 1 ([[BX]]: i32, c{{[0-9]+}}: i32)
  // CHECK-NEXT: load f32[2048]
  // CHECK-SAME: [[AT]]: i32 * 2048
  // CHECK-NEXT: store f32[2048]
  // CHECK-NEXT: return
  return
}

// A branch is a jump.
entry @branch(%to: tile<ptr<i32>>, %n: tile<i32>) {
  %bx, %by, %bz = get_tile_block_id : tile<i32>
  %zero = constant <i32: 0> : tile<i32>
  %yt = make_tensor_view %to, shape = [64], strides = [1] : tensor_view<64xi32, strides=[1]>
  %y = make_partition_view %yt : partition_view<tile=(1), tensor_view<64xi32, strides=[1]>>
  %less = cmpi less_than %bx, %n, signed : tile<i32> -> tile<i1>
  if %less {
    %b1 = reshape %bx : tile<i32> -> tile<1xi32>
    %b1_y_s = store_view_tko weak %b1, %y[%bx] : tile<1xi32>, partition_view<tile=(1), tensor_view<64xi32, strides=[1]>>, tile<i32> -> token
    yield
  }
  // CHECK: [[LESS:%[0-9]+]] = CmpI(LessThan
  // CHECK-NEXT: branch_unless [[LESS]]: i1
  // CHECK-NEXT: store i32[1]
  // CHECK-NEXT: jump
  // CHECK: return
  return
}
