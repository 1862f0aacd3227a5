// Memory accesses that are hard to do fast: `tilewright run --grid 4096 --entry NAME FILE "f32[8388608]" "f32[4194304]"`.

// Rows of 64 of a table, in an order like a random one.
entry @embedding(%table: tile<ptr<f32>>, %out: tile<ptr<f32>>) {
  %b, %by, %bz = get_tile_block_id : tile<i32>
  %n = constant <i32: 1024> : tile<i32>
  %first = muli %b, %n : tile<i32>
  %f1 = reshape %first : tile<i32> -> tile<1xi32>
  %f = broadcast %f1 : tile<1xi32> -> tile<1024xi32>
  %lane = iota : tile<1024xi32>
  %i = addi %lane, %f : tile<1024xi32>
  %prime = constant <i32: 1640531527> : tile<1024xi32>
  %bits = constant <i32: 65535> : tile<1024xi32>
  %h0 = muli %i, %prime : tile<1024xi32>
  %random = andi %h0, %bits : tile<1024xi32>
  %low = constant <i32: 63> : tile<1024xi32>
  %high = constant <i32: 4194240> : tile<1024xi32>
  %r0 = andi %i, %high : tile<1024xi32>
  %r1 = muli %r0, %prime : tile<1024xi32>
  %r3 = andi %r1, %high : tile<1024xi32>
  %column = andi %i, %low : tile<1024xi32>
  %cell = addi %r3, %column : tile<1024xi32>
  %one = constant <i32: 1> : tile<1024xi32>
  %zero = constant <i32: 0> : tile<1024xi32>
  %odd = andi %i, %one : tile<1024xi32>
  %mask = cmpi equal %odd, %zero, signed : tile<1024xi32> -> tile<1024xi1>
  %t1 = reshape %table : tile<ptr<f32>> -> tile<1xptr<f32>>
  %t = broadcast %t1 : tile<1xptr<f32>> -> tile<1024xptr<f32>>
  %o1 = reshape %out : tile<ptr<f32>> -> tile<1xptr<f32>>
  %o = broadcast %o1 : tile<1xptr<f32>> -> tile<1024xptr<f32>>
  %p = offset %t, %cell : tile<1024xptr<f32>>, tile<1024xi32> -> tile<1024xptr<f32>>
  %x, %k = load_ptr_tko weak %p : tile<1024xptr<f32>> -> tile<1024xf32>, token
  %q = offset %o, %i : tile<1024xptr<f32>>, tile<1024xi32> -> tile<1024xptr<f32>>
  %k2 = store_ptr_tko weak %q, %x : tile<1024xptr<f32>>, tile<1024xf32> -> token
  return
}

// Adds to such rows.
entry @embedding_gradient(%table: tile<ptr<f32>>, %out: tile<ptr<f32>>) {
  %b, %by, %bz = get_tile_block_id : tile<i32>
  %n = constant <i32: 1024> : tile<i32>
  %first = muli %b, %n : tile<i32>
  %f1 = reshape %first : tile<i32> -> tile<1xi32>
  %f = broadcast %f1 : tile<1xi32> -> tile<1024xi32>
  %lane = iota : tile<1024xi32>
  %i = addi %lane, %f : tile<1024xi32>
  %prime = constant <i32: 1640531527> : tile<1024xi32>
  %bits = constant <i32: 65535> : tile<1024xi32>
  %h0 = muli %i, %prime : tile<1024xi32>
  %random = andi %h0, %bits : tile<1024xi32>
  %low = constant <i32: 63> : tile<1024xi32>
  %high = constant <i32: 4194240> : tile<1024xi32>
  %r0 = andi %i, %high : tile<1024xi32>
  %r1 = muli %r0, %prime : tile<1024xi32>
  %r3 = andi %r1, %high : tile<1024xi32>
  %column = andi %i, %low : tile<1024xi32>
  %cell = addi %r3, %column : tile<1024xi32>
  %one = constant <i32: 1> : tile<1024xi32>
  %zero = constant <i32: 0> : tile<1024xi32>
  %odd = andi %i, %one : tile<1024xi32>
  %mask = cmpi equal %odd, %zero, signed : tile<1024xi32> -> tile<1024xi1>
  %t1 = reshape %table : tile<ptr<f32>> -> tile<1xptr<f32>>
  %t = broadcast %t1 : tile<1xptr<f32>> -> tile<1024xptr<f32>>
  %o1 = reshape %out : tile<ptr<f32>> -> tile<1xptr<f32>>
  %o = broadcast %o1 : tile<1xptr<f32>> -> tile<1024xptr<f32>>
  %p = offset %o, %cell : tile<1024xptr<f32>>, tile<1024xi32> -> tile<1024xptr<f32>>
  %x = constant <f32: 1.0> : tile<1024xf32>
  %old, %k = atomic_rmw_tko relaxed device %p, addf, %x : tile<1024xptr<f32>>, tile<1024xf32> -> tile<1024xf32>, token
  return
}

// 65,536 bins.
entry @histogram(%table: tile<ptr<i32>>, %out: tile<ptr<i32>>) {
  %b, %by, %bz = get_tile_block_id : tile<i32>
  %n = constant <i32: 1024> : tile<i32>
  %first = muli %b, %n : tile<i32>
  %f1 = reshape %first : tile<i32> -> tile<1xi32>
  %f = broadcast %f1 : tile<1xi32> -> tile<1024xi32>
  %lane = iota : tile<1024xi32>
  %i = addi %lane, %f : tile<1024xi32>
  %prime = constant <i32: 1640531527> : tile<1024xi32>
  %bits = constant <i32: 65535> : tile<1024xi32>
  %h0 = muli %i, %prime : tile<1024xi32>
  %random = andi %h0, %bits : tile<1024xi32>
  %low = constant <i32: 63> : tile<1024xi32>
  %high = constant <i32: 4194240> : tile<1024xi32>
  %r0 = andi %i, %high : tile<1024xi32>
  %r1 = muli %r0, %prime : tile<1024xi32>
  %r3 = andi %r1, %high : tile<1024xi32>
  %column = andi %i, %low : tile<1024xi32>
  %cell = addi %r3, %column : tile<1024xi32>
  %one = constant <i32: 1> : tile<1024xi32>
  %zero = constant <i32: 0> : tile<1024xi32>
  %odd = andi %i, %one : tile<1024xi32>
  %mask = cmpi equal %odd, %zero, signed : tile<1024xi32> -> tile<1024xi1>
  %t1 = reshape %table : tile<ptr<i32>> -> tile<1xptr<i32>>
  %t = broadcast %t1 : tile<1xptr<i32>> -> tile<1024xptr<i32>>
  %o1 = reshape %out : tile<ptr<i32>> -> tile<1xptr<i32>>
  %o = broadcast %o1 : tile<1xptr<i32>> -> tile<1024xptr<i32>>
  %p = offset %o, %random : tile<1024xptr<i32>>, tile<1024xi32> -> tile<1024xptr<i32>>
  %old, %k = atomic_rmw_tko relaxed device %p, add, %one : tile<1024xptr<i32>>, tile<1024xi32> -> tile<1024xi32>, token
  return
}

// Every second one of single elements.
entry @masked_gather(%table: tile<ptr<f32>>, %out: tile<ptr<f32>>) {
  %b, %by, %bz = get_tile_block_id : tile<i32>
  %n = constant <i32: 1024> : tile<i32>
  %first = muli %b, %n : tile<i32>
  %f1 = reshape %first : tile<i32> -> tile<1xi32>
  %f = broadcast %f1 : tile<1xi32> -> tile<1024xi32>
  %lane = iota : tile<1024xi32>
  %i = addi %lane, %f : tile<1024xi32>
  %prime = constant <i32: 1640531527> : tile<1024xi32>
  %bits = constant <i32: 65535> : tile<1024xi32>
  %h0 = muli %i, %prime : tile<1024xi32>
  %random = andi %h0, %bits : tile<1024xi32>
  %low = constant <i32: 63> : tile<1024xi32>
  %high = constant <i32: 4194240> : tile<1024xi32>
  %r0 = andi %i, %high : tile<1024xi32>
  %r1 = muli %r0, %prime : tile<1024xi32>
  %r3 = andi %r1, %high : tile<1024xi32>
  %column = andi %i, %low : tile<1024xi32>
  %cell = addi %r3, %column : tile<1024xi32>
  %one = constant <i32: 1> : tile<1024xi32>
  %zero = constant <i32: 0> : tile<1024xi32>
  %odd = andi %i, %one : tile<1024xi32>
  %mask = cmpi equal %odd, %zero, signed : tile<1024xi32> -> tile<1024xi1>
  %t1 = reshape %table : tile<ptr<f32>> -> tile<1xptr<f32>>
  %t = broadcast %t1 : tile<1xptr<f32>> -> tile<1024xptr<f32>>
  %o1 = reshape %out : tile<ptr<f32>> -> tile<1xptr<f32>>
  %o = broadcast %o1 : tile<1xptr<f32>> -> tile<1024xptr<f32>>
  %p = offset %t, %random : tile<1024xptr<f32>>, tile<1024xi32> -> tile<1024xptr<f32>>
  %pad = constant <f32: 0.0> : tile<1024xf32>
  %x, %k = load_ptr_tko weak %p, %mask, %pad : tile<1024xptr<f32>>, tile<1024xi1>, tile<1024xf32> -> tile<1024xf32>, token
  %q = offset %o, %i : tile<1024xptr<f32>>, tile<1024xi32> -> tile<1024xptr<f32>>
  %k2 = store_ptr_tko weak %q, %x : tile<1024xptr<f32>>, tile<1024xf32> -> token
  return
}

// Every second element of an array.
entry @stride_2(%table: tile<ptr<f32>>, %out: tile<ptr<f32>>) {
  %b, %by, %bz = get_tile_block_id : tile<i32>
  %from = make_tensor_view %table, shape = [4194304], strides = [2] : tensor_view<4194304xf32, strides=[2]>
  %to = make_tensor_view %out, shape = [4194304], strides = [1] : tensor_view<4194304xf32, strides=[1]>
  %v = make_partition_view %from : partition_view<tile=(1024), tensor_view<4194304xf32, strides=[2]>>
  %w = make_partition_view %to : partition_view<tile=(1024), tensor_view<4194304xf32, strides=[1]>>
  %x, %k = load_view_tko weak %v[%b] : partition_view<tile=(1024), tensor_view<4194304xf32, strides=[2]>>, tile<i32> -> tile<1024xf32>, token
  %k2 = store_view_tko weak %x, %w[%b] : tile<1024xf32>, partition_view<tile=(1024), tensor_view<4194304xf32, strides=[1]>>, tile<i32> -> token
  return
}
