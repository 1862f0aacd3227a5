// What takes one cheap step from one tile is computed again where it is read, unless an instruction reads it that is not elementwise.

// A difference, for the sum of its squares and for the result.
entry @centred(%from: tile<ptr<f32>>, %to: tile<ptr<f32>>, %m: tile<f32>) {
  %bx, %by, %bz = get_tile_block_id : tile<i32>
  %zero = constant <i32: 0> : tile<i32>
  %xt = make_tensor_view %from, shape = [64, 2048], strides = [2048, 1] : tensor_view<64x2048xf32, strides=[2048,1]>
  %x = make_partition_view %xt : partition_view<tile=(1x2048), tensor_view<64x2048xf32, strides=[2048,1]>>
  %yt = make_tensor_view %to, shape = [64, 2048], strides = [2048, 1] : tensor_view<64x2048xf32, strides=[2048,1]>
  %y = make_partition_view %yt : partition_view<tile=(1x2048), tensor_view<64x2048xf32, strides=[2048,1]>>
  %m1 = reshape %m : tile<f32> -> tile<1x1xf32>
  %ms = broadcast %m1 : tile<1x1xf32> -> tile<1x2048xf32>
  %a, %a_t = load_view_tko weak %x[%bx, %zero] : partition_view<tile=(1x2048), tensor_view<64x2048xf32, strides=[2048,1]>>, tile<i32> -> tile<1x2048xf32>, token
  %c = subf %a, %ms : tile<1x2048xf32>
  %q = mulf %c, %c : tile<1x2048xf32>
  %s = reduce %q dim=1 identities=[0.0 : f32] : tile<1x2048xf32> -> tile<1xf32>
  (%l: tile<f32>, %r: tile<f32>) {
    %p = addf %l, %r : tile<f32>
    yield %p : tile<f32>
  }
  %s2 = reshape %s : tile<1xf32> -> tile<1x1xf32>
  %s3 = broadcast %s2 : tile<1x1xf32> -> tile<1x2048xf32>
  %o = mulf %c, %s3 : tile<1x2048xf32>
  %o_y_s = store_view_tko weak %o, %y[%bx, %zero] : tile<1x2048xf32>, partition_view<tile=(1x2048), tensor_view<64x2048xf32, strides=[2048,1]>>, tile<i32> -> token
  // BEFORE: SubF
  // BEFORE-NOT: SubF
  // CHECK: SubF
  // CHECK: fold_rows
  // CHECK-NEXT: [[AGAIN:%[0-9]+]] = SubF
  // CHECK-NEXT: MulF{{.*}}([[AGAIN]]:
  return
}

// The sum itself reads the difference, so it has to be in a register.
entry @reduced(%from: tile<ptr<f32>>, %to: tile<ptr<f32>>, %m: tile<f32>) {
  %bx, %by, %bz = get_tile_block_id : tile<i32>
  %zero = constant <i32: 0> : tile<i32>
  %xt = make_tensor_view %from, shape = [64, 2048], strides = [2048, 1] : tensor_view<64x2048xf32, strides=[2048,1]>
  %x = make_partition_view %xt : partition_view<tile=(1x2048), tensor_view<64x2048xf32, strides=[2048,1]>>
  %yt = make_tensor_view %to, shape = [64, 2048], strides = [2048, 1] : tensor_view<64x2048xf32, strides=[2048,1]>
  %y = make_partition_view %yt : partition_view<tile=(1x2048), tensor_view<64x2048xf32, strides=[2048,1]>>
  %m1 = reshape %m : tile<f32> -> tile<1x1xf32>
  %ms = broadcast %m1 : tile<1x1xf32> -> tile<1x2048xf32>
  %a, %a_t = load_view_tko weak %x[%bx, %zero] : partition_view<tile=(1x2048), tensor_view<64x2048xf32, strides=[2048,1]>>, tile<i32> -> tile<1x2048xf32>, token
  %c = subf %a, %ms : tile<1x2048xf32>
  %s = reduce %c dim=1 identities=[0.0 : f32] : tile<1x2048xf32> -> tile<1xf32>
  (%l: tile<f32>, %r: tile<f32>) {
    %p = addf %l, %r : tile<f32>
    yield %p : tile<f32>
  }
  %s2 = reshape %s : tile<1xf32> -> tile<1x1xf32>
  %s3 = broadcast %s2 : tile<1x1xf32> -> tile<1x2048xf32>
  %o = mulf %c, %s3 : tile<1x2048xf32>
  %o_y_s = store_view_tko weak %o, %y[%bx, %zero] : tile<1x2048xf32>, partition_view<tile=(1x2048), tensor_view<64x2048xf32, strides=[2048,1]>>, tile<i32> -> token
  // CHECK: SubF
  // CHECK-NOT: SubF
  return
}
