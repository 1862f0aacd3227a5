// A product may write to the register that a loop carries, if nothing reads there what was carried before.

// The sum of the products so far is read by the next product only.
entry @carried(%a: tile<ptr<f16>>, %b: tile<ptr<f16>>, %c: tile<ptr<f32>>, %n: tile<i32>) {
  %bx, %by, %bz = get_tile_block_id : tile<i32>
  %zero = constant <i32: 0> : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  %zeros = constant <f32: 0.0> : tile<64x64xf32>
  %avt = make_tensor_view %a, shape = [256, 256], strides = [256, 1] : tensor_view<256x256xf16, strides=[256,1]>
  %av = make_partition_view %avt : partition_view<tile=(64x32), tensor_view<256x256xf16, strides=[256,1]>>
  %bvt = make_tensor_view %b, shape = [256, 256], strides = [256, 1] : tensor_view<256x256xf16, strides=[256,1]>
  %bv = make_partition_view %bvt : partition_view<tile=(32x64), tensor_view<256x256xf16, strides=[256,1]>>
  %cvt = make_tensor_view %c, shape = [256, 256], strides = [256, 1] : tensor_view<256x256xf32, strides=[256,1]>
  %cv = make_partition_view %cvt : partition_view<tile=(64x64), tensor_view<256x256xf32, strides=[256,1]>>
  %sum = for %k in (%zero to %n, step %one) : tile<i32> iter_values(%acc = %zeros) -> (tile<64x64xf32>) {
    %l, %l_t = load_view_tko weak %av[%bx, %k] : partition_view<tile=(64x32), tensor_view<256x256xf16, strides=[256,1]>>, tile<i32> -> tile<64x32xf16>, token
    %r, %r_t = load_view_tko weak %bv[%k, %by] : partition_view<tile=(32x64), tensor_view<256x256xf16, strides=[256,1]>>, tile<i32> -> tile<32x64xf16>, token
    %next = mmaf %l, %r, %acc : tile<64x32xf16>, tile<32x64xf16>, tile<64x64xf32>
    continue %next : tile<64x64xf32>
  }
  %sum_cv_s = store_view_tko weak %sum, %cv[%bx, %by] : tile<64x64xf32>, partition_view<tile=(64x64), tensor_view<256x256xf32, strides=[256,1]>>, tile<i32> -> token
  // BEFORE: [[NEW:%[0-9]+]] = matmul
  // BEFORE-NEXT: [[SUM:%[0-9]+]] = move [[NEW]]:
  // CHECK: [[SUM:%[0-9]+]] = move c{{.*}}f32[64, 64]
  // CHECK: [[SUM]] = matmul{{.*}} [[SUM]]: f32[64, 64]
  // CHECK-NEXT: jump
  return
}

// What was carried is read behind the product.
entry @read_later(%a: tile<ptr<f16>>, %b: tile<ptr<f16>>, %c: tile<ptr<f32>>, %n: tile<i32>) {
  %bx, %by, %bz = get_tile_block_id : tile<i32>
  %zero = constant <i32: 0> : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  %zeros = constant <f32: 0.0> : tile<64x64xf32>
  %avt = make_tensor_view %a, shape = [256, 256], strides = [256, 1] : tensor_view<256x256xf16, strides=[256,1]>
  %av = make_partition_view %avt : partition_view<tile=(64x32), tensor_view<256x256xf16, strides=[256,1]>>
  %bvt = make_tensor_view %b, shape = [256, 256], strides = [256, 1] : tensor_view<256x256xf16, strides=[256,1]>
  %bv = make_partition_view %bvt : partition_view<tile=(32x64), tensor_view<256x256xf16, strides=[256,1]>>
  %cvt = make_tensor_view %c, shape = [256, 256], strides = [256, 1] : tensor_view<256x256xf32, strides=[256,1]>
  %cv = make_partition_view %cvt : partition_view<tile=(64x64), tensor_view<256x256xf32, strides=[256,1]>>
  %sum = for %k in (%zero to %n, step %one) : tile<i32> iter_values(%acc = %zeros) -> (tile<64x64xf32>) {
    %l, %l_t = load_view_tko weak %av[%bx, %k] : partition_view<tile=(64x32), tensor_view<256x256xf16, strides=[256,1]>>, tile<i32> -> tile<64x32xf16>, token
    %r, %r_t = load_view_tko weak %bv[%k, %by] : partition_view<tile=(32x64), tensor_view<256x256xf16, strides=[256,1]>>, tile<i32> -> tile<32x64xf16>, token
    %next = mmaf %l, %r, %acc : tile<64x32xf16>, tile<32x64xf16>, tile<64x64xf32>
    %both = addf %next, %acc : tile<64x64xf32>
    continue %both : tile<64x64xf32>
  }
  %sum_cv_s = store_view_tko weak %sum, %cv[%bx, %by] : tile<64x64xf32>, partition_view<tile=(64x64), tensor_view<256x256xf32, strides=[256,1]>>, tile<i32> -> token
  // CHECK: matmul
  // CHECK-NEXT: [[SUM:%[0-9]+]] = AddF
  // CHECK-NEXT: move [[SUM]]:
  return
}
