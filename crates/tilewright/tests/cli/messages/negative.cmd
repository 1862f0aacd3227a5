# Strides, extents and indices are unsigned: where a negative one leads out of bounds, the message says so.
bytes extract.mlir '"entry @k(%i: tile<i32>) {\n  %t = constant <i32: 1> : tile<8xi32>\n  %s = extract %t[%i] : tile<8xi32> -> tile<2xi32>\n  print_tko "%d\0A", %s : tile<2xi32> -> token\n}"'
tilewright run extract.mlir --grid 1 i32:-1
tilewright run extract.mlir --grid 1 i32:4
bytes load.mlir '"entry @k(%p: tile<ptr<f32>>, %n: tile<i32>, %s: tile<i32>) {\n  %v = make_tensor_view %p, shape = [%n], strides = [%s] : tile<i32> -> tensor_view<?xf32, strides=[?]>\n  %w = make_partition_view %v : partition_view<tile=(8), tensor_view<?xf32, strides=[?]>>\n  %i = constant <i32: 0> : tile<i32>\n  %t, %k = load_view_tko weak %w[%i] : partition_view<tile=(8), tensor_view<?xf32, strides=[?]>>, tile<i32> -> tile<8xf32>, token\n}"'
tilewright run load.mlir --grid 1 f32[8] i32:8 i32:1
tilewright run load.mlir --grid 1 f32[8] i32:8 i32:-1
tilewright run load.mlir --grid 1 f32[4] i32:-1 i32:1
tilewright run load.mlir --grid 1 f32[4] i32:8 i32:1
