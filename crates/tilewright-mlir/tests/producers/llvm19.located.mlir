#loc3 = loc("sources/llvm19.mlir":3:17)
#loc4 = loc("sources/llvm19.mlir":3:25)
#loc5 = loc("sources/llvm19.mlir":3:44)
#loc6 = loc("sources/llvm19.mlir":3:55)
#loc7 = loc("sources/llvm19.mlir":3:74)
#loc8 = loc("sources/llvm19.mlir":3:83)
#loc13 = loc("sources/llvm19.mlir":8:8)
#loc19 = loc("sources/llvm19.mlir":15:20)
"builtin.module"() ({
  "func.func"() <{function_type = (i32) -> i32, sym_name = "callee", sym_visibility = "private"}> ({
  }) : () -> () loc(#loc1)
  "func.func"() <{function_type = (i1, memref<4xf32>, index, vector<4xf32>, i32, tensor<2x3xf32>) -> i32, sym_name = "main"}> ({
  ^bb0(%arg1: i1 loc("sources/llvm19.mlir":3:17), %arg2: memref<4xf32> loc("sources/llvm19.mlir":3:25), %arg3: index loc("sources/llvm19.mlir":3:44), %arg4: vector<4xf32> loc("sources/llvm19.mlir":3:55), %arg5: i32 loc("sources/llvm19.mlir":3:74), %arg6: tensor<2x3xf32> loc("sources/llvm19.mlir":3:83)):
    %0 = "func.call"(%arg5) <{callee = @callee}> : (i32) -> i32 loc(#loc9)
    %1 = "memref.load"(%arg2, %arg3) : (memref<4xf32>, index) -> f32 loc(#loc10)
    "memref.store"(%1, %arg2, %arg3) : (f32, memref<4xf32>, index) -> () loc(#loc11)
    "cf.cond_br"(%arg1, %0)[^bb1, ^bb2] <{operandSegmentSizes = array<i32: 1, 1, 0>}> : (i1, i32) -> () loc(#loc12)
  ^bb1(%2: i32 loc("sources/llvm19.mlir":8:8)):  // pred: ^bb0
    %3 = "bufferization.to_memref"(%arg6) : (tensor<2x3xf32>) -> memref<2x3xf32> loc(#loc14)
    "func.return"(%2) : (i32) -> () loc(#loc15)
  ^bb2:  // pred: ^bb0
    "func.return"(%arg5) : (i32) -> () loc(#loc16)
  }) : () -> () loc(#loc2)
  "gpu.module"() <{sym_name = "kernels"}> ({
    "gpu.func"() <{function_type = (memref<4xf32>) -> (), known_block_size = array<i32: 32, 1, 1>}> ({
    ^bb0(%arg0: memref<4xf32> loc("sources/llvm19.mlir":15:20)):
      "gpu.return"() : () -> () loc(#loc20)
    }) {gpu.kernel, sym_name = "kernel", workgroup_attributions = 0 : i64} : () -> () loc(#loc18)
    "gpu.module_end"() : () -> () loc(#loc17)
  }) : () -> () loc(#loc17)
  "llvm.mlir.global"() <{addr_space = 0 : i32, constant, global_type = i32, linkage = #llvm.linkage<internal>, sym_name = "data", unnamed_addr = 0 : i64, value = 7 : i32, visibility_ = 0 : i64}> ({
  }) : () -> () loc(#loc21)
}) : () -> () loc(#loc)
#loc = loc("sources/llvm19.mlir":0:0)
#loc1 = loc("sources/llvm19.mlir":2:1)
#loc2 = loc("sources/llvm19.mlir":3:1)
#loc9 = loc("sources/llvm19.mlir":4:8)
#loc10 = loc("sources/llvm19.mlir":5:8)
#loc11 = loc("sources/llvm19.mlir":6:3)
#loc12 = loc("sources/llvm19.mlir":7:3)
#loc14 = loc("sources/llvm19.mlir":9:8)
#loc15 = loc("sources/llvm19.mlir":10:3)
#loc16 = loc("sources/llvm19.mlir":12:3)
#loc17 = loc("sources/llvm19.mlir":14:1)
#loc18 = loc("sources/llvm19.mlir":15:3)
#loc20 = loc("sources/llvm19.mlir":16:5)
#loc21 = loc("sources/llvm19.mlir":19:1)

