// An elementwise instruction goes behind the run that computes what it reads, past what it does not need.

// Weights of attention: only their sum is read beside the rounded ones.
entry @rounded(%from: tile<ptr<f32>>, %values: tile<ptr<f16>>, %to: tile<ptr<f32>>, %sums: tile<ptr<f32>>) {
  %bx, %by, %bz = get_tile_block_id : tile<i32>
  %zero = constant <i32: 0> : tile<i32>
  %zeros = constant <f32: 0.0> : tile<64x64xf32>
  %xt = make_tensor_view %from, shape = [1024, 64], strides = [64, 1] : tensor_view<1024x64xf32, strides=[64,1]>
  %x = make_partition_view %xt : partition_view<tile=(64x64), tensor_view<1024x64xf32, strides=[64,1]>>
  %vt = make_tensor_view %values, shape = [1024, 64], strides = [64, 1] : tensor_view<1024x64xf16, strides=[64,1]>
  %v = make_partition_view %vt : partition_view<tile=(64x64), tensor_view<1024x64xf16, strides=[64,1]>>
  %yt = make_tensor_view %to, shape = [1024, 64], strides = [64, 1] : tensor_view<1024x64xf32, strides=[64,1]>
  %y = make_partition_view %yt : partition_view<tile=(64x64), tensor_view<1024x64xf32, strides=[64,1]>>
  %zt = make_tensor_view %sums, shape = [1024], strides = [1] : tensor_view<1024xf32, strides=[1]>
  %z = make_partition_view %zt : partition_view<tile=(64), tensor_view<1024xf32, strides=[1]>>
  %a, %a_t = load_view_tko weak %x[%bx, %zero] : partition_view<tile=(64x64), tensor_view<1024x64xf32, strides=[64,1]>>, tile<i32> -> tile<64x64xf32>, token
  %e = exp %a : tile<64x64xf32>
  %s = reduce %e dim=1 identities=[0.0 : f32] : tile<64x64xf32> -> tile<64xf32>
  (%l: tile<f32>, %r: tile<f32>) {
    %p = addf %l, %r : tile<f32>
    yield %p : tile<f32>
  }
  %b, %b_t = load_view_tko weak %v[%bx, %zero] : partition_view<tile=(64x64), tensor_view<1024x64xf16, strides=[64,1]>>, tile<i32> -> tile<64x64xf16>, token
  %w = ftof %e : tile<64x64xf32> -> tile<64x64xf16>
  %o = mmaf %w, %b, %zeros : tile<64x64xf16>, tile<64x64xf16>, tile<64x64xf32>
  %o_y_s = store_view_tko weak %o, %y[%bx, %zero] : tile<64x64xf32>, partition_view<tile=(64x64), tensor_view<1024x64xf32, strides=[64,1]>>, tile<i32> -> token
  %s_z_s = store_view_tko weak %s, %z[%bx] : tile<64xf32>, partition_view<tile=(64), tensor_view<1024xf32, strides=[1]>>, tile<i32> -> token
  // BEFORE: Exp
  // BEFORE-NEXT: fold_rows
  // BEFORE: FToF(NearestEven) -> f16
  // CHECK: Exp
  // CHECK-NEXT: FToF(NearestEven) -> f16
  // CHECK: fold_rows
  return
}

// The weights are read again.
entry @read_again(%from: tile<ptr<f32>>, %values: tile<ptr<f16>>, %to: tile<ptr<f32>>, %sums: tile<ptr<f32>>) {
  %bx, %by, %bz = get_tile_block_id : tile<i32>
  %zero = constant <i32: 0> : tile<i32>
  %zeros = constant <f32: 0.0> : tile<64x64xf32>
  %xt = make_tensor_view %from, shape = [1024, 64], strides = [64, 1] : tensor_view<1024x64xf32, strides=[64,1]>
  %x = make_partition_view %xt : partition_view<tile=(64x64), tensor_view<1024x64xf32, strides=[64,1]>>
  %vt = make_tensor_view %values, shape = [1024, 64], strides = [64, 1] : tensor_view<1024x64xf16, strides=[64,1]>
  %v = make_partition_view %vt : partition_view<tile=(64x64), tensor_view<1024x64xf16, strides=[64,1]>>
  %yt = make_tensor_view %to, shape = [1024, 64], strides = [64, 1] : tensor_view<1024x64xf32, strides=[64,1]>
  %y = make_partition_view %yt : partition_view<tile=(64x64), tensor_view<1024x64xf32, strides=[64,1]>>
  %zt = make_tensor_view %sums, shape = [1024], strides = [1] : tensor_view<1024xf32, strides=[1]>
  %z = make_partition_view %zt : partition_view<tile=(64), tensor_view<1024xf32, strides=[1]>>
  %a, %a_t = load_view_tko weak %x[%bx, %zero] : partition_view<tile=(64x64), tensor_view<1024x64xf32, strides=[64,1]>>, tile<i32> -> tile<64x64xf32>, token
  %e = exp %a : tile<64x64xf32>
  %s = reduce %e dim=1 identities=[0.0 : f32] : tile<64x64xf32> -> tile<64xf32>
  (%l: tile<f32>, %r: tile<f32>) {
    %p = addf %l, %r : tile<f32>
    yield %p : tile<f32>
  }
  %b, %b_t = load_view_tko weak %v[%bx, %zero] : partition_view<tile=(64x64), tensor_view<1024x64xf16, strides=[64,1]>>, tile<i32> -> tile<64x64xf16>, token
  %w = ftof %e : tile<64x64xf32> -> tile<64x64xf16>
  %o = mmaf %w, %b, %zeros : tile<64x64xf16>, tile<64x64xf16>, tile<64x64xf32>
  %o2 = addf %o, %e : tile<64x64xf32>
  %o_y_s = store_view_tko weak %o2, %y[%bx, %zero] : tile<64x64xf32>, partition_view<tile=(64x64), tensor_view<1024x64xf32, strides=[64,1]>>, tile<i32> -> token
  %s_z_s = store_view_tko weak %s, %z[%bx] : tile<64xf32>, partition_view<tile=(64), tensor_view<1024xf32, strides=[1]>>, tile<i32> -> token
  // CHECK: Exp
  // CHECK-NEXT: fold_rows
  // CHECK: FToF(NearestEven) -> f16
  return
}

// What is stored is computed by the sweep before the store.
entry @stored(%from: tile<ptr<f32>>, %values: tile<ptr<f16>>, %to: tile<ptr<f32>>, %sums: tile<ptr<f32>>) {
  %bx, %by, %bz = get_tile_block_id : tile<i32>
  %zero = constant <i32: 0> : tile<i32>
  %zeros = constant <f32: 0.0> : tile<64x64xf32>
  %xt = make_tensor_view %from, shape = [1024, 64], strides = [64, 1] : tensor_view<1024x64xf32, strides=[64,1]>
  %x = make_partition_view %xt : partition_view<tile=(64x64), tensor_view<1024x64xf32, strides=[64,1]>>
  %vt = make_tensor_view %values, shape = [1024, 64], strides = [64, 1] : tensor_view<1024x64xf16, strides=[64,1]>
  %v = make_partition_view %vt : partition_view<tile=(64x64), tensor_view<1024x64xf16, strides=[64,1]>>
  %yt = make_tensor_view %to, shape = [1024, 64], strides = [64, 1] : tensor_view<1024x64xf32, strides=[64,1]>
  %y = make_partition_view %yt : partition_view<tile=(64x64), tensor_view<1024x64xf32, strides=[64,1]>>
  %zt = make_tensor_view %sums, shape = [1024], strides = [1] : tensor_view<1024xf32, strides=[1]>
  %z = make_partition_view %zt : partition_view<tile=(64), tensor_view<1024xf32, strides=[1]>>
  %a, %a_t = load_view_tko weak %x[%bx, %zero] : partition_view<tile=(64x64), tensor_view<1024x64xf32, strides=[64,1]>>, tile<i32> -> tile<64x64xf32>, token
  %e = exp %a : tile<64x64xf32>
  %s = reduce %e dim=1 identities=[0.0 : f32] : tile<64x64xf32> -> tile<64xf32>
  (%l: tile<f32>, %r: tile<f32>) {
    %p = addf %l, %r : tile<f32>
    yield %p : tile<f32>
  }
  %b, %b_t = load_view_tko weak %v[%bx, %zero] : partition_view<tile=(64x64), tensor_view<1024x64xf16, strides=[64,1]>>, tile<i32> -> tile<64x64xf16>, token
  %o = negf %e : tile<64x64xf32>
  %o_y_s = store_view_tko weak %o, %y[%bx, %zero] : tile<64x64xf32>, partition_view<tile=(64x64), tensor_view<1024x64xf32, strides=[64,1]>>, tile<i32> -> token
  %s_z_s = store_view_tko weak %s, %z[%bx] : tile<64xf32>, partition_view<tile=(64), tensor_view<1024xf32, strides=[1]>>, tile<i32> -> token
  // CHECK: Exp
  // CHECK-NEXT: fold_rows
  // CHECK: NegF
  // CHECK-NEXT: store
  return
}

// Of short tiles, sweeps are joined also if both values are read later.
entry @short(%from: tile<ptr<f32>>, %values: tile<ptr<f16>>, %to: tile<ptr<f32>>, %sums: tile<ptr<f32>>) {
  %bx, %by, %bz = get_tile_block_id : tile<i32>
  %zero = constant <i32: 0> : tile<i32>
  %zeros = constant <f32: 0.0> : tile<64x64xf32>
  %xt = make_tensor_view %from, shape = [1024, 64], strides = [64, 1] : tensor_view<1024x64xf32, strides=[64,1]>
  %x = make_partition_view %xt : partition_view<tile=(64x64), tensor_view<1024x64xf32, strides=[64,1]>>
  %vt = make_tensor_view %values, shape = [1024, 64], strides = [64, 1] : tensor_view<1024x64xf16, strides=[64,1]>
  %v = make_partition_view %vt : partition_view<tile=(64x64), tensor_view<1024x64xf16, strides=[64,1]>>
  %yt = make_tensor_view %to, shape = [1024, 64], strides = [64, 1] : tensor_view<1024x64xf32, strides=[64,1]>
  %y = make_partition_view %yt : partition_view<tile=(64x64), tensor_view<1024x64xf32, strides=[64,1]>>
  %zt = make_tensor_view %sums, shape = [1024], strides = [1] : tensor_view<1024xf32, strides=[1]>
  %z = make_partition_view %zt : partition_view<tile=(64), tensor_view<1024xf32, strides=[1]>>
  %a, %a_t = load_view_tko weak %x[%bx, %zero] : partition_view<tile=(64x64), tensor_view<1024x64xf32, strides=[64,1]>>, tile<i32> -> tile<64x64xf32>, token
  %e = exp %a : tile<64x64xf32>
  %s = reduce %e dim=1 identities=[0.0 : f32] : tile<64x64xf32> -> tile<64xf32>
  (%l: tile<f32>, %r: tile<f32>) {
    %p = addf %l, %r : tile<f32>
    yield %p : tile<f32>
  }
  %b, %b_t = load_view_tko weak %v[%bx, %zero] : partition_view<tile=(64x64), tensor_view<1024x64xf16, strides=[64,1]>>, tile<i32> -> tile<64x64xf16>, token
  %n = negf %s : tile<64xf32>
  %o = mmaf %b, %b, %zeros : tile<64x64xf16>, tile<64x64xf16>, tile<64x64xf32>
  %m = absf %n : tile<64xf32>
  %k = addf %n, %m : tile<64xf32>
  %o_y_s = store_view_tko weak %o, %y[%bx, %zero] : tile<64x64xf32>, partition_view<tile=(64x64), tensor_view<1024x64xf32, strides=[64,1]>>, tile<i32> -> token
  %s_z_s = store_view_tko weak %k, %z[%bx] : tile<64xf32>, partition_view<tile=(64), tensor_view<1024xf32, strides=[1]>>, tile<i32> -> token
  // BEFORE: NegF
  // BEFORE-NEXT: matmul
  // BEFORE-NEXT: AbsF
  // CHECK: NegF
  // CHECK-NEXT: AbsF
  // CHECK-NEXT: AddF
  // CHECK-NEXT: matmul
  return
}

// What single numbers are computed with does not part the tiles in front of it.
entry @numbers(%from: tile<ptr<f32>>, %to: tile<ptr<f32>>, %n: tile<f32>) {
  %bx, %by, %bz = get_tile_block_id : tile<i32>
  %xt = make_tensor_view %from, shape = [1024], strides = [1] : tensor_view<1024xf32, strides=[1]>
  %x = make_partition_view %xt : partition_view<tile=(64), tensor_view<1024xf32, strides=[1]>>
  %yt = make_tensor_view %to, shape = [1024], strides = [1] : tensor_view<1024xf32, strides=[1]>
  %y = make_partition_view %yt : partition_view<tile=(64), tensor_view<1024xf32, strides=[1]>>
  %a, %a_t = load_view_tko weak %x[%bx] : partition_view<tile=(64), tensor_view<1024xf32, strides=[1]>>, tile<i32> -> tile<64xf32>, token
  %e = exp %a : tile<64xf32>
  %i = itof %bx signed : tile<i32> -> tile<f32>
  %k = sqrt %i : tile<f32>
  %r = reshape %k : tile<f32> -> tile<1xf32>
  %s = broadcast %r : tile<1xf32> -> tile<64xf32>
  %z = mulf %e, %s : tile<64xf32>
  %z_y_s = store_view_tko weak %z, %y[%bx] : tile<64xf32>, partition_view<tile=(64), tensor_view<1024xf32, strides=[1]>>, tile<i32> -> token
  // BEFORE: Exp
  // BEFORE-NEXT: IToF
  // CHECK: IToF
  // CHECK-NEXT: Sqrt
  // CHECK: Exp
  // CHECK-NEXT: MulF
  return
}
