// Atomic additions whose results nobody reads may happen when the launch ends, if nobody can look before.

// A histogram.
entry @counted(%to: tile<ptr<i32>>) {
  %lanes = iota : tile<64xi32>
  %ones = constant <i32: 1> : tile<64xi32>
  %r1 = reshape %to : tile<ptr<i32>> -> tile<1xptr<i32>>
  %p1 = broadcast %r1 : tile<1xptr<i32>> -> tile<64xptr<i32>>
  %q1 = offset %p1, %lanes : tile<64xptr<i32>>, tile<64xi32> -> tile<64xptr<i32>>
  %old, %t = atomic_rmw_tko relaxed device %q1, add, %ones : tile<64xptr<i32>>, tile<64xi32> -> tile<64xi32>, token
  // BEFORE-NOT: deferred
  // CHECK: atomic{{.*}}deferred
  return
}

// A number that each block draws.
entry @drawn(%to: tile<ptr<i32>>, %out: tile<ptr<i32>>) {
  %one = constant <i32: 1> : tile<i32>
  %old, %t = atomic_rmw_tko relaxed device %to, add, %one : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
  %q = offset %out, %old : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
  %t1 = store_ptr_tko weak %q, %one : tile<ptr<i32>>, tile<i32> -> token
  // CHECK: atomic
  // CHECK-NOT: deferred
  return
}
