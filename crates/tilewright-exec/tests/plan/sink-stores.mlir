// What begins with what stored tiles are computed of is computed before the stores: what both have in common is computed once.

// Quotients and remainders.
entry @parts(%from: tile<ptr<i32>>, %to: tile<ptr<i32>>, %rest: tile<ptr<i32>>) {
  %bx, %by, %bz = get_tile_block_id : tile<i32>
  %xt = make_tensor_view %from, shape = [65536], strides = [1] : tensor_view<65536xi32, strides=[1]>
  %x = make_partition_view %xt : partition_view<tile=(128), tensor_view<65536xi32, strides=[1]>>
  %yt = make_tensor_view %to, shape = [65536], strides = [1] : tensor_view<65536xi32, strides=[1]>
  %y = make_partition_view %yt : partition_view<tile=(128), tensor_view<65536xi32, strides=[1]>>
  %zt = make_tensor_view %rest, shape = [65536], strides = [1] : tensor_view<65536xi32, strides=[1]>
  %z = make_partition_view %zt : partition_view<tile=(128), tensor_view<65536xi32, strides=[1]>>
  %a, %a_t = load_view_tko weak %x[%bx] : partition_view<tile=(128), tensor_view<65536xi32, strides=[1]>>, tile<i32> -> tile<128xi32>, token
  %by_ = constant <i32: 37> : tile<128xi32>
  %q = divi %a, %by_ signed : tile<128xi32>
  %t0 = store_view_tko weak %q, %y[%bx] : tile<128xi32>, partition_view<tile=(128), tensor_view<65536xi32, strides=[1]>>, tile<i32> -> token
  %r = remi %a, %by_ signed : tile<128xi32>
  %t1 = store_view_tko weak %r, %z[%bx] : tile<128xi32>, partition_view<tile=(128), tensor_view<65536xi32, strides=[1]>>, tile<i32> -> token
  // BEFORE: DivI
  // BEFORE: store
  // BEFORE: RemI
  // CHECK: DivI
  // CHECK-NEXT: RemI
  // CHECK-NEXT: store
  // CHECK-NEXT: store
  return
}

// They have nothing in common.
entry @apart(%from: tile<ptr<i32>>, %other: tile<ptr<i32>>, %to: tile<ptr<i32>>, %rest: tile<ptr<i32>>) {
  %bx, %by, %bz = get_tile_block_id : tile<i32>
  %xt = make_tensor_view %from, shape = [65536], strides = [1] : tensor_view<65536xi32, strides=[1]>
  %x = make_partition_view %xt : partition_view<tile=(128), tensor_view<65536xi32, strides=[1]>>
  %wt = make_tensor_view %other, shape = [65536], strides = [1] : tensor_view<65536xi32, strides=[1]>
  %w = make_partition_view %wt : partition_view<tile=(128), tensor_view<65536xi32, strides=[1]>>
  %yt = make_tensor_view %to, shape = [65536], strides = [1] : tensor_view<65536xi32, strides=[1]>
  %y = make_partition_view %yt : partition_view<tile=(128), tensor_view<65536xi32, strides=[1]>>
  %zt = make_tensor_view %rest, shape = [65536], strides = [1] : tensor_view<65536xi32, strides=[1]>
  %z = make_partition_view %zt : partition_view<tile=(128), tensor_view<65536xi32, strides=[1]>>
  %a, %a_t = load_view_tko weak %x[%bx] : partition_view<tile=(128), tensor_view<65536xi32, strides=[1]>>, tile<i32> -> tile<128xi32>, token
  %b, %b_t = load_view_tko weak %w[%bx] : partition_view<tile=(128), tensor_view<65536xi32, strides=[1]>>, tile<i32> -> tile<128xi32>, token
  %q = muli %a, %a : tile<128xi32>
  %t0 = store_view_tko weak %q, %y[%bx] : tile<128xi32>, partition_view<tile=(128), tensor_view<65536xi32, strides=[1]>>, tile<i32> -> token
  %r = muli %b, %b : tile<128xi32>
  %t1 = store_view_tko weak %r, %z[%bx] : tile<128xi32>, partition_view<tile=(128), tensor_view<65536xi32, strides=[1]>>, tile<i32> -> token
  // CHECK: MulI
  // CHECK-NEXT: store
  // CHECK-NEXT: MulI
  // CHECK-NEXT: store
  return
}
