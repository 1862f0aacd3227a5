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

// Columns that are divided by a small number are groups of lanes, all in one box; and what is read backwards is read forwards, and turned around.
entry @groups(%from: tile<ptr<f32>>, %to: tile<ptr<f32>>) {
  %bx, %by, %bz = get_tile_block_id : tile<i32>
  %n = constant <i32: 64> : tile<i32>
  %first = muli %bx, %n : tile<i32>
  %f0 = reshape %first : tile<i32> -> tile<1x1xi32>
  %f1 = broadcast %f0 : tile<1x1xi32> -> tile<8x64xi32>
  %lane = iota : tile<64xi32>
  %lane0 = reshape %lane : tile<64xi32> -> tile<1x64xi32>
  %lane1 = broadcast %lane0 : tile<1x64xi32> -> tile<8x64xi32>
  %i = addi %f1, %lane1 : tile<8x64xi32>
  %two = constant <i32: 2> : tile<8x64xi32>
  %half = divi %i, %two signed rounding<negative_inf> : tile<8x64xi32>
  %row = iota : tile<8xi32>
  %row0 = reshape %row : tile<8xi32> -> tile<8x1xi32>
  %row1 = broadcast %row0 : tile<8x1xi32> -> tile<8x64xi32>
  %pitch = constant <i32: 4096> : tile<8x64xi32>
  %start = muli %row1, %pitch : tile<8x64xi32>
  %forwards = addi %start, %half : tile<8x64xi32>
  %end = constant <i32: 4095> : tile<8x64xi32>
  %left = subi %end, %i : tile<8x64xi32>
  %backwards = addi %start, %left : tile<8x64xi32>
  %p0 = reshape %from : tile<ptr<f32>> -> tile<1x1xptr<f32>>
  %p1 = broadcast %p0 : tile<1x1xptr<f32>> -> tile<8x64xptr<f32>>
  %p = offset %p1, %forwards : tile<8x64xptr<f32>>, tile<8x64xi32> -> tile<8x64xptr<f32>>
  %q = offset %p1, %backwards : tile<8x64xptr<f32>>, tile<8x64xi32> -> tile<8x64xptr<f32>>
  %a, %a_t = load_ptr_tko weak %p : tile<8x64xptr<f32>> -> tile<8x64xf32>, token
  %b, %b_t = load_ptr_tko weak %q : tile<8x64xptr<f32>> -> tile<8x64xf32>, token
  %c = addf %a, %b : tile<8x64xf32>
  %yt = make_tensor_view %to, shape = [8, 4096], strides = [4096, 1] : tensor_view<8x4096xf32, strides=[4096,1]>
  %y = make_partition_view %yt : partition_view<tile=(8x64), tensor_view<8x4096xf32, strides=[4096,1]>>
  %zero = constant <i32: 0> : tile<i32>
  %c_s = store_view_tko weak %c, %y[%zero, %bx] : tile<8x64xf32>, partition_view<tile=(8x64), tensor_view<8x4096xf32, strides=[4096,1]>>, tile<i32> -> token
  // CHECK: [[A:%[0-9]+]] = load f32[8, 32, 2] at lanes
  // CHECK-NEXT: [[B:%[0-9]+]] = load f32[8, 64] at lanes {{.*}}63 + -1 * lane1
  // CHECK-NEXT: [[C:%[0-9]+]] = reverse [[B]]: f32[8, 64] dims [1]
  // CHECK-NEXT: AddF(NearestEven, false) -> f32 of 512 ([[A]]: f32[8, 64], [[C]]: f32[8, 64])
  return
}
