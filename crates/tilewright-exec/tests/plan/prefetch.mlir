// REQUIRES: vector code
// Sweeps fetch what the next block will read: only tiles that do not begin where others end, if sweeps that read in order are all there is.

// A sweep that reads and stores.
entry @streams(%from: tile<ptr<f32>>, %to: tile<ptr<f32>>) {
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
  // BEFORE: prefetches = none
  // CHECK: prefetches = apart
  return
}

// Nothing is computed.
entry @copies(%from: tile<ptr<f32>>, %to: tile<ptr<f32>>) {
  %bx, %by, %bz = get_tile_block_id : tile<i32>
  %xt = make_tensor_view %from, shape = [65536], strides = [1] : tensor_view<65536xf32, strides=[1]>
  %x = make_partition_view %xt : partition_view<tile=(2048), tensor_view<65536xf32, strides=[1]>>
  %yt = make_tensor_view %to, shape = [65536], strides = [1] : tensor_view<65536xf32, strides=[1]>
  %y = make_partition_view %yt : partition_view<tile=(2048), tensor_view<65536xf32, strides=[1]>>
  %a, %a_t = load_view_tko weak %x[%bx] : partition_view<tile=(2048), tensor_view<65536xf32, strides=[1]>>, tile<i32> -> tile<2048xf32>, token
  %a_y_s = store_view_tko weak %a, %y[%bx] : tile<2048xf32>, partition_view<tile=(2048), tensor_view<65536xf32, strides=[1]>>, tile<i32> -> token
  // CHECK: prefetches = none
  return
}

// A row region fetches rows that the next block has, and no factors, which are the same for all blocks.
entry @rows(%from: tile<ptr<f32>>, %factors: tile<ptr<f32>>, %to: tile<ptr<f32>>) {
  %bx, %by, %bz = get_tile_block_id : tile<i32>
  %zero = constant <i32: 0> : tile<i32>
  %xt = make_tensor_view %from, shape = [64, 1024], strides = [1024, 1] : tensor_view<64x1024xf32, strides=[1024,1]>
  %x = make_partition_view %xt : partition_view<tile=(1x1024), tensor_view<64x1024xf32, strides=[1024,1]>>
  %wt = make_tensor_view %factors, shape = [1, 1024], strides = [1024, 1] : tensor_view<1x1024xf32, strides=[1024,1]>
  %w = make_partition_view %wt : partition_view<tile=(1x1024), tensor_view<1x1024xf32, strides=[1024,1]>>
  %yt = make_tensor_view %to, shape = [64, 1024], strides = [1024, 1] : tensor_view<64x1024xf32, strides=[1024,1]>
  %y = make_partition_view %yt : partition_view<tile=(1x1024), tensor_view<64x1024xf32, strides=[1024,1]>>
  %a, %a_t = load_view_tko weak %x[%bx, %zero] : partition_view<tile=(1x1024), tensor_view<64x1024xf32, strides=[1024,1]>>, tile<i32> -> tile<1x1024xf32>, token
  %f, %f_t = load_view_tko weak %w[%zero, %zero] : partition_view<tile=(1x1024), tensor_view<1x1024xf32, strides=[1024,1]>>, tile<i32> -> tile<1x1024xf32>, token
  %s = reduce %a dim=1 identities=[0.0 : f32] : tile<1x1024xf32> -> tile<1xf32>
  (%l: tile<f32>, %r: tile<f32>) {
    %p = addf %l, %r : tile<f32>
    yield %p : tile<f32>
  }
  %s2 = reshape %s : tile<1xf32> -> tile<1x1xf32>
  %s3 = broadcast %s2 : tile<1x1xf32> -> tile<1x1024xf32>
  %d = subf %a, %s3 : tile<1x1024xf32>
  %o = mulf %d, %f : tile<1x1024xf32>
  %o_y_s = store_view_tko weak %o, %y[%bx, %zero] : tile<1x1024xf32>, partition_view<tile=(1x1024), tensor_view<64x1024xf32, strides=[1024,1]>>, tile<i32> -> token
  // CHECK: from rows 1 of 1024
  // CHECK: in0 = each {{.*}} fetched
  // CHECK-NOT: fetched
  return
}
