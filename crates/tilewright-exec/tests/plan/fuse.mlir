// Elementwise instructions on tiles of one length that stand side by side become a sweep.

// A product and a sum.
entry @two_steps(%from: tile<ptr<f32>>, %to: tile<ptr<f32>>) {
  %bx, %by, %bz = get_tile_block_id : tile<i32>
  %xt = make_tensor_view %from, shape = [65536], strides = [1] : tensor_view<65536xf32, strides=[1]>
  %x = make_partition_view %xt : partition_view<tile=(2048), tensor_view<65536xf32, strides=[1]>>
  %yt = make_tensor_view %to, shape = [65536], strides = [1] : tensor_view<65536xf32, strides=[1]>
  %y = make_partition_view %yt : partition_view<tile=(2048), tensor_view<65536xf32, strides=[1]>>
  %two = constant <f32: 2.0> : tile<2048xf32>
  %a, %a_t = load_view_tko weak %x[%bx] : partition_view<tile=(2048), tensor_view<65536xf32, strides=[1]>>, tile<i32> -> tile<2048xf32>, token
  %b = mulf %a, %two : tile<2048xf32>
  %c = addf %b, %a : tile<2048xf32>
  %c_y_s = store_view_tko weak %c, %y[%bx] : tile<2048xf32>, partition_view<tile=(2048), tensor_view<65536xf32, strides=[1]>>, tile<i32> -> token
  // BEFORE: MulF
  // BEFORE-NEXT: AddF
  // CHECK: sweep{{.*}}of 2048
  // CHECK: MulF{{.*}}-> f32 (in
  // CHECK-NEXT: AddF
  // CHECK-NEXT: }
  return
}

// A copy.
entry @nothing_elementwise(%from: tile<ptr<f32>>, %to: tile<ptr<f32>>) {
  %bx, %by, %bz = get_tile_block_id : tile<i32>
  %xt = make_tensor_view %from, shape = [65536], strides = [1] : tensor_view<65536xf32, strides=[1]>
  %x = make_partition_view %xt : partition_view<tile=(2048), tensor_view<65536xf32, strides=[1]>>
  %yt = make_tensor_view %to, shape = [65536], strides = [1] : tensor_view<65536xf32, strides=[1]>
  %y = make_partition_view %yt : partition_view<tile=(2048), tensor_view<65536xf32, strides=[1]>>
  %a, %a_t = load_view_tko weak %x[%bx] : partition_view<tile=(2048), tensor_view<65536xf32, strides=[1]>>, tile<i32> -> tile<2048xf32>, token
  %a_y_s = store_view_tko weak %a, %y[%bx] : tile<2048xf32>, partition_view<tile=(2048), tensor_view<65536xf32, strides=[1]>>, tile<i32> -> token
  // CHECK-NOT: sweep
  return
}
