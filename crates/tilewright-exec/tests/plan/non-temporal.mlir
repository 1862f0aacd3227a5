// What a block stores once may go past the caches, if no access orders others.
// REQUIRES: vector code

// Straight code.
entry @once(%from: tile<ptr<f32>>, %to: tile<ptr<f32>>) {
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
  // BEFORE: non_temporal = []
  // CHECK: non_temporal = [2]
  // CHECK: 2 store
  return
}

// A loop may store in one place again.
entry @again(%to: tile<ptr<f32>>, %n: tile<i32>) {
  %zero = constant <i32: 0> : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  %yt = make_tensor_view %to, shape = [65536], strides = [1] : tensor_view<65536xf32, strides=[1]>
  %y = make_partition_view %yt : partition_view<tile=(2048), tensor_view<65536xf32, strides=[1]>>
  for %k in (%zero to %n, step %one) : tile<i32> {
    %a, %a_t = load_view_tko weak %y[%k] : partition_view<tile=(2048), tensor_view<65536xf32, strides=[1]>>, tile<i32> -> tile<2048xf32>, token
    %b = addf %a, %a : tile<2048xf32>
    %b_y_s = store_view_tko weak %b, %y[%k] : tile<2048xf32>, partition_view<tile=(2048), tensor_view<65536xf32, strides=[1]>>, tile<i32> -> token
    continue
  }
  // CHECK: non_temporal = []
  return
}
