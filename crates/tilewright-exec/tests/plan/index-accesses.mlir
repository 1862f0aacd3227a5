// REQUIRES: vector code
// Loads and atomic updates through pointers that are one address and an index for each lane know address and indices, and need no pointers.

// Indices come from the data, what is outside is masked off, and what was loaded is computed with.
entry @gathered(%table: tile<ptr<f32>>, %from: tile<ptr<i32>>, %n: tile<i32>, %to: tile<ptr<f32>>) {
  %bx, %by, %bz = get_tile_block_id : tile<i32>
  %it = make_tensor_view %from, shape = [65536], strides = [1] : tensor_view<65536xi32, strides=[1]>
  %i = make_partition_view %it : partition_view<tile=(128), tensor_view<65536xi32, strides=[1]>>
  %yt = make_tensor_view %to, shape = [65536], strides = [1] : tensor_view<65536xf32, strides=[1]>
  %y = make_partition_view %yt : partition_view<tile=(128), tensor_view<65536xf32, strides=[1]>>
  %a, %a_t = load_view_tko weak %i[%bx] : partition_view<tile=(128), tensor_view<65536xi32, strides=[1]>>, tile<i32> -> tile<128xi32>, token
  %n0 = reshape %n : tile<i32> -> tile<1xi32>
  %n1 = broadcast %n0 : tile<1xi32> -> tile<128xi32>
  %m = cmpi less_than %a, %n1, unsigned : tile<128xi32> -> tile<128xi1>
  %t0 = reshape %table : tile<ptr<f32>> -> tile<1xptr<f32>>
  %t1 = broadcast %t0 : tile<1xptr<f32>> -> tile<128xptr<f32>>
  %p = offset %t1, %a : tile<128xptr<f32>>, tile<128xi32> -> tile<128xptr<f32>>
  %zero = constant <f32: 0.0> : tile<128xf32>
  %b, %b_t = load_ptr_tko weak %p, %m, %zero : tile<128xptr<f32>>, tile<128xi1>, tile<128xf32> -> tile<128xf32>, token
  %c = mulf %b, %b : tile<128xf32>
  %c_y_s = store_view_tko weak %c, %y[%bx] : tile<128xf32>, partition_view<tile=(128), tensor_view<65536xf32, strides=[1]>>, tile<i32> -> token
  // BEFORE: Offset(4) -> ptr
  // BEFORE: load f32 at %{{.*}}: ptr[128] mask
  // CHECK-NOT: Offset
  // CHECK: load f32 at c0: ptr[128] strides [0] [%{{.*}}: i32[128]] mask %{{.*}}: i1[128] padding c64: f32[128] strides [0]
  return
}

// The same pointers are stored through: these are made.
entry @both_ways(%table: tile<ptr<f32>>, %from: tile<ptr<i32>>) {
  %it = make_tensor_view %from, shape = [65536], strides = [1] : tensor_view<65536xi32, strides=[1]>
  %i = make_partition_view %it : partition_view<tile=(128), tensor_view<65536xi32, strides=[1]>>
  %bx, %by, %bz = get_tile_block_id : tile<i32>
  %a, %a_t = load_view_tko weak %i[%bx] : partition_view<tile=(128), tensor_view<65536xi32, strides=[1]>>, tile<i32> -> tile<128xi32>, token
  %t0 = reshape %table : tile<ptr<f32>> -> tile<1xptr<f32>>
  %t1 = broadcast %t0 : tile<1xptr<f32>> -> tile<128xptr<f32>>
  %p = offset %t1, %a : tile<128xptr<f32>>, tile<128xi32> -> tile<128xptr<f32>>
  %b, %b_t = load_ptr_tko weak %p : tile<128xptr<f32>> -> tile<128xf32>, token
  %s = store_ptr_tko weak %p, %b token=%b_t : tile<128xptr<f32>>, tile<128xf32> -> token
  // CHECK: Offset(4) -> ptr
  // CHECK: load f32 at c0
  // CHECK: store f32 at %{{.*}}: ptr[128]
  return
}

// What a load orders is ordered with its pointers; so few elements as a block of 16 are no region.
entry @others(%table: tile<ptr<f32>>, %from: tile<ptr<i32>>, %to: tile<ptr<f32>>) {
  %bx, %by, %bz = get_tile_block_id : tile<i32>
  %it = make_tensor_view %from, shape = [65536], strides = [1] : tensor_view<65536xi32, strides=[1]>
  %i = make_partition_view %it : partition_view<tile=(128), tensor_view<65536xi32, strides=[1]>>
  %j = make_partition_view %it : partition_view<tile=(16), tensor_view<65536xi32, strides=[1]>>
  %a, %a_t = load_view_tko weak %i[%bx] : partition_view<tile=(128), tensor_view<65536xi32, strides=[1]>>, tile<i32> -> tile<128xi32>, token
  %d, %d_t = load_view_tko weak %j[%bx] : partition_view<tile=(16), tensor_view<65536xi32, strides=[1]>>, tile<i32> -> tile<16xi32>, token
  %t0 = reshape %table : tile<ptr<f32>> -> tile<1xptr<f32>>
  %t1 = broadcast %t0 : tile<1xptr<f32>> -> tile<128xptr<f32>>
  %t2 = broadcast %t0 : tile<1xptr<f32>> -> tile<16xptr<f32>>
  %p = offset %t1, %a : tile<128xptr<f32>>, tile<128xi32> -> tile<128xptr<f32>>
  %q = offset %t2, %d : tile<16xptr<f32>>, tile<16xi32> -> tile<16xptr<f32>>
  %b, %b_t = load_ptr_tko relaxed device %p : tile<128xptr<f32>> -> tile<128xf32>, token
  %e, %e_t = load_ptr_tko weak %q : tile<16xptr<f32>> -> tile<16xf32>, token
  // CHECK-NOT: load f32 at c0
  return
}

// A histogram: indices of 32 bits in order. Those of 64 bits are no shorter than pointers, which are made then.
entry @counted(%bins: tile<ptr<i32>>, %from: tile<ptr<i32>>, %n: tile<i32>) {
  %it = make_tensor_view %from, shape = [65536], strides = [1] : tensor_view<65536xi32, strides=[1]>
  %i = make_partition_view %it : partition_view<tile=(128), tensor_view<65536xi32, strides=[1]>>
  %bx, %by, %bz = get_tile_block_id : tile<i32>
  %a, %a_t = load_view_tko weak %i[%bx] : partition_view<tile=(128), tensor_view<65536xi32, strides=[1]>>, tile<i32> -> tile<128xi32>, token
  %n0 = reshape %n : tile<i32> -> tile<1xi32>
  %n1 = broadcast %n0 : tile<1xi32> -> tile<128xi32>
  %m = cmpi less_than %a, %n1, unsigned : tile<128xi32> -> tile<128xi1>
  %t0 = reshape %bins : tile<ptr<i32>> -> tile<1xptr<i32>>
  %t1 = broadcast %t0 : tile<1xptr<i32>> -> tile<128xptr<i32>>
  %p = offset %t1, %a : tile<128xptr<i32>>, tile<128xi32> -> tile<128xptr<i32>>
  %one = constant <i32: 1> : tile<128xi32>
  %old, %t = atomic_rmw_tko relaxed device %p, add, %one, %m : tile<128xptr<i32>>, tile<128xi32>, tile<128xi1> -> tile<128xi32>, token
  %b = muli %a, %a : tile<128xi32>
  %c = exti %b unsigned : tile<128xi32> -> tile<128xi64>
  %q = offset %t1, %c : tile<128xptr<i32>>, tile<128xi64> -> tile<128xptr<i32>>
  %old1, %u = atomic_rmw_tko relaxed device %q, max, %a, %m token=%t : tile<128xptr<i32>>, tile<128xi32>, tile<128xi1> -> tile<128xi32>, token
  // BEFORE: atomic_rmw Add i32 at %{{.*}}: ptr[128] mask
  // CHECK: atomic_rmw Add i32 at c0: ptr[128] strides [0] [%{{.*}}: i32[128]] mask
  // CHECK: Offset(4) -> ptr
  // CHECK: atomic_rmw Max i32 at %{{.*}}: ptr[128] mask
  return
}

// Bytes are extended to 32 bits for it, to 64 for what compares them.
entry @bytes(%bins: tile<ptr<i32>>, %from: tile<ptr<i8>>, %n: tile<i64>) {
  %it = make_tensor_view %from, shape = [65536], strides = [1] : tensor_view<65536xi8, strides=[1]>
  %i = make_partition_view %it : partition_view<tile=(128), tensor_view<65536xi8, strides=[1]>>
  %bx, %by, %bz = get_tile_block_id : tile<i32>
  %a, %a_t = load_view_tko weak %i[%bx] : partition_view<tile=(128), tensor_view<65536xi8, strides=[1]>>, tile<i32> -> tile<128xi8>, token
  %b = exti %a unsigned : tile<128xi8> -> tile<128xi64>
  %n0 = reshape %n : tile<i64> -> tile<1xi64>
  %n1 = broadcast %n0 : tile<1xi64> -> tile<128xi64>
  %m = cmpi less_than %b, %n1, unsigned : tile<128xi64> -> tile<128xi1>
  %t0 = reshape %bins : tile<ptr<i32>> -> tile<1xptr<i32>>
  %t1 = broadcast %t0 : tile<1xptr<i32>> -> tile<128xptr<i32>>
  %p = offset %t1, %b : tile<128xptr<i32>>, tile<128xi64> -> tile<128xptr<i32>>
  %one = constant <i32: 1> : tile<128xi32>
  %old, %t = atomic_rmw_tko relaxed device %p, add, %one, %m : tile<128xptr<i32>>, tile<128xi32>, tile<128xi1> -> tile<128xi32>, token
  // BEFORE: Offset(4) -> ptr
  // CHECK-NOT: Offset
  // CHECK: [[INDEX:%[0-9]+]] = ExtI(false) -> i32
  // CHECK: atomic_rmw Add i32 at c0: ptr[128] strides [0] {{\[}}[[INDEX]]: i32[128]] mask
  return
}
