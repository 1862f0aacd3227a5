#map = affine_map<(d0, d1)[s0, s1] -> (d1, d0)>
#map1 = affine_map<(d0) -> (d0)>
#map2 = affine_map<() -> (0)>
#map3 = affine_map<() -> (10)>
"builtin.module"() ({
  "func.func"() <{function_type = (memref<100xf32>, memref<100xf32, 2>, memref<1xi32>, index) -> (), sym_name = "copies"}> ({
  ^bb0(%arg0: memref<100xf32>, %arg1: memref<100xf32, 2>, %arg2: memref<1xi32>, %arg3: index):
    %0 = "memref.alloc"(%arg3) <{operandSegmentSizes = array<i32: 1, 0>}> : (index) -> memref<?xf32>
    %1 = "memref.alloc"(%arg3, %arg3) <{operandSegmentSizes = array<i32: 0, 2>}> : (index, index) -> memref<4x4xf32, #map>
    "affine.for"() <{lowerBoundMap = #map2, operandSegmentSizes = array<i32: 0, 0, 0>, step = 1 : index, upperBoundMap = #map3}> ({
    ^bb0(%arg4: index):
      "affine.dma_start"(%arg0, %arg4, %arg1, %arg4, %arg2, %arg3) {dst_map = #map1, src_map = #map1, tag_map = #map2} : (memref<100xf32>, index, memref<100xf32, 2>, index, memref<1xi32>, index) -> ()
      "affine.dma_wait"(%arg2, %arg3) {tag_map = #map2} : (memref<1xi32>, index) -> ()
      "affine.yield"() : () -> ()
    }) : () -> ()
    "func.return"() : () -> ()
  }) : () -> ()
  "t.no_bits"() {a = 0 : i0, b = 0 : si0, c = 0 : ui0, d = array<i0: 0, 0>, e = array<si0: 0>, f = dense<[0, 0, 0]> : tensor<3xi0>, g = dense<[0, 0]> : vector<2xsi0>} : () -> ()
}) : () -> ()

