// A tile is read where it lies in memory, unless memory may have changed before it is read.
// REQUIRES: vector code

// By a sweep, before anything is stored.
entry @read_at_once(%from: tile<ptr<f32>>, %to: tile<ptr<f32>>) {
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
  // BEFORE: load{{.*}}readers Any
  // CHECK: load{{.*}}readers InOrder
  // CHECK-NOT: past_stores
  return
}

// By a store, through any strides.
entry @stored_elsewhere(%from: tile<ptr<f32>>, %to: tile<ptr<f32>>) {
  %bx, %by, %bz = get_tile_block_id : tile<i32>
  %xt = make_tensor_view %from, shape = [65536], strides = [1] : tensor_view<65536xf32, strides=[1]>
  %x = make_partition_view %xt : partition_view<tile=(2048), tensor_view<65536xf32, strides=[1]>>
  %yt = make_tensor_view %to, shape = [65536], strides = [1] : tensor_view<65536xf32, strides=[1]>
  %y = make_partition_view %yt : partition_view<tile=(2048), tensor_view<65536xf32, strides=[1]>>
  %a, %a_t = load_view_tko weak %x[%bx] : partition_view<tile=(2048), tensor_view<65536xf32, strides=[1]>>, tile<i32> -> tile<2048xf32>, token
  %a_y_s = store_view_tko weak %a, %y[%bx] : tile<2048xf32>, partition_view<tile=(2048), tensor_view<65536xf32, strides=[1]>>, tile<i32> -> token
  // CHECK: load{{.*}}readers Stores
  return
}

// An access that others may see reads once.
entry @ordered(%from: tile<ptr<f32>>, %to: tile<ptr<f32>>) {
  %bx, %by, %bz = get_tile_block_id : tile<i32>
  %xt = make_tensor_view %from, shape = [65536], strides = [1] : tensor_view<65536xf32, strides=[1]>
  %x = make_partition_view %xt : partition_view<tile=(2048), tensor_view<65536xf32, strides=[1]>>
  %yt = make_tensor_view %to, shape = [65536], strides = [1] : tensor_view<65536xf32, strides=[1]>
  %y = make_partition_view %yt : partition_view<tile=(2048), tensor_view<65536xf32, strides=[1]>>
  %a, %a_t = load_view_tko relaxed device %x[%bx] : partition_view<tile=(2048), tensor_view<65536xf32, strides=[1]>>, tile<i32> -> tile<2048xf32>, token
  %a_y_s = store_view_tko weak %a, %y[%bx] : tile<2048xf32>, partition_view<tile=(2048), tensor_view<65536xf32, strides=[1]>>, tile<i32> -> token
  // CHECK: load{{.*}}readers Any
  return
}

// Rows that lie apart, by a single step: as vector code it reads them through their strides.
entry @rows_for_one_step(%from: tile<ptr<i8>>, %to: tile<ptr<bf16>>) {
  %zero = constant <i32: 0> : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  %xt = make_tensor_view %from, shape = [64, 1024], strides = [1024, 1] : tensor_view<64x1024xi8, strides=[1024,1]>
  %x = make_partition_view %xt : partition_view<tile=(64x64), tensor_view<64x1024xi8, strides=[1024,1]>>
  %yt = make_tensor_view %to, shape = [64, 1024], strides = [1024, 1] : tensor_view<64x1024xbf16, strides=[1024,1]>
  %y = make_partition_view %yt : partition_view<tile=(64x64), tensor_view<64x1024xbf16, strides=[1024,1]>>
  %a, %a_t = load_view_tko weak %x[%zero, %zero] : partition_view<tile=(64x64), tensor_view<64x1024xi8, strides=[1024,1]>>, tile<i32> -> tile<64x64xi8>, token
  %b = itof %a signed : tile<64x64xi8> -> tile<64x64xbf16>
  %first_s = store_view_tko weak %b, %y[%zero, %zero] : tile<64x64xbf16>, partition_view<tile=(64x64), tensor_view<64x1024xbf16, strides=[1024,1]>>, tile<i32> -> token
  %second_s = store_view_tko weak %b, %y[%zero, %one] : tile<64x64xbf16>, partition_view<tile=(64x64), tensor_view<64x1024xbf16, strides=[1024,1]>>, tile<i32> -> token
  // BEFORE: sweep pieces
  // CHECK: load{{.*}}readers Strided
  // CHECK: sweep region
  return
}
