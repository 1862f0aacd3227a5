// Blocks begin along the axis of the grid along which they read the same, where nobody can tell.

// Blocks along y have the left factor in common, which is read where it lies; those along x the right one.
entry @product(%a: tile<ptr<f16>>, %b: tile<ptr<f16>>, %c: tile<ptr<f32>>, %n: tile<i32>) {
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
  // BEFORE: block_order = [0, 1, 2]
  // CHECK: block_order = [1, 0, 2]
  return
}

// All blocks along y read the same keys, how many it may be.
entry @keys(%q: tile<ptr<f32>>, %k: tile<ptr<f32>>, %o: tile<ptr<f32>>, %n: tile<i32>) {
  %bx, %by, %bz = get_tile_block_id : tile<i32>
  %zero = constant <i32: 0> : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  %zeros = constant <f32: 0.0> : tile<1x64x64xf32>
  %qvt = make_tensor_view %q, shape = [8, 256, 64], strides = [16384, 64, 1] : tensor_view<8x256x64xf32, strides=[16384,64,1]>
  %qv = make_partition_view %qvt : partition_view<tile=(1x64x64), tensor_view<8x256x64xf32, strides=[16384,64,1]>>
  %kvt = make_tensor_view %k, shape = [8, 256, 64], strides = [16384, 64, 1] : tensor_view<8x256x64xf32, strides=[16384,64,1]>
  %kv = make_partition_view %kvt : partition_view<tile=(1x64x64), tensor_view<8x256x64xf32, strides=[16384,64,1]>>
  %ovt = make_tensor_view %o, shape = [8, 256, 64], strides = [16384, 64, 1] : tensor_view<8x256x64xf32, strides=[16384,64,1]>
  %ov = make_partition_view %ovt : partition_view<tile=(1x64x64), tensor_view<8x256x64xf32, strides=[16384,64,1]>>
  %x, %x_t = load_view_tko weak %qv[%bx, %by, %zero] : partition_view<tile=(1x64x64), tensor_view<8x256x64xf32, strides=[16384,64,1]>>, tile<i32> -> tile<1x64x64xf32>, token
  %upper = addi %by, %one : tile<i32>
  %sum = for %i in (%zero to %upper, step %one) : tile<i32> iter_values(%acc = %zeros) -> (tile<1x64x64xf32>) {
    %y, %y_t = load_view_tko weak %kv[%bx, %i, %zero] : partition_view<tile=(1x64x64), tensor_view<8x256x64xf32, strides=[16384,64,1]>>, tile<i32> -> tile<1x64x64xf32>, token
    %p = mulf %x, %y : tile<1x64x64xf32>
    %next = addf %acc, %p : tile<1x64x64xf32>
    continue %next : tile<1x64x64xf32>
  }
  %s = store_view_tko weak %sum, %ov[%bx, %by, %zero] : tile<1x64x64xf32>, partition_view<tile=(1x64x64), tensor_view<8x256x64xf32, strides=[16384,64,1]>>, tile<i32> -> token
  // CHECK: block_order = [1, 0, 2]
  return
}

// What they print comes in the order of the grid.
entry @prints(%q: tile<ptr<f32>>, %k: tile<ptr<f32>>, %o: tile<ptr<f32>>, %n: tile<i32>) {
  %bx, %by, %bz = get_tile_block_id : tile<i32>
  %zero = constant <i32: 0> : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  %zeros = constant <f32: 0.0> : tile<1x64x64xf32>
  %qvt = make_tensor_view %q, shape = [8, 256, 64], strides = [16384, 64, 1] : tensor_view<8x256x64xf32, strides=[16384,64,1]>
  %qv = make_partition_view %qvt : partition_view<tile=(1x64x64), tensor_view<8x256x64xf32, strides=[16384,64,1]>>
  %kvt = make_tensor_view %k, shape = [8, 256, 64], strides = [16384, 64, 1] : tensor_view<8x256x64xf32, strides=[16384,64,1]>
  %kv = make_partition_view %kvt : partition_view<tile=(1x64x64), tensor_view<8x256x64xf32, strides=[16384,64,1]>>
  %ovt = make_tensor_view %o, shape = [8, 256, 64], strides = [16384, 64, 1] : tensor_view<8x256x64xf32, strides=[16384,64,1]>
  %ov = make_partition_view %ovt : partition_view<tile=(1x64x64), tensor_view<8x256x64xf32, strides=[16384,64,1]>>
  %x, %x_t = load_view_tko weak %qv[%bx, %by, %zero] : partition_view<tile=(1x64x64), tensor_view<8x256x64xf32, strides=[16384,64,1]>>, tile<i32> -> tile<1x64x64xf32>, token
  %sum = for %i in (%zero to %n, step %one) : tile<i32> iter_values(%acc = %zeros) -> (tile<1x64x64xf32>) {
    %y, %y_t = load_view_tko weak %kv[%bx, %i, %zero] : partition_view<tile=(1x64x64), tensor_view<8x256x64xf32, strides=[16384,64,1]>>, tile<i32> -> tile<1x64x64xf32>, token
    %p = mulf %x, %y : tile<1x64x64xf32>
    %next = addf %acc, %p : tile<1x64x64xf32>
    continue %next : tile<1x64x64xf32>
  }
  %s = store_view_tko weak %sum, %ov[%bx, %by, %zero] : tile<1x64x64xf32>, partition_view<tile=(1x64x64), tensor_view<8x256x64xf32, strides=[16384,64,1]>>, tile<i32> -> token
  %token = print_tko "%i\n", %by : tile<i32> -> token
  // CHECK: block_order = [0, 1, 2]
  return
}

// Nothing is read again: blocks go along rows, which lie along y.
entry @rows(%from: tile<ptr<f32>>, %to: tile<ptr<f32>>) {
  %bx, %by, %bz = get_tile_block_id : tile<i32>
  %xt = make_tensor_view %from, shape = [256, 256], strides = [256, 1] : tensor_view<256x256xf32, strides=[256,1]>
  %x = make_partition_view %xt : partition_view<tile=(16x64), tensor_view<256x256xf32, strides=[256,1]>>
  %yt = make_tensor_view %to, shape = [256, 256], strides = [256, 1] : tensor_view<256x256xf32, strides=[256,1]>
  %y = make_partition_view %yt : partition_view<tile=(16x64), tensor_view<256x256xf32, strides=[256,1]>>
  %a, %a_t = load_view_tko weak %x[%bx, %by] : partition_view<tile=(16x64), tensor_view<256x256xf32, strides=[256,1]>>, tile<i32> -> tile<16x64xf32>, token
  %b = negf %a : tile<16x64xf32>
  %s = store_view_tko weak %b, %y[%bx, %by] : tile<16x64xf32>, partition_view<tile=(16x64), tensor_view<256x256xf32, strides=[256,1]>>, tile<i32> -> token
  // CHECK: block_order = [1, 0, 2]
  return
}

// A transposition reads along one axis and writes along the other: neither has more than half.
entry @turned(%from: tile<ptr<f32>>, %to: tile<ptr<f32>>) {
  %bx, %by, %bz = get_tile_block_id : tile<i32>
  %xt = make_tensor_view %from, shape = [256, 256], strides = [256, 1] : tensor_view<256x256xf32, strides=[256,1]>
  %x = make_partition_view %xt : partition_view<tile=(64x64), tensor_view<256x256xf32, strides=[256,1]>>
  %yt = make_tensor_view %to, shape = [256, 256], strides = [256, 1] : tensor_view<256x256xf32, strides=[256,1]>
  %y = make_partition_view %yt : partition_view<tile=(64x64), tensor_view<256x256xf32, strides=[256,1]>>
  %a, %a_t = load_view_tko weak %x[%bx, %by] : partition_view<tile=(64x64), tensor_view<256x256xf32, strides=[256,1]>>, tile<i32> -> tile<64x64xf32>, token
  %b = permute %a [1, 0] : tile<64x64xf32> -> tile<64x64xf32>
  %s = store_view_tko weak %b, %y[%by, %bx] : tile<64x64xf32>, partition_view<tile=(64x64), tensor_view<256x256xf32, strides=[256,1]>>, tile<i32> -> token
  // CHECK: block_order = [0, 1, 2]
  return
}

// Blocks along y sum up columns that are beside each other in memory; along x there is one for each image.
entry @pool(%from: tile<ptr<f32>>, %to: tile<ptr<f32>>, %n: tile<i32>) {
  %bx, %by, %bz = get_tile_block_id : tile<i32>
  %zero = constant <i32: 0> : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  %zeros = constant <f32: 0.0> : tile<64xf32>
  %xt = make_tensor_view %from, shape = [16, 256, 1024], strides = [262144, 1024, 1] : tensor_view<16x256x1024xf32, strides=[262144,1024,1]>
  %x = make_partition_view %xt : partition_view<tile=(1x16x64), tensor_view<16x256x1024xf32, strides=[262144,1024,1]>>
  %yt = make_tensor_view %to, shape = [16, 1024], strides = [1024, 1] : tensor_view<16x1024xf32, strides=[1024,1]>
  %y = make_partition_view %yt : partition_view<tile=(1x64), tensor_view<16x1024xf32, strides=[1024,1]>>
  %sum = for %p in (%zero to %n, step %one) : tile<i32> iter_values(%acc = %zeros) -> (tile<64xf32>) {
    %a, %a_t = load_view_tko weak %x[%bx, %p, %by] : partition_view<tile=(1x16x64), tensor_view<16x256x1024xf32, strides=[262144,1024,1]>>, tile<i32> -> tile<1x16x64xf32>, token
    %b = reshape %a : tile<1x16x64xf32> -> tile<16x64xf32>
    %c = reduce %b dim=0 identities=[0.0 : f32] : tile<16x64xf32> -> tile<64xf32> (%l: tile<f32>, %r: tile<f32>) {
      %lr = addf %l, %r : tile<f32>
      yield %lr : tile<f32>
    }
    %next = addf %acc, %c : tile<64xf32>
    continue %next : tile<64xf32>
  }
  %out = reshape %sum : tile<64xf32> -> tile<1x64xf32>
  %out_s = store_view_tko weak %out, %y[%bx, %by] : tile<1x64xf32>, partition_view<tile=(1x64), tensor_view<16x1024xf32, strides=[1024,1]>>, tile<i32> -> token
  // BEFORE: block_order = [0, 1, 2]
  // CHECK: block_order = [1, 0, 2]
  return
}
