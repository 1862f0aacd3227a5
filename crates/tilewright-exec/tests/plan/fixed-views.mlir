// Views of tensors whose place, extents and strides are constants of a launch are numbered.

// Tensors that begin where arguments say.
entry @argument(%from: tile<ptr<f32>>, %to: tile<ptr<f32>>) {
  %bx, %by, %bz = get_tile_block_id : tile<i32>
  %xt = make_tensor_view %from, shape = [65536], strides = [1] : tensor_view<65536xf32, strides=[1]>
  %x = make_partition_view %xt : partition_view<tile=(2048), tensor_view<65536xf32, strides=[1]>>
  %yt = make_tensor_view %to, shape = [65536], strides = [1] : tensor_view<65536xf32, strides=[1]>
  %y = make_partition_view %yt : partition_view<tile=(2048), tensor_view<65536xf32, strides=[1]>>
  %a, %a_t = load_view_tko weak %x[%bx] : partition_view<tile=(2048), tensor_view<65536xf32, strides=[1]>>, tile<i32> -> tile<2048xf32>, token
  %a_y_s = store_view_tko weak %a, %y[%bx] : tile<2048xf32>, partition_view<tile=(2048), tensor_view<65536xf32, strides=[1]>>, tile<i32> -> token
  // BEFORE-NOT: fixed
  // CHECK: load{{.*}}fixed 0
  // CHECK: store{{.*}}fixed 1
  return
}

// Tensors that begin elsewhere for each block.
entry @moved(%from: tile<ptr<f32>>, %to: tile<ptr<f32>>) {
  %bx, %by, %bz = get_tile_block_id : tile<i32>
  %p = offset %from, %bx : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
  %q = offset %to, %bx : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
  %zero = constant <i32: 0> : tile<i32>
  %xt = make_tensor_view %p, shape = [65536], strides = [1] : tensor_view<65536xf32, strides=[1]>
  %x = make_partition_view %xt : partition_view<tile=(2048), tensor_view<65536xf32, strides=[1]>>
  %yt = make_tensor_view %q, shape = [65536], strides = [1] : tensor_view<65536xf32, strides=[1]>
  %y = make_partition_view %yt : partition_view<tile=(2048), tensor_view<65536xf32, strides=[1]>>
  %a, %a_t = load_view_tko weak %x[%zero] : partition_view<tile=(2048), tensor_view<65536xf32, strides=[1]>>, tile<i32> -> tile<2048xf32>, token
  %a_y_s = store_view_tko weak %a, %y[%zero] : tile<2048xf32>, partition_view<tile=(2048), tensor_view<65536xf32, strides=[1]>>, tile<i32> -> token
  // CHECK: load
  // CHECK-NOT: fixed
  return
}
