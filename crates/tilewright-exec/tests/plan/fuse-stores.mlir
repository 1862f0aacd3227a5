// A sweep whose result is only stored becomes part of the store.

// Nothing but a store reads the sum.
entry @stored(%from: tile<ptr<f32>>, %to: tile<ptr<f32>>) {
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
  // BEFORE: sweep
  // BEFORE: store f32[2048]
  // CHECK-NOT: {{[0-9]+ sweep}}
  // CHECK: store f32[2048]{{.*}}from sweep{{.*}}of 2048
  return
}

// Two stores read the product.
entry @stored_twice(%from: tile<ptr<f32>>, %to: tile<ptr<f32>>) {
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
  %b_y_s = store_view_tko weak %b, %y[%bx] : tile<2048xf32>, partition_view<tile=(2048), tensor_view<65536xf32, strides=[1]>>, tile<i32> -> token
  %b_y_s2 = store_view_tko weak %b, %y[%next] : tile<2048xf32>, partition_view<tile=(2048), tensor_view<65536xf32, strides=[1]>>, tile<i32> -> token
  // CHECK: {{[0-9]+ sweep}}
  // CHECK: store f32[2048]
  // CHECK-NOT: from sweep
  return
}
