// Neighbours run in step where blocks reduce short columns in memory, or multiply in a loop.

// 16 columns of 64 numbers.
entry @columns(%from: tile<ptr<f32>>, %to: tile<ptr<f32>>) {
  %bx, %by, %bz = get_tile_block_id : tile<i32>
  %zero = constant <i32: 0> : tile<i32>
  %xt = make_tensor_view %from, shape = [64, 1024], strides = [1024, 1] : tensor_view<64x1024xf32, strides=[1024,1]>
  %x = make_partition_view %xt : partition_view<tile=(64x16), tensor_view<64x1024xf32, strides=[1024,1]>>
  %yt = make_tensor_view %to, shape = [1024], strides = [1] : tensor_view<1024xf32, strides=[1]>
  %y = make_partition_view %yt : partition_view<tile=(16), tensor_view<1024xf32, strides=[1]>>
  %a, %a_t = load_view_tko weak %x[%zero, %bx] : partition_view<tile=(64x16), tensor_view<64x1024xf32, strides=[1024,1]>>, tile<i32> -> tile<64x16xf32>, token
  %s = reduce %a dim=0 identities=[0.0 : f32] : tile<64x16xf32> -> tile<16xf32>
  (%l: tile<f32>, %r: tile<f32>) {
    %p = addf %l, %r : tile<f32>
    yield %p : tile<f32>
  }
  %s_y_s = store_view_tko weak %s, %y[%bx] : tile<16xf32>, partition_view<tile=(16), tensor_view<1024xf32, strides=[1]>>, tile<i32> -> token
  // BEFORE: blocks_in_step = 1
  // CHECK: blocks_in_step = 16
  return
}

// A row lies side by side.
entry @rows(%from: tile<ptr<f32>>, %to: tile<ptr<f32>>) {
  %bx, %by, %bz = get_tile_block_id : tile<i32>
  %zero = constant <i32: 0> : tile<i32>
  %xt = make_tensor_view %from, shape = [64, 2048], strides = [2048, 1] : tensor_view<64x2048xf32, strides=[2048,1]>
  %x = make_partition_view %xt : partition_view<tile=(1x2048), tensor_view<64x2048xf32, strides=[2048,1]>>
  %yt = make_tensor_view %to, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
  %y = make_partition_view %yt : partition_view<tile=(1), tensor_view<64xf32, strides=[1]>>
  %a, %a_t = load_view_tko weak %x[%bx, %zero] : partition_view<tile=(1x2048), tensor_view<64x2048xf32, strides=[2048,1]>>, tile<i32> -> tile<1x2048xf32>, token
  %s = reduce %a dim=1 identities=[0.0 : f32] : tile<1x2048xf32> -> tile<1xf32>
  (%l: tile<f32>, %r: tile<f32>) {
    %p = addf %l, %r : tile<f32>
    yield %p : tile<f32>
  }
  %s_y_s = store_view_tko weak %s, %y[%bx] : tile<1xf32>, partition_view<tile=(1), tensor_view<64xf32, strides=[1]>>, tile<i32> -> token
  // CHECK: blocks_in_step = 1
  return
}

// Neighbours have a factor in common.
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
  // BEFORE: blocks_in_step = 1
  // CHECK: blocks_in_step = 8
  return
}
