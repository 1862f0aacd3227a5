// passes: fuse-fma

// A product and a sum or a difference, on either side.
entry @fused(%x: tile<f32>, %y: tile<f32>, %z: tile<f32>) {
  %a = mulf %x, %y : tile<f32>
  %b = addf %a, %z : tile<f32>
  %c = mulf %x, %y rounding<zero> flush_to_zero : tile<f32>
  %d = addf %z, %c rounding<zero> flush_to_zero : tile<f32>
  %e = mulf %x, %y : tile<f32>
  %f = subf %e, %z : tile<f32>
  %g = mulf %x, %y : tile<f32>
  %h = subf %z, %g : tile<f32>
  %t = print_tko "%f %f %f %f", %b, %d, %f, %h : tile<f32>, tile<f32>, tile<f32>, tile<f32> -> token
  return
}
//| entry @fused(%arg0: tile<f32>, %arg1: tile<f32>, %arg2: tile<f32>) {
//|   %0 = fma %arg0, %arg1, %arg2  : tile<f32>
//|   %1 = fma %arg0, %arg1, %arg2 rounding<zero> flush_to_zero : tile<f32>
//|   %2 = negf %arg2 : tile<f32>
//|   %3 = fma %arg0, %arg1, %2  : tile<f32>
//|   %4 = negf %arg0 : tile<f32>
//|   %5 = fma %4, %arg1, %arg2  : tile<f32>
//|   %6 = print_tko "%f %f %f %f", %0, %1, %3, %5 : tile<f32>, tile<f32>, tile<f32>, tile<f32> -> token
//|   return
//| }

// A sum of products: one of them is fused, and the sum of sums after it.
entry @chain(%x: tile<f32>, %y: tile<f32>, %z: tile<f32>) {
  %a = mulf %x, %y : tile<f32>
  %b = mulf %y, %z : tile<f32>
  %c = mulf %z, %x : tile<f32>
  %d = addf %a, %b : tile<f32>
  %e = addf %d, %c : tile<f32>
  %t = print_tko "%f", %e : tile<f32> -> token
  return
}
//| entry @chain(%arg0: tile<f32>, %arg1: tile<f32>, %arg2: tile<f32>) {
//|   %0 = mulf %arg1, %arg2  : tile<f32>
//|   %1 = fma %arg0, %arg1, %0  : tile<f32>
//|   %2 = fma %arg2, %arg0, %1  : tile<f32>
//|   %3 = print_tko "%f", %2 : tile<f32> -> token
//|   return
//| }

// Products that round or flush differently, or that something else reads.
entry @apart(%x: tile<f32>, %y: tile<f32>, %z: tile<f32>) {
  %a = mulf %x, %y : tile<f32>
  %b = addf %a, %z rounding<zero> : tile<f32>
  %c = mulf %x, %y flush_to_zero : tile<f32>
  %d = addf %c, %z : tile<f32>
  %e = mulf %x, %z : tile<f32>
  %f = addf %e, %z : tile<f32>
  %g = subf %e, %z : tile<f32>
  %t = print_tko "%f %f %f %f", %b, %d, %f, %g : tile<f32>, tile<f32>, tile<f32>, tile<f32> -> token
  return
}
//| entry @apart(%arg0: tile<f32>, %arg1: tile<f32>, %arg2: tile<f32>) {
//|   %0 = mulf %arg0, %arg1  : tile<f32>
//|   %1 = addf %0, %arg2 rounding<zero> : tile<f32>
//|   %2 = mulf %arg0, %arg1  flush_to_zero : tile<f32>
//|   %3 = addf %2, %arg2  : tile<f32>
//|   %4 = mulf %arg0, %arg2  : tile<f32>
//|   %5 = addf %4, %arg2  : tile<f32>
//|   %6 = subf %4, %arg2  : tile<f32>
//|   %7 = print_tko "%f %f %f %f", %1, %3, %5, %6 : tile<f32>, tile<f32>, tile<f32>, tile<f32> -> token
//|   return
//| }

// Tiles with what is broadcast; rounding and flushing stay what they were; a product outside of the branch that reads it stays, too.
entry @kinds(%x: tile<f32>, %y: tile<f32>, %z: tile<f32>, %c: tile<i1>) {
  %one = reshape %z : tile<f32> -> tile<1x1xf32>
  %all = broadcast %one : tile<1x1xf32> -> tile<2x2xf32>
  %two = constant <f32: [[1.0, 2.0], [3.0, 4.0]]> : tile<2x2xf32>
  %p = mulf %two, %two : tile<2x2xf32>
  %sum = addf %all, %p : tile<2x2xf32>
  %q = mulf %two, %two : tile<2x2xf32>
  %difference = subf %q, %all : tile<2x2xf32>
  %r = mulf %x, %y rounding<zero> flush_to_zero : tile<f32>
  %toward_zero = addf %r, %z rounding<zero> flush_to_zero : tile<f32>
  %outside = mulf %x, %y : tile<f32>
  %in_a_branch = if %c -> (tile<f32>) {
    %s = addf %outside, %z : tile<f32>
    yield %s : tile<f32>
  } else {
    yield %z : tile<f32>
  }
  print_tko "%f %f %f %f", %sum, %difference, %toward_zero, %in_a_branch : tile<2x2xf32>, tile<2x2xf32>, tile<f32>, tile<f32> -> token
  return
}
//| entry @kinds(%arg0: tile<f32>, %arg1: tile<f32>, %arg2: tile<f32>, %arg3: tile<i1>) {
//|   %reshape = reshape %arg2 : tile<f32> -> tile<1x1xf32>
//|   %bcast = broadcast %reshape : tile<1x1xf32> -> tile<2x2xf32>
//|   %cst_f32 = constant <f32: [[1.000000e+00, 2.000000e+00], [3.000000e+00, 4.000000e+00]]> : tile<2x2xf32>
//|   %0 = fma %cst_f32, %cst_f32, %bcast  : tile<2x2xf32>
//|   %1 = negf %bcast : tile<2x2xf32>
//|   %2 = fma %cst_f32, %cst_f32, %1  : tile<2x2xf32>
//|   %3 = fma %arg0, %arg1, %arg2 rounding<zero> flush_to_zero : tile<f32>
//|   %4 = mulf %arg0, %arg1  : tile<f32>
//|   %5 = if %arg3 -> (tile<f32>) {
//|     %7 = addf %4, %arg2  : tile<f32>
//|     yield %7 : tile<f32>
//|   } else {
//|     yield %arg2 : tile<f32>
//|   }
//|   %6 = print_tko "%f %f %f %f", %0, %2, %3, %5 : tile<2x2xf32>, tile<2x2xf32>, tile<f32>, tile<f32> -> token
//|   return
//| }
