"builtin.module"() ({
  "func.func"() <{function_type = (i32) -> i32, sym_name = "callee", sym_visibility = "private"}> ({
  }) : () -> ()
  "func.func"() <{function_type = (i1, memref<4xf32>, index, vector<4xf32>, i32, tensor<2x3xf32>) -> i32, sym_name = "main"}> ({
  ^bb0(%arg1: i1, %arg2: memref<4xf32>, %arg3: index, %arg4: vector<4xf32>, %arg5: i32, %arg6: tensor<2x3xf32>):
    %0 = "func.call"(%arg5) <{callee = @callee}> : (i32) -> i32
    %1 = "memref.load"(%arg2, %arg3) : (memref<4xf32>, index) -> f32
    "memref.store"(%1, %arg2, %arg3) : (f32, memref<4xf32>, index) -> ()
    "cf.cond_br"(%arg1, %0)[^bb1, ^bb2] <{operandSegmentSizes = array<i32: 1, 1, 0>}> : (i1, i32) -> ()
  ^bb1(%2: i32):  // pred: ^bb0
    %3 = "bufferization.to_memref"(%arg6) : (tensor<2x3xf32>) -> memref<2x3xf32>
    "func.return"(%2) : (i32) -> ()
  ^bb2:  // pred: ^bb0
    "func.return"(%arg5) : (i32) -> ()
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

