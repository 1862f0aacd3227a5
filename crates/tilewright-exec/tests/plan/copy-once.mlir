// Loaded tiles are found that several instructions read through the strides of memory.
// REQUIRES: vector code

// The sum of each column, and each element less it.
entry @twice(%from: tile<ptr<f32>>, %to: tile<ptr<f32>>) {
  %zero = constant <i32: 0> : tile<i32>
  %bx, %by, %bz = get_tile_block_id : tile<i32>
  %xt = make_tensor_view %from, shape = [64, 1024], strides = [1024, 1] : tensor_view<64x1024xf32, strides=[1024,1]>
  %x = make_partition_view %xt : partition_view<tile=(64x32), tensor_view<64x1024xf32, strides=[1024,1]>>
  %yt = make_tensor_view %to, shape = [64, 1024], strides = [1024, 1] : tensor_view<64x1024xf32, strides=[1024,1]>
  %y = make_partition_view %yt : partition_view<tile=(64x32), tensor_view<64x1024xf32, strides=[1024,1]>>
  %a, %a_t = load_view_tko weak %x[%zero, %bx] : partition_view<tile=(64x32), tensor_view<64x1024xf32, strides=[1024,1]>>, tile<i32> -> tile<64x32xf32>, token
  %sum = reduce %a dim=0 identities=[0.0 : f32] : tile<64x32xf32> -> tile<32xf32>
  (%l: tile<f32>, %r: tile<f32>) {
    %s = addf %l, %r : tile<f32>
    yield %s : tile<f32>
  }
  %row = reshape %sum : tile<32xf32> -> tile<1x32xf32>
  %all = broadcast %row : tile<1x32xf32> -> tile<64x32xf32>
  %b = subf %a, %all : tile<64x32xf32>
  %b_s = store_view_tko weak %b, %y[%zero, %bx] token = %a_t : tile<64x32xf32>, partition_view<tile=(64x32), tensor_view<64x1024xf32, strides=[1024,1]>>, tile<i32> -> token
  // BEFORE-NOT: read_again
  // CHECK: read_again = [1]
  // CHECK: 1 %{{.*}} = load{{.*}}readers Strided
  return
}

// Read once.
entry @once(%from: tile<ptr<f32>>, %to: tile<ptr<f32>>) {
  %bx, %by, %bz = get_tile_block_id : tile<i32>
  %xt = make_tensor_view %from, shape = [65536], strides = [1] : tensor_view<65536xf32, strides=[1]>
  %x = make_partition_view %xt : partition_view<tile=(2048), tensor_view<65536xf32, strides=[1]>>
  %yt = make_tensor_view %to, shape = [65536], strides = [1] : tensor_view<65536xf32, strides=[1]>
  %y = make_partition_view %yt : partition_view<tile=(2048), tensor_view<65536xf32, strides=[1]>>
  %a, %a_t = load_view_tko weak %x[%bx] : partition_view<tile=(2048), tensor_view<65536xf32, strides=[1]>>, tile<i32> -> tile<2048xf32>, token
  %b = addf %a, %a : tile<2048xf32>
  %b_s = store_view_tko weak %b, %y[%bx] token = %a_t : tile<2048xf32>, partition_view<tile=(2048), tensor_view<65536xf32, strides=[1]>>, tile<i32> -> token
  // CHECK-NOT: read_again
  return
}
