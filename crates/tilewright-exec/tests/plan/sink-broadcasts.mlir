// What takes a few steps from a row or a column is computed where it is spread over a tile: once for each row in vector code.

// A quotient for each row, and a product for each column.
entry @factors(%from: tile<ptr<f32>>, %rows: tile<ptr<f32>>, %columns: tile<ptr<f32>>, %m: tile<f32>) {
  %bx, %by, %bz = get_tile_block_id : tile<i32>
  %xt = make_tensor_view %from, shape = [64, 256], strides = [256, 1] : tensor_view<64x256xf32, strides=[256,1]>
  %x = make_partition_view %xt : partition_view<tile=(16x64), tensor_view<64x256xf32, strides=[256,1]>>
  %rt = make_tensor_view %rows, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
  %r = make_partition_view %rt : partition_view<tile=(16), tensor_view<64xf32, strides=[1]>>
  %ct = make_tensor_view %columns, shape = [256], strides = [1] : tensor_view<256xf32, strides=[1]>
  %c = make_partition_view %ct : partition_view<tile=(64), tensor_view<256xf32, strides=[1]>>
  %m1 = reshape %m : tile<f32> -> tile<1xf32>
  %mr = broadcast %m1 : tile<1xf32> -> tile<16xf32>
  %mc = broadcast %m1 : tile<1xf32> -> tile<64xf32>
  %a, %a_t = load_view_tko weak %x[%bx, %by] : partition_view<tile=(16x64), tensor_view<64x256xf32, strides=[256,1]>>, tile<i32> -> tile<16x64xf32>, token
  %b, %b_t = load_view_tko weak %r[%bx] : partition_view<tile=(16), tensor_view<64xf32, strides=[1]>>, tile<i32> -> tile<16xf32>, token
  %d, %d_t = load_view_tko weak %c[%by] : partition_view<tile=(64), tensor_view<256xf32, strides=[1]>>, tile<i32> -> tile<64xf32>, token
  %q = divf %mr, %b : tile<16xf32>
  %q1 = reshape %q : tile<16xf32> -> tile<16x1xf32>
  %qs = broadcast %q1 : tile<16x1xf32> -> tile<16x64xf32>
  %p = mulf %mc, %d : tile<64xf32>
  %p1 = reshape %p : tile<64xf32> -> tile<1x64xf32>
  %ps = broadcast %p1 : tile<1x64xf32> -> tile<16x64xf32>
  %s = addf %a, %qs : tile<16x64xf32>
  %t = addf %s, %ps : tile<16x64xf32>
  %t_x_s = store_view_tko weak %t, %x[%bx, %by] : tile<16x64xf32>, partition_view<tile=(16x64), tensor_view<64x256xf32, strides=[256,1]>>, tile<i32> -> token
  // BEFORE: DivF{{.*}}[16]
  // CHECK: load f32[16, 64]
  // CHECK: [[ROWS:%[0-9]+]] = load f32[16]
  // CHECK: [[COLUMNS:%[0-9]+]] = load f32[64]
  // CHECK-NEXT: [[QUOTIENT:%[0-9]+]] = DivF{{.*}}[[ROWS]]: f32[16, 64] strides [1, 0]
  // CHECK-NEXT: AddF{{.*}}[[QUOTIENT]]: f32[16, 64]
  // CHECK-NEXT: [[PRODUCT:%[0-9]+]] = MulF{{.*}}[[COLUMNS]]: f32[16, 64] strides [0, 1]
  // CHECK-NEXT: AddF{{.*}}[[PRODUCT]]: f32[16, 64]
  return
}

// A quotient for each column would be computed again for each row; what is stored, too, has to be there.
entry @stays(%from: tile<ptr<f32>>, %rows: tile<ptr<f32>>, %columns: tile<ptr<f32>>, %m: tile<f32>) {
  %bx, %by, %bz = get_tile_block_id : tile<i32>
  %xt = make_tensor_view %from, shape = [64, 256], strides = [256, 1] : tensor_view<64x256xf32, strides=[256,1]>
  %x = make_partition_view %xt : partition_view<tile=(16x64), tensor_view<64x256xf32, strides=[256,1]>>
  %rt = make_tensor_view %rows, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
  %r = make_partition_view %rt : partition_view<tile=(16), tensor_view<64xf32, strides=[1]>>
  %ct = make_tensor_view %columns, shape = [256], strides = [1] : tensor_view<256xf32, strides=[1]>
  %c = make_partition_view %ct : partition_view<tile=(64), tensor_view<256xf32, strides=[1]>>
  %m1 = reshape %m : tile<f32> -> tile<1xf32>
  %mr = broadcast %m1 : tile<1xf32> -> tile<16xf32>
  %mc = broadcast %m1 : tile<1xf32> -> tile<64xf32>
  %a, %a_t = load_view_tko weak %x[%bx, %by] : partition_view<tile=(16x64), tensor_view<64x256xf32, strides=[256,1]>>, tile<i32> -> tile<16x64xf32>, token
  %b, %b_t = load_view_tko weak %r[%bx] : partition_view<tile=(16), tensor_view<64xf32, strides=[1]>>, tile<i32> -> tile<16xf32>, token
  %d, %d_t = load_view_tko weak %c[%by] : partition_view<tile=(64), tensor_view<256xf32, strides=[1]>>, tile<i32> -> tile<64xf32>, token
  %q = mulf %mr, %b : tile<16xf32>
  %q_r_s = store_view_tko weak %q, %r[%bx] : tile<16xf32>, partition_view<tile=(16), tensor_view<64xf32, strides=[1]>>, tile<i32> -> token
  %q1 = reshape %q : tile<16xf32> -> tile<16x1xf32>
  %qs = broadcast %q1 : tile<16x1xf32> -> tile<16x64xf32>
  %p = divf %mc, %d : tile<64xf32>
  %p1 = reshape %p : tile<64xf32> -> tile<1x64xf32>
  %ps = broadcast %p1 : tile<1x64xf32> -> tile<16x64xf32>
  %s = addf %a, %qs : tile<16x64xf32>
  %t = addf %s, %ps : tile<16x64xf32>
  %t_x_s = store_view_tko weak %t, %x[%bx, %by] : tile<16x64xf32>, partition_view<tile=(16x64), tensor_view<64x256xf32, strides=[256,1]>>, tile<i32> -> token
  // CHECK: MulF{{.*}}[16]
  // CHECK: DivF{{.*}}[64]
  return
}
