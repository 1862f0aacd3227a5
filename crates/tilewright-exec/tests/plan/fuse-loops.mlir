// A counted loop that only computes tiles element by element becomes the rounds of one sweep.
// REQUIRES: vector code

// The square of what is carried, and a number that is the same for all elements: the counter as a float.
entry @squares(%from: tile<ptr<f32>>, %to: tile<ptr<f32>>, %n: tile<i32>) {
  %bx, %by, %bz = get_tile_block_id : tile<i32>
  %zero = constant <i32: 0> : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  %xt = make_tensor_view %from, shape = [65536], strides = [1] : tensor_view<65536xf32, strides=[1]>
  %x = make_partition_view %xt : partition_view<tile=(1024), tensor_view<65536xf32, strides=[1]>>
  %yt = make_tensor_view %to, shape = [65536], strides = [1] : tensor_view<65536xf32, strides=[1]>
  %y = make_partition_view %yt : partition_view<tile=(1024), tensor_view<65536xf32, strides=[1]>>
  %a, %a_t = load_view_tko weak %x[%bx] : partition_view<tile=(1024), tensor_view<65536xf32, strides=[1]>>, tile<i32> -> tile<1024xf32>, token
  %s = for %k in (%zero to %n, step %one) : tile<i32> iter_values(%acc = %a) -> (tile<1024xf32>) {
    %f = itof %k signed rounding<nearest_even> : tile<i32> -> tile<f32>
    %f1 = reshape %f : tile<f32> -> tile<1xf32>
    %fs = broadcast %f1 : tile<1xf32> -> tile<1024xf32>
    %sq = mulf %acc, %acc : tile<1024xf32>
    %next = addf %sq, %fs : tile<1024xf32>
    continue %next : tile<1024xf32>
  }
  %s_y_s = store_view_tko weak %s, %y[%bx] : tile<1024xf32>, partition_view<tile=(1024), tensor_view<65536xf32, strides=[1]>>, tile<i32> -> token
  // BEFORE: for [[K:%[0-9]+]] to c{{[0-9]+}}: i32 step c{{[0-9]+}}: i32 else ^[[EXIT:[0-9]+]]
  // BEFORE: sweep one_piece of 1 reads_ahead
  // BEFORE: sweep region of 1024 reads_ahead
  // CHECK: for [[K:%[0-9]+]] to c{{[0-9]+}}: i32 step c{{[0-9]+}}: i32 else ^[[EXIT:[0-9]+]] only_sweeps
  // CHECK: sweep region of 1024 rounds of [[K]] reads_ahead {
  // CHECK-NEXT: in0 = splat [[K]]: i32[1024] strides [0] in slot0
  // CHECK-NEXT: in1 = direct [[ACC:%[0-9]+]]: f32[1024]
  // CHECK-NEXT: slot0 = IToF(true) -> f32 (in0)
  // CHECK-NEXT: slot1 = MulF(NearestEven, false) -> f32 (in1, in1)
  // CHECK-NEXT: [[ACC]] = AddF(NearestEven, false) -> f32 (slot1, slot0)
  // CHECK-NEXT: }
  // CHECK-NEXT: next [[K]]
  return
}

// Two tiles that change places: moves become steps.
entry @fibonacci(%from: tile<ptr<f32>>, %to: tile<ptr<f32>>, %n: tile<i32>) {
  %bx, %by, %bz = get_tile_block_id : tile<i32>
  %zero = constant <i32: 0> : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  %xt = make_tensor_view %from, shape = [65536], strides = [1] : tensor_view<65536xf32, strides=[1]>
  %x = make_partition_view %xt : partition_view<tile=(1024), tensor_view<65536xf32, strides=[1]>>
  %yt = make_tensor_view %to, shape = [65536], strides = [1] : tensor_view<65536xf32, strides=[1]>
  %y = make_partition_view %yt : partition_view<tile=(1024), tensor_view<65536xf32, strides=[1]>>
  %a, %a_t = load_view_tko weak %x[%bx] : partition_view<tile=(1024), tensor_view<65536xf32, strides=[1]>>, tile<i32> -> tile<1024xf32>, token
  %r, %s = for %k in (%zero to %n, step %one) : tile<i32> iter_values(%p = %a, %q = %a) -> (tile<1024xf32>, tile<1024xf32>) {
    %sum = addf %p, %q : tile<1024xf32>
    continue %q, %sum : tile<1024xf32>, tile<1024xf32>
  }
  %s_y_s = store_view_tko weak %s, %y[%bx] : tile<1024xf32>, partition_view<tile=(1024), tensor_view<65536xf32, strides=[1]>>, tile<i32> -> token
  // BEFORE: for
  // BEFORE: = move
  // BEFORE: next
  // CHECK: for{{.*}} only_sweeps
  // CHECK: in0 = direct [[P:%[0-9]+]]: f32[1024]
  // CHECK-NEXT: in1 = direct [[Q:%[0-9]+]]: f32[1024]
  // CHECK-NEXT: [[Q]] = AddF(NearestEven, false) -> f32 (in0, in1)
  // CHECK-NEXT: [[P]] = Copy -> f32 (in1)
  // CHECK-NEXT: }
  // CHECK-NEXT: next
  return
}

// A tile that is read in each round.
entry @loads(%from: tile<ptr<f32>>, %to: tile<ptr<f32>>, %n: tile<i32>) {
  %bx, %by, %bz = get_tile_block_id : tile<i32>
  %zero = constant <i32: 0> : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  %xt = make_tensor_view %from, shape = [65536], strides = [1] : tensor_view<65536xf32, strides=[1]>
  %x = make_partition_view %xt : partition_view<tile=(1024), tensor_view<65536xf32, strides=[1]>>
  %yt = make_tensor_view %to, shape = [65536], strides = [1] : tensor_view<65536xf32, strides=[1]>
  %y = make_partition_view %yt : partition_view<tile=(1024), tensor_view<65536xf32, strides=[1]>>
  %a, %a_t = load_view_tko weak %x[%bx] : partition_view<tile=(1024), tensor_view<65536xf32, strides=[1]>>, tile<i32> -> tile<1024xf32>, token
  %s = for %k in (%zero to %n, step %one) : tile<i32> iter_values(%acc = %a) -> (tile<1024xf32>) {
    %b, %b_t = load_view_tko weak %x[%k] : partition_view<tile=(1024), tensor_view<65536xf32, strides=[1]>>, tile<i32> -> tile<1024xf32>, token
    %next = addf %acc, %b : tile<1024xf32>
    continue %next : tile<1024xf32>
  }
  %s_y_s = store_view_tko weak %s, %y[%bx] : tile<1024xf32>, partition_view<tile=(1024), tensor_view<65536xf32, strides=[1]>>, tile<i32> -> token
  // CHECK-NOT: only_sweeps
  return
}

// Elements that are read where others were written.
entry @turned(%from: tile<ptr<f32>>, %to: tile<ptr<f32>>, %n: tile<i32>) {
  %bx, %by, %bz = get_tile_block_id : tile<i32>
  %zero = constant <i32: 0> : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  %xt = make_tensor_view %from, shape = [65536], strides = [1] : tensor_view<65536xf32, strides=[1]>
  %x = make_partition_view %xt : partition_view<tile=(1024), tensor_view<65536xf32, strides=[1]>>
  %yt = make_tensor_view %to, shape = [65536], strides = [1] : tensor_view<65536xf32, strides=[1]>
  %y = make_partition_view %yt : partition_view<tile=(1024), tensor_view<65536xf32, strides=[1]>>
  %a, %a_t = load_view_tko weak %x[%bx] : partition_view<tile=(1024), tensor_view<65536xf32, strides=[1]>>, tile<i32> -> tile<1024xf32>, token
  %s = for %k in (%zero to %n, step %one) : tile<i32> iter_values(%acc = %a) -> (tile<1024xf32>) {
    %m = reshape %acc : tile<1024xf32> -> tile<32x32xf32>
    %t = permute %m [1, 0] : tile<32x32xf32> -> tile<32x32xf32>
    %u = reshape %t : tile<32x32xf32> -> tile<1024xf32>
    %next = addf %acc, %u : tile<1024xf32>
    continue %next : tile<1024xf32>
  }
  %s_y_s = store_view_tko weak %s, %y[%bx] : tile<1024xf32>, partition_view<tile=(1024), tensor_view<65536xf32, strides=[1]>>, tile<i32> -> token
  // CHECK-NOT: only_sweeps
  return
}

// A single number that is carried beside the tile.
entry @time(%from: tile<ptr<f32>>, %to: tile<ptr<f32>>, %n: tile<i32>) {
  %bx, %by, %bz = get_tile_block_id : tile<i32>
  %zero = constant <i32: 0> : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  %xt = make_tensor_view %from, shape = [65536], strides = [1] : tensor_view<65536xf32, strides=[1]>
  %x = make_partition_view %xt : partition_view<tile=(1024), tensor_view<65536xf32, strides=[1]>>
  %yt = make_tensor_view %to, shape = [65536], strides = [1] : tensor_view<65536xf32, strides=[1]>
  %y = make_partition_view %yt : partition_view<tile=(1024), tensor_view<65536xf32, strides=[1]>>
  %a, %a_t = load_view_tko weak %x[%bx] : partition_view<tile=(1024), tensor_view<65536xf32, strides=[1]>>, tile<i32> -> tile<1024xf32>, token
  %begin = constant <f32: 0.0> : tile<f32>
  %dt = constant <f32: 0.5> : tile<f32>
  %t, %s = for %k in (%zero to %n, step %one) : tile<i32> iter_values(%now = %begin, %acc = %a) -> (tile<f32>, tile<1024xf32>) {
    %now1 = reshape %now : tile<f32> -> tile<1xf32>
    %nows = broadcast %now1 : tile<1xf32> -> tile<1024xf32>
    %next = mulf %acc, %nows : tile<1024xf32>
    %later = addf %now, %dt : tile<f32>
    continue %later, %next : tile<f32>, tile<1024xf32>
  }
  %s_y_s = store_view_tko weak %s, %y[%bx] : tile<1024xf32>, partition_view<tile=(1024), tensor_view<65536xf32, strides=[1]>>, tile<i32> -> token
  // CHECK: for{{.*}} only_sweeps
  // CHECK: in0 = splat [[NOW:%[0-9]+]]: f32[1024] strides [0]
  // CHECK: in2 = direct [[ACC:%[0-9]+]]: f32[1024]
  // CHECK: [[NOW]] = AddF(NearestEven, false) -> f32 (in0, in
  // CHECK: [[ACC]] = MulF(NearestEven, false) -> f32 (in2, in0)
  // CHECK: next
  return
}

// Nothing but single numbers.
entry @numbers(%from: tile<ptr<f32>>, %to: tile<ptr<f32>>, %n: tile<i32>) {
  %bx, %by, %bz = get_tile_block_id : tile<i32>
  %zero = constant <i32: 0> : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  %xt = make_tensor_view %from, shape = [65536], strides = [1] : tensor_view<65536xf32, strides=[1]>
  %x = make_partition_view %xt : partition_view<tile=(1024), tensor_view<65536xf32, strides=[1]>>
  %yt = make_tensor_view %to, shape = [65536], strides = [1] : tensor_view<65536xf32, strides=[1]>
  %y = make_partition_view %yt : partition_view<tile=(1024), tensor_view<65536xf32, strides=[1]>>
  %a, %a_t = load_view_tko weak %x[%bx] : partition_view<tile=(1024), tensor_view<65536xf32, strides=[1]>>, tile<i32> -> tile<1024xf32>, token
  %begin = constant <f32: 0.0> : tile<f32>
  %dt = constant <f32: 0.5> : tile<f32>
  %t = for %k in (%zero to %n, step %one) : tile<i32> iter_values(%now = %begin) -> (tile<f32>) {
    %later = addf %now, %dt : tile<f32>
    continue %later : tile<f32>
  }
  %t1 = reshape %t : tile<f32> -> tile<1xf32>
  %ts = broadcast %t1 : tile<1xf32> -> tile<1024xf32>
  %s = addf %a, %ts : tile<1024xf32>
  %s_y_s = store_view_tko weak %s, %y[%bx] : tile<1024xf32>, partition_view<tile=(1024), tensor_view<65536xf32, strides=[1]>>, tile<i32> -> token
  // CHECK-NOT: only_sweeps
  return
}
