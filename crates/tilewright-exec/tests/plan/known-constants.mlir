// Regions and combiners know the constants of the module, which are the same in all launches.
// REQUIRES: vector code

// A number in the module.
entry @plus_one(%from: tile<ptr<f32>>, %to: tile<ptr<f32>>) {
  %bx, %by, %bz = get_tile_block_id : tile<i32>
  %xt = make_tensor_view %from, shape = [64, 2048], strides = [2048, 1] : tensor_view<64x2048xf32, strides=[2048,1]>
  %x = make_partition_view %xt : partition_view<tile=(16x64), tensor_view<64x2048xf32, strides=[2048,1]>>
  %yt = make_tensor_view %to, shape = [64, 2048], strides = [2048, 1] : tensor_view<64x2048xf32, strides=[2048,1]>
  %y = make_partition_view %yt : partition_view<tile=(16x64), tensor_view<64x2048xf32, strides=[2048,1]>>
  %ones = constant <f32: 1.0> : tile<16x64xf32>
  %a, %a_t = load_view_tko weak %x[%bx, %by] : partition_view<tile=(16x64), tensor_view<64x2048xf32, strides=[2048,1]>>, tile<i32> -> tile<16x64xf32>, token
  %b = addf %a, %ones : tile<16x64xf32>
  %b_y_s = store_view_tko weak %b, %y[%bx, %by] : tile<16x64xf32>, partition_view<tile=(16x64), tensor_view<64x2048xf32, strides=[2048,1]>>, tile<i32> -> token
  // BEFORE-NOT: known
  // CHECK: splat c{{.*}}known 0x3f800000
  return
}

// An argument.
entry @plus_argument(%from: tile<ptr<f32>>, %to: tile<ptr<f32>>, %m: tile<f32>) {
  %bx, %by, %bz = get_tile_block_id : tile<i32>
  %xt = make_tensor_view %from, shape = [64, 2048], strides = [2048, 1] : tensor_view<64x2048xf32, strides=[2048,1]>
  %x = make_partition_view %xt : partition_view<tile=(16x64), tensor_view<64x2048xf32, strides=[2048,1]>>
  %yt = make_tensor_view %to, shape = [64, 2048], strides = [2048, 1] : tensor_view<64x2048xf32, strides=[2048,1]>
  %y = make_partition_view %yt : partition_view<tile=(16x64), tensor_view<64x2048xf32, strides=[2048,1]>>
  %m1 = reshape %m : tile<f32> -> tile<1x1xf32>
  %ms = broadcast %m1 : tile<1x1xf32> -> tile<16x64xf32>
  %a, %a_t = load_view_tko weak %x[%bx, %by] : partition_view<tile=(16x64), tensor_view<64x2048xf32, strides=[2048,1]>>, tile<i32> -> tile<16x64xf32>, token
  %b = addf %a, %ms : tile<16x64xf32>
  %b_y_s = store_view_tko weak %b, %y[%bx, %by] : tile<16x64xf32>, partition_view<tile=(16x64), tensor_view<64x2048xf32, strides=[2048,1]>>, tile<i32> -> token
  // CHECK: splat c
  // CHECK-NOT: known
  return
}

// What a combiner begins with: the count and the sum of squares are numbers in each round.
entry @moments(%from: tile<ptr<f32>>, %to: tile<ptr<f32>>) {
  %x = make_tensor_view %from, shape = [8, 1024], strides = [1024, 1] : tensor_view<8x1024xf32, strides=[1024,1]>
  %xs = make_partition_view %x : partition_view<tile=(8x1024), tensor_view<8x1024xf32, strides=[1024,1]>>
  %y = make_tensor_view %to, shape = [8], strides = [1] : tensor_view<8xf32, strides=[1]>
  %ys = make_partition_view %y : partition_view<tile=(8), tensor_view<8xf32, strides=[1]>>
  %zero = constant <i32: 0> : tile<i32>
  %ones = constant <f32: 1.0> : tile<8x1024xf32>
  %a, %a_t = load_view_tko weak %xs[%zero, %zero] : partition_view<tile=(8x1024), tensor_view<8x1024xf32, strides=[1024,1]>>, tile<i32> -> tile<8x1024xf32>, token
  %count, %mean = reduce %ones, %a dim=1 identities=[0.0 : f32, 0.0 : f32] : tile<8x1024xf32>, tile<8x1024xf32> -> tile<8xf32>, tile<8xf32>
    (%n0: tile<f32>, %n1: tile<f32>, %m0: tile<f32>, %m1: tile<f32>) {
      %n = addf %n0, %n1 : tile<f32>
      %d = subf %m1, %m0 : tile<f32>
      %part = divf %n1, %n : tile<f32>
      %m = fma %d, %part, %m0 : tile<f32>
      yield %n, %m : tile<f32>, tile<f32>
    }
  %mean_s = store_view_tko weak %mean, %ys[%zero] : tile<8xf32>, partition_view<tile=(8), tensor_view<8xf32, strides=[1]>>, tile<i32> -> token
  // BEFORE-NOT: known
  // CHECK: reduce 1024 (c{{.*}}known 0x3f800000, %{{.*}}1024]) captures
  return
}
