// The left factor of a product in a loop is widened to the type of the sums where it is made, if that is outside of the loop.

// The same factor in all rounds.
entry @outside(%a: tile<ptr<f16>>, %b: tile<ptr<f16>>, %c: tile<ptr<f32>>, %n: tile<i32>) {
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
  %l0, %l0_t = load_view_tko weak %av[%bx, %zero] : partition_view<tile=(64x32), tensor_view<256x256xf16, strides=[256,1]>>, tile<i32> -> tile<64x32xf16>, token
  %t = addf %l0, %l0 : tile<64x32xf16>
  %sum = for %k in (%zero to %n, step %one) : tile<i32> iter_values(%acc = %zeros) -> (tile<64x64xf32>) {
    %r, %r_t = load_view_tko weak %bv[%k, %by] : partition_view<tile=(32x64), tensor_view<256x256xf16, strides=[256,1]>>, tile<i32> -> tile<32x64xf16>, token
    %next = mmaf %t, %r, %acc : tile<64x32xf16>, tile<32x64xf16>, tile<64x64xf32>
    continue %next : tile<64x64xf32>
  }
  %sum_cv_s = store_view_tko weak %sum, %cv[%bx, %by] : tile<64x64xf32>, partition_view<tile=(64x64), tensor_view<256x256xf32, strides=[256,1]>>, tile<i32> -> token
  // BEFORE: matmul{{.*}}f16[64, 32]
  // CHECK: FToF{{.*}} -> f32 of 2048
  // CHECK: matmul{{.*}}f32[64, 32]
  return
}

// Another one in each round.
entry @inside(%a: tile<ptr<f16>>, %b: tile<ptr<f16>>, %c: tile<ptr<f32>>, %n: tile<i32>) {
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
  // CHECK-NOT: FToF
  // CHECK: matmul{{.*}}f16[64, 32]
  return
}
