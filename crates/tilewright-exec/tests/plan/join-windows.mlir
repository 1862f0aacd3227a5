// REQUIRES: vector code
// Tiles that overlap are windows of a larger one, which is loaded once.

// A row and what lies around it.
entry @around(%from: tile<ptr<f32>>, %to: tile<ptr<f32>>, %n: tile<i32>) {
  %bx, %by, %bz = get_tile_block_id : tile<i32>
  %size = constant <i32: 64> : tile<i32>
  %first = muli %bx, %size : tile<i32>
  %f0 = reshape %first : tile<i32> -> tile<1xi32>
  %f1 = broadcast %f0 : tile<1xi32> -> tile<64xi32>
  %n0 = reshape %n : tile<i32> -> tile<1xi32>
  %n1 = broadcast %n0 : tile<1xi32> -> tile<64xi32>
  %lane = iota : tile<64xi32>
  %i = addi %f1, %lane : tile<64xi32>
  %minus = constant <i32: -1> : tile<64xi32>
  %plus = constant <i32: 1> : tile<64xi32>
  %left = addi %i, %minus : tile<64xi32>
  %right = addi %i, %plus : tile<64xi32>
  %in0 = cmpi less_than %left, %n1, unsigned : tile<64xi32> -> tile<64xi1>
  %in1 = cmpi less_than %i, %n1, unsigned : tile<64xi32> -> tile<64xi1>
  %in2 = cmpi less_than %right, %n1, unsigned : tile<64xi32> -> tile<64xi1>
  %p0 = reshape %from : tile<ptr<f32>> -> tile<1xptr<f32>>
  %p1 = broadcast %p0 : tile<1xptr<f32>> -> tile<64xptr<f32>>
  %pl = offset %p1, %left : tile<64xptr<f32>>, tile<64xi32> -> tile<64xptr<f32>>
  %pm = offset %p1, %i : tile<64xptr<f32>>, tile<64xi32> -> tile<64xptr<f32>>
  %pr = offset %p1, %right : tile<64xptr<f32>>, tile<64xi32> -> tile<64xptr<f32>>
  %zero = constant <f32: 0.0> : tile<64xf32>
  %a, %a_t = load_ptr_tko weak %pl, %in0, %zero : tile<64xptr<f32>>, tile<64xi1>, tile<64xf32> -> tile<64xf32>, token
  %b, %b_t = load_ptr_tko weak %pm, %in1, %zero : tile<64xptr<f32>>, tile<64xi1>, tile<64xf32> -> tile<64xf32>, token
  %c, %c_t = load_ptr_tko weak %pr, %in2, %zero : tile<64xptr<f32>>, tile<64xi1>, tile<64xf32> -> tile<64xf32>, token
  %ab = addf %a, %b : tile<64xf32>
  %abc = addf %ab, %c : tile<64xf32>
  %q0 = reshape %to : tile<ptr<f32>> -> tile<1xptr<f32>>
  %q1 = broadcast %q0 : tile<1xptr<f32>> -> tile<64xptr<f32>>
  %q = offset %q1, %i : tile<64xptr<f32>>, tile<64xi32> -> tile<64xptr<f32>>
  %stored = store_ptr_tko weak %q, %abc, %in1 : tile<64xptr<f32>>, tile<64xf32>, tile<64xi1> -> token
  // BEFORE-NOT: windows
  // CHECK: load f32[66] at lanes {{.*}} windows %{{[0-9]+}} [0] %{{[0-9]+}} [1] %{{[0-9]+}} [2]
  // CHECK: load f32[64] at lanes
  // CHECK: load f32[64] at lanes
  // CHECK: load f32[64] at lanes
  return
}

// What lies as far away as a tile is long shares nothing with it.
entry @apart(%from: tile<ptr<f32>>, %to: tile<ptr<f32>>) {
  %bx, %by, %bz = get_tile_block_id : tile<i32>
  %size = constant <i32: 64> : tile<i32>
  %first = muli %bx, %size : tile<i32>
  %f0 = reshape %first : tile<i32> -> tile<1xi32>
  %f1 = broadcast %f0 : tile<1xi32> -> tile<64xi32>
  %lane = iota : tile<64xi32>
  %i = addi %f1, %lane : tile<64xi32>
  %further = constant <i32: 64> : tile<64xi32>
  %next = addi %i, %further : tile<64xi32>
  %p0 = reshape %from : tile<ptr<f32>> -> tile<1xptr<f32>>
  %p1 = broadcast %p0 : tile<1xptr<f32>> -> tile<64xptr<f32>>
  %pm = offset %p1, %i : tile<64xptr<f32>>, tile<64xi32> -> tile<64xptr<f32>>
  %pr = offset %p1, %next : tile<64xptr<f32>>, tile<64xi32> -> tile<64xptr<f32>>
  %b, %b_t = load_ptr_tko weak %pm : tile<64xptr<f32>> -> tile<64xf32>, token
  %c, %c_t = load_ptr_tko weak %pr : tile<64xptr<f32>> -> tile<64xf32>, token
  %bc = addf %b, %c : tile<64xf32>
  %q0 = reshape %to : tile<ptr<f32>> -> tile<1xptr<f32>>
  %q1 = broadcast %q0 : tile<1xptr<f32>> -> tile<64xptr<f32>>
  %q = offset %q1, %i : tile<64xptr<f32>>, tile<64xi32> -> tile<64xptr<f32>>
  %stored = store_ptr_tko weak %q, %bc : tile<64xptr<f32>>, tile<64xf32> -> token
  // CHECK-NOT: windows
  return
}
