#loc2 = loc("../modules/memory.mlir":4:19)
#loc3 = loc("../modules/memory.mlir":4:43)
#loc4 = loc("../modules/memory.mlir":4:68)
#loc5 = loc("../modules/memory.mlir":4:89)
#loc9 = loc("../modules/memory.mlir":7:14)
#map = affine_map<(d0, d1)[s0, s1] -> (d1, d0)>
#map1 = affine_map<(d0) -> (d0)>
#map2 = affine_map<() -> (0)>
#map3 = affine_map<() -> (10)>
"builtin.module"() ({
  "func.func"() <{function_type = (memref<100xf32>, memref<100xf32, 2>, memref<1xi32>, index) -> (), sym_name = "copies"}> ({
  ^bb0(%arg0: memref<100xf32> loc("../modules/memory.mlir":4:19), %arg1: memref<100xf32, 2> loc("../modules/memory.mlir":4:43), %arg2: memref<1xi32> loc("../modules/memory.mlir":4:68), %arg3: index loc("../modules/memory.mlir":4:89)):
    %0 = "memref.alloc"(%arg3) <{operandSegmentSizes = array<i32: 1, 0>}> : (index) -> memref<?xf32> loc(#loc6)
    %1 = "memref.alloc"(%arg3, %arg3) <{operandSegmentSizes = array<i32: 0, 2>}> : (index, index) -> memref<4x4xf32, #map> loc(#loc7)
    "affine.for"() <{lowerBoundMap = #map2, operandSegmentSizes = array<i32: 0, 0, 0>, step = 1 : index, upperBoundMap = #map3}> ({
    ^bb0(%arg4: index loc("../modules/memory.mlir":7:14)):
      "affine.dma_start"(%arg0, %arg4, %arg1, %arg4, %arg2, %arg3) {dst_map = #map1, src_map = #map1, tag_map = #map2} : (memref<100xf32>, index, memref<100xf32, 2>, index, memref<1xi32>, index) -> () loc(#loc10)
      "affine.dma_wait"(%arg2, %arg3) {tag_map = #map2} : (memref<1xi32>, index) -> () loc(#loc11)
      "affine.yield"() : () -> () loc(#loc8)
    }) : () -> () loc(#loc8)
    "func.return"() : () -> () loc(#loc12)
  }) : () -> () loc(#loc1)
  "t.no_bits"() {a = 0 : i0, b = 0 : si0, c = 0 : ui0, d = array<i0: 0, 0>, e = array<si0: 0>, f = dense<[0, 0, 0]> : tensor<3xi0>, g = dense<[0, 0]> : vector<2xsi0>} : () -> () loc(#loc13)
}) : () -> () loc(#loc)
#loc = loc("../modules/memory.mlir":0:0)
#loc1 = loc("../modules/memory.mlir":4:1)
#loc6 = loc("../modules/memory.mlir":5:8)
#loc7 = loc("../modules/memory.mlir":6:8)
#loc8 = loc("../modules/memory.mlir":7:3)
#loc10 = loc("../modules/memory.mlir":8:5)
#loc11 = loc("../modules/memory.mlir":9:5)
#loc12 = loc("../modules/memory.mlir":11:3)
#loc13 = loc("../modules/memory.mlir":13:1)

