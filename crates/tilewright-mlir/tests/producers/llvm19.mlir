#set = affine_set<(d0) : (d0 - 1 >= 0)>
"builtin.module"() ({
  "func.func"() <{function_type = (i32) -> i32, sym_name = "callee", sym_visibility = "private"}> ({
  }) : () -> ()
  "func.func"() <{function_type = (i1, memref<4xf32>, index, vector<4xf32>, i32, tensor<2x3xf32>) -> i32, sym_name = "main"}> ({
  ^bb0(%arg2: i1, %arg3: memref<4xf32>, %arg4: index, %arg5: vector<4xf32>, %arg6: i32, %arg7: tensor<2x3xf32>):
    %0 = "func.call"(%arg6) <{callee = @callee}> : (i32) -> i32
    %1 = "memref.load"(%arg3, %arg4) : (memref<4xf32>, index) -> f32
    "memref.store"(%1, %arg3, %arg4) : (f32, memref<4xf32>, index) -> ()
    "cf.cond_br"(%arg2, %0)[^bb1, ^bb2] <{operandSegmentSizes = array<i32: 1, 1, 0>}> : (i1, i32) -> ()
  ^bb1(%2: i32):  // pred: ^bb0
    %3 = "bufferization.to_memref"(%arg7) : (tensor<2x3xf32>) -> memref<2x3xf32>
    %4 = "llvm.add"(%2, %2) <{overflowFlags = #llvm.overflow<nsw, nuw>}> : (i32, i32) -> i32
    %5 = "llvm.add"(%4, %2) <{overflowFlags = #llvm.overflow<nuw>}> : (i32, i32) -> i32
    %6 = "llvm.mul"(%5, %2) <{overflowFlags = #llvm.overflow<none>}> : (i32, i32) -> i32
    "func.return"(%6) : (i32) -> ()
  ^bb2:  // pred: ^bb0
    "func.return"(%arg6) : (i32) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (index) -> (), sym_name = "conditional"}> ({
  ^bb0(%arg1: index):
    "affine.if"(%arg1) ({
      "affine.yield"() : () -> ()
    }, {
    }) {condition = #set} : (index) -> ()
    "func.return"() : () -> ()
  }) : () -> ()
  "gpu.module"() <{sym_name = "kernels"}> ({
    "gpu.func"() <{function_type = (memref<4xf32>) -> (), known_block_size = array<i32: 32, 1, 1>}> ({
    ^bb0(%arg0: memref<4xf32>):
      "gpu.return"() : () -> ()
    }) {gpu.kernel, sym_name = "kernel", workgroup_attributions = 0 : i64} : () -> ()
    "gpu.module_end"() : () -> ()
  }) : () -> ()
  "llvm.mlir.global"() <{addr_space = 0 : i32, constant, global_type = i32, linkage = #llvm.linkage<internal>, sym_name = "data", unnamed_addr = 0 : i64, value = 7 : i32, visibility_ = 0 : i64}> ({
  }) : () -> ()
}) : () -> ()

