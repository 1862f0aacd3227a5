// Elementwise kernels as a person writes them, in small and in large tiles: 4 Mi elements each.
// `tilewright run --grid BLOCKS --entry NAME FILE "T[4194304]=0.5" "T[4194304]=0.25" "T[4194304]"`, with 4194304 elements / those of a tile for BLOCKS.

// A leaky rectifier: a comparison and a selection.
entry @lrelu_f32_64(%a: tile<ptr<f32>>, %b: tile<ptr<f32>>, %o: tile<ptr<f32>>) {
  %bx, %by, %bz = get_tile_block_id : tile<i32>
  %va = make_tensor_view %a, shape = [4194304], strides = [1] : tensor_view<4194304xf32, strides=[1]>
  %vb = make_tensor_view %b, shape = [4194304], strides = [1] : tensor_view<4194304xf32, strides=[1]>
  %vo = make_tensor_view %o, shape = [4194304], strides = [1] : tensor_view<4194304xf32, strides=[1]>
  %pa = make_partition_view %va : partition_view<tile=(64), tensor_view<4194304xf32, strides=[1]>>
  %pb = make_partition_view %vb : partition_view<tile=(64), tensor_view<4194304xf32, strides=[1]>>
  %po = make_partition_view %vo : partition_view<tile=(64), tensor_view<4194304xf32, strides=[1]>>
  %x, %t0 = load_view_tko weak %pa[%bx] : partition_view<tile=(64), tensor_view<4194304xf32, strides=[1]>>, tile<i32> -> tile<64xf32>, token
  %y, %t1 = load_view_tko weak %pb[%bx] : partition_view<tile=(64), tensor_view<4194304xf32, strides=[1]>>, tile<i32> -> tile<64xf32>, token
  %z = constant <f32: 0.0> : tile<64xf32>
  %s = constant <f32: 0.1> : tile<64xf32>
  %c = cmpf less_than ordered %x, %z : tile<64xf32> -> tile<64xi1>
  %m = mulf %x, %s : tile<64xf32>
  %q = select %c, %m, %x : tile<64xi1>, tile<64xf32>
  %r = addf %q, %y : tile<64xf32>
  %t2 = store_view_tko weak %r, %po[%bx] : tile<64xf32>, partition_view<tile=(64), tensor_view<4194304xf32, strides=[1]>>, tile<i32> -> token
  return
}

// A polynomial of degree 8.
entry @poly_f64_32(%a: tile<ptr<f64>>, %b: tile<ptr<f64>>, %o: tile<ptr<f64>>) {
  %bx, %by, %bz = get_tile_block_id : tile<i32>
  %va = make_tensor_view %a, shape = [4194304], strides = [1] : tensor_view<4194304xf64, strides=[1]>
  %vb = make_tensor_view %b, shape = [4194304], strides = [1] : tensor_view<4194304xf64, strides=[1]>
  %vo = make_tensor_view %o, shape = [4194304], strides = [1] : tensor_view<4194304xf64, strides=[1]>
  %pa = make_partition_view %va : partition_view<tile=(32), tensor_view<4194304xf64, strides=[1]>>
  %pb = make_partition_view %vb : partition_view<tile=(32), tensor_view<4194304xf64, strides=[1]>>
  %po = make_partition_view %vo : partition_view<tile=(32), tensor_view<4194304xf64, strides=[1]>>
  %x, %t0 = load_view_tko weak %pa[%bx] : partition_view<tile=(32), tensor_view<4194304xf64, strides=[1]>>, tile<i32> -> tile<32xf64>, token
  %y, %t1 = load_view_tko weak %pb[%bx] : partition_view<tile=(32), tensor_view<4194304xf64, strides=[1]>>, tile<i32> -> tile<32xf64>, token
  %k0 = constant <f64: 0.05> : tile<32xf64>
  %p0 = fma %y, %x, %k0 : tile<32xf64>
  %k1 = constant <f64: 0.15000000000000002> : tile<32xf64>
  %p1 = fma %p0, %x, %k1 : tile<32xf64>
  %k2 = constant <f64: 0.25> : tile<32xf64>
  %p2 = fma %p1, %x, %k2 : tile<32xf64>
  %k3 = constant <f64: 0.35000000000000003> : tile<32xf64>
  %p3 = fma %p2, %x, %k3 : tile<32xf64>
  %k4 = constant <f64: 0.45> : tile<32xf64>
  %p4 = fma %p3, %x, %k4 : tile<32xf64>
  %k5 = constant <f64: 0.55> : tile<32xf64>
  %p5 = fma %p4, %x, %k5 : tile<32xf64>
  %k6 = constant <f64: 0.6500000000000001> : tile<32xf64>
  %p6 = fma %p5, %x, %k6 : tile<32xf64>
  %k7 = constant <f64: 0.7500000000000001> : tile<32xf64>
  %p7 = fma %p6, %x, %k7 : tile<32xf64>
  %r = addf %p7, %x : tile<32xf64>
  %t2 = store_view_tko weak %r, %po[%bx] : tile<32xf64>, partition_view<tile=(32), tensor_view<4194304xf64, strides=[1]>>, tile<i32> -> token
  return
}

// Clamped, and the root of what is left of it behind the floor.
entry @clamp_f16_64(%a: tile<ptr<f16>>, %b: tile<ptr<f16>>, %o: tile<ptr<f16>>) {
  %bx, %by, %bz = get_tile_block_id : tile<i32>
  %va = make_tensor_view %a, shape = [4194304], strides = [1] : tensor_view<4194304xf16, strides=[1]>
  %vb = make_tensor_view %b, shape = [4194304], strides = [1] : tensor_view<4194304xf16, strides=[1]>
  %vo = make_tensor_view %o, shape = [4194304], strides = [1] : tensor_view<4194304xf16, strides=[1]>
  %pa = make_partition_view %va : partition_view<tile=(64), tensor_view<4194304xf16, strides=[1]>>
  %pb = make_partition_view %vb : partition_view<tile=(64), tensor_view<4194304xf16, strides=[1]>>
  %po = make_partition_view %vo : partition_view<tile=(64), tensor_view<4194304xf16, strides=[1]>>
  %x, %t0 = load_view_tko weak %pa[%bx] : partition_view<tile=(64), tensor_view<4194304xf16, strides=[1]>>, tile<i32> -> tile<64xf16>, token
  %y, %t1 = load_view_tko weak %pb[%bx] : partition_view<tile=(64), tensor_view<4194304xf16, strides=[1]>>, tile<i32> -> tile<64xf16>, token
  %lo = constant <f16: -1.0> : tile<64xf16>
  %hi = constant <f16: 1.0> : tile<64xf16>
  %ca = maxf %x, %lo : tile<64xf16>
  %cb = minf %ca, %hi : tile<64xf16>
  %f = floor %cb : tile<64xf16>
  %d = subf %cb, %f : tile<64xf16>
  %q = sqrt %d : tile<64xf16>
  %r = mulf %q, %y : tile<64xf16>
  %t2 = store_view_tko weak %r, %po[%bx] : tile<64xf16>, partition_view<tile=(64), tensor_view<4194304xf16, strides=[1]>>, tile<i32> -> token
  return
}

// Four rounds of a generator of random numbers.
entry @xorshift_i32_1024(%a: tile<ptr<i32>>, %b: tile<ptr<i32>>, %o: tile<ptr<i32>>) {
  %bx, %by, %bz = get_tile_block_id : tile<i32>
  %va = make_tensor_view %a, shape = [4194304], strides = [1] : tensor_view<4194304xi32, strides=[1]>
  %vb = make_tensor_view %b, shape = [4194304], strides = [1] : tensor_view<4194304xi32, strides=[1]>
  %vo = make_tensor_view %o, shape = [4194304], strides = [1] : tensor_view<4194304xi32, strides=[1]>
  %pa = make_partition_view %va : partition_view<tile=(1024), tensor_view<4194304xi32, strides=[1]>>
  %pb = make_partition_view %vb : partition_view<tile=(1024), tensor_view<4194304xi32, strides=[1]>>
  %po = make_partition_view %vo : partition_view<tile=(1024), tensor_view<4194304xi32, strides=[1]>>
  %x, %t0 = load_view_tko weak %pa[%bx] : partition_view<tile=(1024), tensor_view<4194304xi32, strides=[1]>>, tile<i32> -> tile<1024xi32>, token
  %y, %t1 = load_view_tko weak %pb[%bx] : partition_view<tile=(1024), tensor_view<4194304xi32, strides=[1]>>, tile<i32> -> tile<1024xi32>, token
  %s13 = constant <i32: 13> : tile<1024xi32>
  %s17 = constant <i32: 17> : tile<1024xi32>
  %s5 = constant <i32: 5> : tile<1024xi32>
  %a0 = shli %x, %s13 : tile<1024xi32>
  %b0 = xori %x, %a0 : tile<1024xi32>
  %c0 = shri %b0, %s17 unsigned : tile<1024xi32>
  %d0 = xori %b0, %c0 : tile<1024xi32>
  %e0 = shli %d0, %s5 : tile<1024xi32>
  %f0 = xori %d0, %e0 : tile<1024xi32>
  %a1 = shli %f0, %s13 : tile<1024xi32>
  %b1 = xori %f0, %a1 : tile<1024xi32>
  %c1 = shri %b1, %s17 unsigned : tile<1024xi32>
  %d1 = xori %b1, %c1 : tile<1024xi32>
  %e1 = shli %d1, %s5 : tile<1024xi32>
  %f1 = xori %d1, %e1 : tile<1024xi32>
  %a2 = shli %f1, %s13 : tile<1024xi32>
  %b2 = xori %f1, %a2 : tile<1024xi32>
  %c2 = shri %b2, %s17 unsigned : tile<1024xi32>
  %d2 = xori %b2, %c2 : tile<1024xi32>
  %e2 = shli %d2, %s5 : tile<1024xi32>
  %f2 = xori %d2, %e2 : tile<1024xi32>
  %a3 = shli %f2, %s13 : tile<1024xi32>
  %b3 = xori %f2, %a3 : tile<1024xi32>
  %c3 = shri %b3, %s17 unsigned : tile<1024xi32>
  %d3 = xori %b3, %c3 : tile<1024xi32>
  %e3 = shli %d3, %s5 : tile<1024xi32>
  %f3 = xori %d3, %e3 : tile<1024xi32>
  %r = addi %f3, %y : tile<1024xi32>
  %t2 = store_view_tko weak %r, %po[%bx] : tile<1024xi32>, partition_view<tile=(1024), tensor_view<4194304xi32, strides=[1]>>, tile<i32> -> token
  return
}
