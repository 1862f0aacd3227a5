// A load that stands between elementwise instructions on tiles of one length moves before them, unless it may read what a store writes.

// Between a product and a sum.
entry @between(%from: tile<ptr<f32>>, %to: tile<ptr<f32>>) {
  %bx, %by, %bz = get_tile_block_id : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  %xt = make_tensor_view %from, shape = [65536], strides = [1] : tensor_view<65536xf32, strides=[1]>
  %x = make_partition_view %xt : partition_view<tile=(2048), tensor_view<65536xf32, strides=[1]>>
  %yt = make_tensor_view %to, shape = [65536], strides = [1] : tensor_view<65536xf32, strides=[1]>
  %y = make_partition_view %yt : partition_view<tile=(2048), tensor_view<65536xf32, strides=[1]>>
  %two = constant <f32: 2.0> : tile<2048xf32>
  %next = addi %bx, %one : tile<i32>
  %a, %a_t = load_view_tko weak %x[%bx] : partition_view<tile=(2048), tensor_view<65536xf32, strides=[1]>>, tile<i32> -> tile<2048xf32>, token
  %b = mulf %a, %two : tile<2048xf32>
  %a2, %a2_t = load_view_tko weak %x[%next] : partition_view<tile=(2048), tensor_view<65536xf32, strides=[1]>>, tile<i32> -> tile<2048xf32>, token
  %c = addf %b, %a2 : tile<2048xf32>
  %c_y_s = store_view_tko weak %c, %y[%bx] : tile<2048xf32>, partition_view<tile=(2048), tensor_view<65536xf32, strides=[1]>>, tile<i32> -> token
  // BEFORE: load f32[2048]
  // BEFORE: MulF
  // BEFORE-NEXT: load f32[2048]
  // BEFORE-NEXT: AddF
  // CHECK: load f32[2048]
  // CHECK: load f32[2048]
  // CHECK-NEXT: MulF
  // CHECK-NEXT: AddF
  return
}

// Both tensors may be the same.
entry @behind_a_store(%from: tile<ptr<f32>>, %to: tile<ptr<f32>>) {
  %bx, %by, %bz = get_tile_block_id : tile<i32>
  %xt = make_tensor_view %from, shape = [65536], strides = [1] : tensor_view<65536xf32, strides=[1]>
  %x = make_partition_view %xt : partition_view<tile=(2048), tensor_view<65536xf32, strides=[1]>>
  %yt = make_tensor_view %to, shape = [65536], strides = [1] : tensor_view<65536xf32, strides=[1]>
  %y = make_partition_view %yt : partition_view<tile=(2048), tensor_view<65536xf32, strides=[1]>>
  %two = constant <f32: 2.0> : tile<2048xf32>
  %a, %a_t = load_view_tko weak %x[%bx] : partition_view<tile=(2048), tensor_view<65536xf32, strides=[1]>>, tile<i32> -> tile<2048xf32>, token
  %b = mulf %a, %two : tile<2048xf32>
  %b_y_s = store_view_tko weak %b, %y[%bx] : tile<2048xf32>, partition_view<tile=(2048), tensor_view<65536xf32, strides=[1]>>, tile<i32> -> token
  %a2, %a2_t = load_view_tko weak %x[%bx] : partition_view<tile=(2048), tensor_view<65536xf32, strides=[1]>>, tile<i32> -> tile<2048xf32>, token
  %c = addf %b, %a2 : tile<2048xf32>
  %c_y_s = store_view_tko weak %c, %y[%bx] : tile<2048xf32>, partition_view<tile=(2048), tensor_view<65536xf32, strides=[1]>>, tile<i32> -> token
  // CHECK: MulF
  // CHECK-NEXT: store
  // CHECK-NEXT: load
  // CHECK-NEXT: AddF
  return
}
