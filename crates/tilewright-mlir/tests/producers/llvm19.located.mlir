#loc3 = loc("sources/llvm19.mlir":3:17)
#loc4 = loc("sources/llvm19.mlir":3:25)
#loc5 = loc("sources/llvm19.mlir":3:44)
#loc6 = loc("sources/llvm19.mlir":3:55)
#loc7 = loc("sources/llvm19.mlir":3:74)
#loc8 = loc("sources/llvm19.mlir":3:83)
#loc13 = loc("sources/llvm19.mlir":8:8)
#loc21 = loc("sources/llvm19.mlir":18:24)
#loc26 = loc("sources/llvm19.mlir":24:20)
#set = affine_set<(d0) : (d0 - 1 >= 0)>
"builtin.module"() ({
  "func.func"() <{function_type = (i32) -> i32, sym_name = "callee", sym_visibility = "private"}> ({
  }) : () -> () loc(#loc1)
  "func.func"() <{function_type = (i1, memref<4xf32>, index, vector<4xf32>, i32, tensor<2x3xf32>) -> i32, sym_name = "main"}> ({
  ^bb0(%arg2: i1 loc("sources/llvm19.mlir":3:17), %arg3: memref<4xf32> loc("sources/llvm19.mlir":3:25), %arg4: index loc("sources/llvm19.mlir":3:44), %arg5: vector<4xf32> loc("sources/llvm19.mlir":3:55), %arg6: i32 loc("sources/llvm19.mlir":3:74), %arg7: tensor<2x3xf32> loc("sources/llvm19.mlir":3:83)):
    %0 = "func.call"(%arg6) <{callee = @callee}> : (i32) -> i32 loc(#loc9)
    %1 = "memref.load"(%arg3, %arg4) : (memref<4xf32>, index) -> f32 loc(#loc10)
    "memref.store"(%1, %arg3, %arg4) : (f32, memref<4xf32>, index) -> () loc(#loc11)
    "cf.cond_br"(%arg2, %0)[^bb1, ^bb2] <{operandSegmentSizes = array<i32: 1, 1, 0>}> : (i1, i32) -> () loc(#loc12)
  ^bb1(%2: i32 loc("sources/llvm19.mlir":8:8)):  // pred: ^bb0
    %3 = "bufferization.to_memref"(%arg7) : (tensor<2x3xf32>) -> memref<2x3xf32> loc(#loc14)
    %4 = "llvm.add"(%2, %2) <{overflowFlags = #llvm.overflow<nsw, nuw>}> : (i32, i32) -> i32 loc(#loc15)
    %5 = "llvm.add"(%4, %2) <{overflowFlags = #llvm.overflow<nuw>}> : (i32, i32) -> i32 loc(#loc16)
    %6 = "llvm.mul"(%5, %2) <{overflowFlags = #llvm.overflow<none>}> : (i32, i32) -> i32 loc(#loc17)
    "func.return"(%6) : (i32) -> () loc(#loc18)
  ^bb2:  // pred: ^bb0
    "func.return"(%arg6) : (i32) -> () loc(#loc19)
  }) : () -> () loc(#loc2)
  "func.func"() <{function_type = (index) -> (), sym_name = "conditional"}> ({
  ^bb0(%arg1: index loc("sources/llvm19.mlir":18:24)):
    "affine.if"(%arg1) ({
      "affine.yield"() : () -> () loc(#loc22)
    }, {
    }) {condition = #set} : (index) -> () loc(#loc22)
    "func.return"() : () -> () loc(#loc23)
  }) : () -> () loc(#loc20)
  "gpu.module"() <{sym_name = "kernels"}> ({
    "gpu.func"() <{function_type = (memref<4xf32>) -> (), known_block_size = array<i32: 32, 1, 1>}> ({
    ^bb0(%arg0: memref<4xf32> loc("sources/llvm19.mlir":24:20)):
      "gpu.return"() : () -> () loc(#loc27)
    }) {gpu.kernel, sym_name = "kernel", workgroup_attributions = 0 : i64} : () -> () loc(#loc25)
    "gpu.module_end"() : () -> () loc(#loc24)
  }) : () -> () loc(#loc24)
  "llvm.mlir.global"() <{addr_space = 0 : i32, constant, global_type = i32, linkage = #llvm.linkage<internal>, sym_name = "data", unnamed_addr = 0 : i64, value = 7 : i32, visibility_ = 0 : i64}> ({
  }) : () -> () loc(#loc28)
}) : () -> () loc(#loc)
#loc = loc("sources/llvm19.mlir":0:0)
#loc1 = loc("sources/llvm19.mlir":2:1)
#loc2 = loc("sources/llvm19.mlir":3:1)
#loc9 = loc("sources/llvm19.mlir":4:8)
#loc10 = loc("sources/llvm19.mlir":5:8)
#loc11 = loc("sources/llvm19.mlir":6:3)
#loc12 = loc("sources/llvm19.mlir":7:3)
#loc14 = loc("sources/llvm19.mlir":9:8)
#loc15 = loc("sources/llvm19.mlir":10:8)
#loc16 = loc("sources/llvm19.mlir":11:8)
#loc17 = loc("sources/llvm19.mlir":12:8)
#loc18 = loc("sources/llvm19.mlir":13:3)
#loc19 = loc("sources/llvm19.mlir":15:3)
#loc20 = loc("sources/llvm19.mlir":18:1)
#loc22 = loc("sources/llvm19.mlir":19:3)
#loc23 = loc("sources/llvm19.mlir":21:3)
#loc24 = loc("sources/llvm19.mlir":23:1)
#loc25 = loc("sources/llvm19.mlir":24:3)
#loc27 = loc("sources/llvm19.mlir":25:5)
#loc28 = loc("sources/llvm19.mlir":28:1)

