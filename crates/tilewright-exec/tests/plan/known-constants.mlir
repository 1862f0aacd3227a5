// Regions know the constants of the module, which are the same in all launches.
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
