// A product or a sweep may write to the register that a loop carries, if nothing reads there what was carried before.
// REQUIRES: vector code

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
  // CHECK: [[SUM:%[0-9]+]] = move c{{.*}}f32[64, 64]
  // CHECK: [[NEW:%[0-9]+]] = matmul{{.*}} [[SUM]]: f32[64, 64]
  // CHECK: in0 = direct [[NEW]]
  // CHECK: [[SUM]] = AddF
  return
}

// A sum of tiles.
entry @summed(%from: tile<ptr<f32>>, %to: tile<ptr<f32>>, %n: tile<i32>) {
  %zero = constant <i32: 0> : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  %zeros = constant <f32: 0.0> : tile<32x64xf32>
  %xt = make_tensor_view %from, shape = [1024, 64], strides = [64, 1] : tensor_view<1024x64xf32, strides=[64,1]>
  %x = make_partition_view %xt : partition_view<tile=(32x64), tensor_view<1024x64xf32, strides=[64,1]>>
  %yt = make_tensor_view %to, shape = [32, 64], strides = [64, 1] : tensor_view<32x64xf32, strides=[64,1]>
  %y = make_partition_view %yt : partition_view<tile=(32x64), tensor_view<32x64xf32, strides=[64,1]>>
  %sum = for %k in (%zero to %n, step %one) : tile<i32> iter_values(%acc = %zeros) -> (tile<32x64xf32>) {
    %a, %a_t = load_view_tko weak %x[%k, %zero] : partition_view<tile=(32x64), tensor_view<1024x64xf32, strides=[64,1]>>, tile<i32> -> tile<32x64xf32>, token
    %next = addf %acc, %a : tile<32x64xf32>
    continue %next : tile<32x64xf32>
  }
  %sum_y_s = store_view_tko weak %sum, %y[%zero, %zero] : tile<32x64xf32>, partition_view<tile=(32x64), tensor_view<32x64xf32, strides=[64,1]>>, tile<i32> -> token
  // BEFORE: [[NEW:%[0-9]+]] = AddF
  // BEFORE: [[SUM:%[0-9]+]] = move [[NEW]]:
  // CHECK: [[SUM:%[0-9]+]] = move c{{.*}}f32[32, 64]
  // CHECK: [[SUM]] = AddF
  // CHECK-NOT: move
  return
}

// Elements are read where others were written.
entry @transposed(%from: tile<ptr<f32>>, %to: tile<ptr<f32>>, %n: tile<i32>) {
  %zero = constant <i32: 0> : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  %zeros = constant <f32: 0.0> : tile<32x64xf32>
  %xt = make_tensor_view %from, shape = [1024, 64], strides = [64, 1] : tensor_view<1024x64xf32, strides=[64,1]>
  %x = make_partition_view %xt : partition_view<tile=(32x64), tensor_view<1024x64xf32, strides=[64,1]>>
  %yt = make_tensor_view %to, shape = [32, 64], strides = [64, 1] : tensor_view<32x64xf32, strides=[64,1]>
  %y = make_partition_view %yt : partition_view<tile=(32x64), tensor_view<32x64xf32, strides=[64,1]>>
  %sum = for %k in (%zero to %n, step %one) : tile<i32> iter_values(%acc = %zeros) -> (tile<32x64xf32>) {
    %a, %a_t = load_view_tko weak %x[%k, %zero] : partition_view<tile=(32x64), tensor_view<1024x64xf32, strides=[64,1]>>, tile<i32> -> tile<32x64xf32>, token
    %turned = reshape %acc : tile<32x64xf32> -> tile<64x32xf32>
    %back = permute %turned [1, 0] : tile<64x32xf32> -> tile<32x64xf32>
    %next = addf %back, %a : tile<32x64xf32>
    continue %next : tile<32x64xf32>
  }
  %sum_y_s = store_view_tko weak %sum, %y[%zero, %zero] : tile<32x64xf32>, partition_view<tile=(32x64), tensor_view<32x64xf32, strides=[64,1]>>, tile<i32> -> token
  // CHECK: [[NEW:%[0-9]+]] = AddF
  // CHECK: move [[NEW]]:
  return
}

// Sums are scaled before the next product, as in attention.
entry @scaled(%a: tile<ptr<f32>>, %b: tile<ptr<f32>>, %c: tile<ptr<f32>>, %n: tile<i32>) {
  %zero = constant <i32: 0> : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  %half = constant <f32: 0.5> : tile<64x64xf32>
  %zeros = constant <f32: 0.0> : tile<64x64xf32>
  %avt = make_tensor_view %a, shape = [64, 256], strides = [256, 1] : tensor_view<64x256xf32, strides=[256,1]>
  %av = make_partition_view %avt : partition_view<tile=(64x32), tensor_view<64x256xf32, strides=[256,1]>>
  %bvt = make_tensor_view %b, shape = [256, 64], strides = [64, 1] : tensor_view<256x64xf32, strides=[64,1]>
  %bv = make_partition_view %bvt : partition_view<tile=(32x64), tensor_view<256x64xf32, strides=[64,1]>>
  %cvt = make_tensor_view %c, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xf32, strides=[64,1]>
  %cv = make_partition_view %cvt : partition_view<tile=(64x64), tensor_view<64x64xf32, strides=[64,1]>>
  %sum = for %k in (%zero to %n, step %one) : tile<i32> iter_values(%acc = %zeros) -> (tile<64x64xf32>) {
    %l, %l_t = load_view_tko weak %av[%zero, %k] : partition_view<tile=(64x32), tensor_view<64x256xf32, strides=[256,1]>>, tile<i32> -> tile<64x32xf32>, token
    %r, %r_t = load_view_tko weak %bv[%k, %zero] : partition_view<tile=(32x64), tensor_view<256x64xf32, strides=[64,1]>>, tile<i32> -> tile<32x64xf32>, token
    %s = mulf %acc, %half : tile<64x64xf32>
    %next = mmaf %l, %r, %s : tile<64x32xf32>, tile<32x64xf32>, tile<64x64xf32>
    continue %next : tile<64x64xf32>
  }
  %sum_cv_s = store_view_tko weak %sum, %cv[%zero, %zero] : tile<64x64xf32>, partition_view<tile=(64x64), tensor_view<64x64xf32, strides=[64,1]>>, tile<i32> -> token
  // CHECK: [[SUM:%[0-9]+]] = move c{{.*}}f32[64, 64]
  // CHECK: [[SUM]] = MulF
  // CHECK: [[SUM]] = matmul{{.*}} [[SUM]]: f32[64, 64]
  // CHECK-NEXT: jump
  return
}

// Sums of columns are added to what is carried by the reduction itself.
entry @column_sums(%from: tile<ptr<f32>>, %to: tile<ptr<f32>>, %n: tile<i32>) {
  %bx, %by, %bz = get_tile_block_id : tile<i32>
  %zero = constant <i32: 0> : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  %zeros = constant <f32: 0.0> : tile<64xf32>
  %fvt = make_tensor_view %from, shape = [4096, 4096], strides = [4096, 1] : tensor_view<4096x4096xf32, strides=[4096,1]>
  %fv = make_partition_view %fvt : partition_view<tile=(32x64), tensor_view<4096x4096xf32, strides=[4096,1]>>
  %tvt = make_tensor_view %to, shape = [4096], strides = [1] : tensor_view<4096xf32, strides=[1]>
  %tv = make_partition_view %tvt : partition_view<tile=(64), tensor_view<4096xf32, strides=[1]>>
  %sum = for %k in (%zero to %n, step %one) : tile<i32> iter_values(%acc = %zeros) -> (tile<64xf32>) {
    %x, %x_t = load_view_tko weak %fv[%k, %bx] : partition_view<tile=(32x64), tensor_view<4096x4096xf32, strides=[4096,1]>>, tile<i32> -> tile<32x64xf32>, token
    %part = reduce %x dim=0 identities=[0.0 : f32] : tile<32x64xf32> -> tile<64xf32> (%a: tile<f32>, %b: tile<f32>) {
      %c = addf %a, %b : tile<f32>
      yield %c : tile<f32>
    }
    %next = addf %acc, %part : tile<64xf32>
    continue %next : tile<64xf32>
  }
  %sum_s = store_view_tko weak %sum, %tv[%bx] : tile<64xf32>, partition_view<tile=(64), tensor_view<4096xf32, strides=[1]>>, tile<i32> -> token
  // CHECK: [[SUM:%[0-9]+]] = move c{{.*}}f32[64]
  // CHECK: [[SUM]] = fold_columns {{.*}} onto [[SUM]]
  // CHECK-NEXT: jump
  return
}

// The largest of sums is no sum.
entry @largest_column_sums(%from: tile<ptr<f32>>, %to: tile<ptr<f32>>, %n: tile<i32>) {
  %bx, %by, %bz = get_tile_block_id : tile<i32>
  %zero = constant <i32: 0> : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  %zeros = constant <f32: 0.0> : tile<64xf32>
  %fvt = make_tensor_view %from, shape = [4096, 4096], strides = [4096, 1] : tensor_view<4096x4096xf32, strides=[4096,1]>
  %fv = make_partition_view %fvt : partition_view<tile=(32x64), tensor_view<4096x4096xf32, strides=[4096,1]>>
  %tvt = make_tensor_view %to, shape = [4096], strides = [1] : tensor_view<4096xf32, strides=[1]>
  %tv = make_partition_view %tvt : partition_view<tile=(64), tensor_view<4096xf32, strides=[1]>>
  %sum = for %k in (%zero to %n, step %one) : tile<i32> iter_values(%acc = %zeros) -> (tile<64xf32>) {
    %x, %x_t = load_view_tko weak %fv[%k, %bx] : partition_view<tile=(32x64), tensor_view<4096x4096xf32, strides=[4096,1]>>, tile<i32> -> tile<32x64xf32>, token
    %part = reduce %x dim=0 identities=[0.0 : f32] : tile<32x64xf32> -> tile<64xf32> (%a: tile<f32>, %b: tile<f32>) {
      %c = addf %a, %b : tile<f32>
      yield %c : tile<f32>
    }
    %next = maxf %acc, %part : tile<64xf32>
    continue %next : tile<64xf32>
  }
  %sum_s = store_view_tko weak %sum, %tv[%bx] : tile<64xf32>, partition_view<tile=(64), tensor_view<4096xf32, strides=[1]>>, tile<i32> -> token
  // CHECK: [[SUM:%[0-9]+]] = move c{{.*}}f32[64]
  // CHECK: [[PART:%[0-9]+]] = fold_columns {{%[0-9]+: f32\[32, 64\]$}}
  // CHECK: [[SUM]] = MaxF
  return
}

// A state that is stored in each round is stored from where it is carried.
entry @states(%from: tile<ptr<f32>>, %to: tile<ptr<f32>>, %n: tile<i32>) {
  %zero = constant <i32: 0> : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  %zeros = constant <f32: 0.0> : tile<32x64xf32>
  %xt = make_tensor_view %from, shape = [1024, 64], strides = [64, 1] : tensor_view<1024x64xf32, strides=[64,1]>
  %x = make_partition_view %xt : partition_view<tile=(32x64), tensor_view<1024x64xf32, strides=[64,1]>>
  %yt = make_tensor_view %to, shape = [1024, 64], strides = [64, 1] : tensor_view<1024x64xf32, strides=[64,1]>
  %y = make_partition_view %yt : partition_view<tile=(32x64), tensor_view<1024x64xf32, strides=[64,1]>>
  %last = for %k in (%zero to %n, step %one) : tile<i32> iter_values(%acc = %zeros) -> (tile<32x64xf32>) {
    %a, %a_t = load_view_tko weak %x[%k, %zero] : partition_view<tile=(32x64), tensor_view<1024x64xf32, strides=[64,1]>>, tile<i32> -> tile<32x64xf32>, token
    %next = addf %acc, %a : tile<32x64xf32>
    %next_y_s = store_view_tko weak %next, %y[%k, %zero] : tile<32x64xf32>, partition_view<tile=(32x64), tensor_view<1024x64xf32, strides=[64,1]>>, tile<i32> -> token
    continue %next : tile<32x64xf32>
  }
  // BEFORE: [[NEW:%[0-9]+]] = AddF
  // BEFORE: [[STATE:%[0-9]+]] = move [[NEW]]:
  // CHECK: [[STATE:%[0-9]+]] = move c{{.*}}f32[32, 64]
  // CHECK: [[STATE]] = AddF
  // CHECK: store{{.*}} [[STATE]]: f32[32, 64]
  // CHECK-NOT: move
  return
}
