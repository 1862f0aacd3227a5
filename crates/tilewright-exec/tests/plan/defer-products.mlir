// Products that a loop adds to sums are computed several rounds together, if nothing else in it reads the sums. What is left is computed behind the loop.
// REQUIRES: AMX

// The left factor is computed in the loop.
entry @computes_a_factor(%a: tile<ptr<bf16>>, %b: tile<ptr<bf16>>, %c: tile<ptr<f32>>, %n: tile<i32>) {
  %bx, %by, %bz = get_tile_block_id : tile<i32>
  %zero = constant <i32: 0> : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  %zeros = constant <f32: 0.0> : tile<64x64xf32>
  %avt = make_tensor_view %a, shape = [256, 256], strides = [256, 1] : tensor_view<256x256xbf16, strides=[256,1]>
  %av = make_partition_view %avt : partition_view<tile=(64x32), tensor_view<256x256xbf16, strides=[256,1]>>
  %bvt = make_tensor_view %b, shape = [256, 256], strides = [256, 1] : tensor_view<256x256xbf16, strides=[256,1]>
  %bv = make_partition_view %bvt : partition_view<tile=(32x64), tensor_view<256x256xbf16, strides=[256,1]>>
  %cvt = make_tensor_view %c, shape = [256, 256], strides = [256, 1] : tensor_view<256x256xf32, strides=[256,1]>
  %cv = make_partition_view %cvt : partition_view<tile=(64x64), tensor_view<256x256xf32, strides=[256,1]>>
  %sum = for %k in (%zero to %n, step %one) : tile<i32> iter_values(%acc = %zeros) -> (tile<64x64xf32>) {
    %l, %l_t = load_view_tko weak %av[%bx, %k] : partition_view<tile=(64x32), tensor_view<256x256xbf16, strides=[256,1]>>, tile<i32> -> tile<64x32xbf16>, token
    %r, %r_t = load_view_tko weak %bv[%k, %by] : partition_view<tile=(32x64), tensor_view<256x256xbf16, strides=[256,1]>>, tile<i32> -> tile<32x64xbf16>, token
    %d = addf %l, %l : tile<64x32xbf16>
    %next = mmaf %d, %r, %acc : tile<64x32xbf16>, tile<32x64xbf16>, tile<64x64xf32>
    continue %next : tile<64x64xf32>
  }
  %sum_cv_s = store_view_tko weak %sum, %cv[%bx, %by] : tile<64x64xf32>, partition_view<tile=(64x64), tensor_view<256x256xf32, strides=[256,1]>>, tile<i32> -> token
  // BEFORE-NOT: deferred
  // CHECK: for
  // CHECK: [[SUMS:%[0-9]+]] = matmul{{.*}}deferred 0
  // CHECK: next
  // CHECK: finish_products 0 onto [[SUMS]]: f32[64, 64]
  // CHECK-NEXT: store
  return
}

// Another loop goes round this one.
entry @nested(%a: tile<ptr<bf16>>, %b: tile<ptr<bf16>>, %c: tile<ptr<f32>>, %n: tile<i32>) {
  %bx, %by, %bz = get_tile_block_id : tile<i32>
  %zero = constant <i32: 0> : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  %zeros = constant <f32: 0.0> : tile<64x64xf32>
  %avt = make_tensor_view %a, shape = [256, 256], strides = [256, 1] : tensor_view<256x256xbf16, strides=[256,1]>
  %av = make_partition_view %avt : partition_view<tile=(64x32), tensor_view<256x256xbf16, strides=[256,1]>>
  %bvt = make_tensor_view %b, shape = [256, 256], strides = [256, 1] : tensor_view<256x256xbf16, strides=[256,1]>
  %bv = make_partition_view %bvt : partition_view<tile=(32x64), tensor_view<256x256xbf16, strides=[256,1]>>
  %cvt = make_tensor_view %c, shape = [256, 256], strides = [256, 1] : tensor_view<256x256xf32, strides=[256,1]>
  %cv = make_partition_view %cvt : partition_view<tile=(64x64), tensor_view<256x256xf32, strides=[256,1]>>
  %sum = for %q in (%zero to %n, step %one) : tile<i32> iter_values(%outer = %zeros) -> (tile<64x64xf32>) {
  %inner = for %k in (%zero to %n, step %one) : tile<i32> iter_values(%acc = %outer) -> (tile<64x64xf32>) {
    %l, %l_t = load_view_tko weak %av[%bx, %k] : partition_view<tile=(64x32), tensor_view<256x256xbf16, strides=[256,1]>>, tile<i32> -> tile<64x32xbf16>, token
    %r, %r_t = load_view_tko weak %bv[%k, %by] : partition_view<tile=(32x64), tensor_view<256x256xbf16, strides=[256,1]>>, tile<i32> -> tile<32x64xbf16>, token
    %d = addf %l, %l : tile<64x32xbf16>
    %next = mmaf %d, %r, %acc : tile<64x32xbf16>, tile<32x64xbf16>, tile<64x64xf32>
    continue %next : tile<64x64xf32>
  }
    continue %inner : tile<64x64xf32>
  }
  %sum_cv_s = store_view_tko weak %sum, %cv[%bx, %by] : tile<64x64xf32>, partition_view<tile=(64x64), tensor_view<256x256xf32, strides=[256,1]>>, tile<i32> -> token
  // CHECK: matmul{{.*}}deferred 0
  // CHECK: next
  // CHECK: finish_products 0
  // CHECK: next
  // CHECK: store
  return
}

// The sums are scaled in each round.
entry @reads_the_sums(%a: tile<ptr<bf16>>, %b: tile<ptr<bf16>>, %c: tile<ptr<f32>>, %n: tile<i32>) {
  %bx, %by, %bz = get_tile_block_id : tile<i32>
  %zero = constant <i32: 0> : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  %zeros = constant <f32: 0.0> : tile<64x64xf32>
  %avt = make_tensor_view %a, shape = [256, 256], strides = [256, 1] : tensor_view<256x256xbf16, strides=[256,1]>
  %av = make_partition_view %avt : partition_view<tile=(64x32), tensor_view<256x256xbf16, strides=[256,1]>>
  %bvt = make_tensor_view %b, shape = [256, 256], strides = [256, 1] : tensor_view<256x256xbf16, strides=[256,1]>
  %bv = make_partition_view %bvt : partition_view<tile=(32x64), tensor_view<256x256xbf16, strides=[256,1]>>
  %cvt = make_tensor_view %c, shape = [256, 256], strides = [256, 1] : tensor_view<256x256xf32, strides=[256,1]>
  %cv = make_partition_view %cvt : partition_view<tile=(64x64), tensor_view<256x256xf32, strides=[256,1]>>
  %sum = for %k in (%zero to %n, step %one) : tile<i32> iter_values(%acc = %zeros) -> (tile<64x64xf32>) {
    %l, %l_t = load_view_tko weak %av[%bx, %k] : partition_view<tile=(64x32), tensor_view<256x256xbf16, strides=[256,1]>>, tile<i32> -> tile<64x32xbf16>, token
    %r, %r_t = load_view_tko weak %bv[%k, %by] : partition_view<tile=(32x64), tensor_view<256x256xbf16, strides=[256,1]>>, tile<i32> -> tile<32x64xbf16>, token
    %d = addf %l, %l : tile<64x32xbf16>
    %next = mmaf %d, %r, %acc : tile<64x32xbf16>, tile<32x64xbf16>, tile<64x64xf32>
    %scaled = mulf %next, %next : tile<64x64xf32>
    continue %scaled : tile<64x64xf32>
  }
  %sum_cv_s = store_view_tko weak %sum, %cv[%bx, %by] : tile<64x64xf32>, partition_view<tile=(64x64), tensor_view<256x256xf32, strides=[256,1]>>, tile<i32> -> token
  // CHECK-NOT: deferred
  // CHECK-NOT: finish_products
  return
}

// A loop that only multiplies joins its rounds itself.
entry @only_multiplies(%a: tile<ptr<bf16>>, %b: tile<ptr<bf16>>, %c: tile<ptr<f32>>, %n: tile<i32>) {
  %bx, %by, %bz = get_tile_block_id : tile<i32>
  %zero = constant <i32: 0> : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  %zeros = constant <f32: 0.0> : tile<64x64xf32>
  %avt = make_tensor_view %a, shape = [256, 256], strides = [256, 1] : tensor_view<256x256xbf16, strides=[256,1]>
  %av = make_partition_view %avt : partition_view<tile=(64x32), tensor_view<256x256xbf16, strides=[256,1]>>
  %bvt = make_tensor_view %b, shape = [256, 256], strides = [256, 1] : tensor_view<256x256xbf16, strides=[256,1]>
  %bv = make_partition_view %bvt : partition_view<tile=(32x64), tensor_view<256x256xbf16, strides=[256,1]>>
  %cvt = make_tensor_view %c, shape = [256, 256], strides = [256, 1] : tensor_view<256x256xf32, strides=[256,1]>
  %cv = make_partition_view %cvt : partition_view<tile=(64x64), tensor_view<256x256xf32, strides=[256,1]>>
  %sum = for %k in (%zero to %n, step %one) : tile<i32> iter_values(%acc = %zeros) -> (tile<64x64xf32>) {
    %l, %l_t = load_view_tko weak %av[%bx, %k] : partition_view<tile=(64x32), tensor_view<256x256xbf16, strides=[256,1]>>, tile<i32> -> tile<64x32xbf16>, token
    %r, %r_t = load_view_tko weak %bv[%k, %by] : partition_view<tile=(32x64), tensor_view<256x256xbf16, strides=[256,1]>>, tile<i32> -> tile<32x64xbf16>, token
    %next = mmaf %l, %r, %acc : tile<64x32xbf16>, tile<32x64xbf16>, tile<64x64xf32>
    continue %next : tile<64x64xf32>
  }
  %sum_cv_s = store_view_tko weak %sum, %cv[%bx, %by] : tile<64x64xf32>, partition_view<tile=(64x64), tensor_view<256x256xf32, strides=[256,1]>>, tile<i32> -> token
  // CHECK-NOT: deferred
  // CHECK-NOT: finish_products
  return
}
