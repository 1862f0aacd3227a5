#map = affine_map<(d0, d1, d2) -> (d0, d2)>
#map1 = affine_map<(d0, d1, d2) -> (d2, d1)>
#map2 = affine_map<(d0, d1, d2) -> (d0, d1)>
#map3 = affine_map<(d0, d1) -> (d0)>
#map4 = affine_map<(d0, d1) -> (d0, d1 + 1)>
#map5 = affine_map<(d0, d1) -> (d0, d1)>
#map6 = affine_map<(d0) -> (d0)>
#map7 = affine_map<(d0)[s0] -> (d0 + 8, s0)>
#map8 = affine_map<() -> (0)>
#map9 = affine_map<() -> (64)>
#map10 = affine_map<() -> (0, 0)>
#map11 = affine_map<(d0) -> (d0, 64)>
#set = affine_set<(d0, d1) : (d0 - d1 >= 0)>
"builtin.module"() ({
  "memref.global"() <{constant, initial_value = dense<[0.000000e+00, 1.000000e+00, 2.000000e+00, 3.000000e+00]> : tensor<4xf32>, sym_name = "table", sym_visibility = "private", type = memref<4xf32>}> : () -> ()
  "ml_program.global"() <{is_mutable, sym_name = "state", sym_visibility = "private", type = tensor<4xi32>, value = dense<0> : tensor<4xi32>}> : () -> ()
  "llvm.mlir.global"() <{addr_space = 0 : i32, constant, global_type = !llvm.array<6 x i8>, linkage = #llvm.linkage<internal>, sym_name = "str", unnamed_addr = 0 : i64, value = "hello\00", visibility_ = 0 : i64}> ({
  }) : () -> ()
  "llvm.func"() <{CConv = #llvm.cconv<ccc>, function_type = !llvm.func<i32 (ptr, ...)>, linkage = #llvm.linkage<external>, sym_name = "printf", unnamed_addr = 0 : i64, visibility_ = 0 : i64}> ({
  }) : () -> ()
  "llvm.func"() <{CConv = #llvm.cconv<ccc>, function_type = !llvm.func<i32 (i32, ptr)>, linkage = #llvm.linkage<external>, passthrough = ["noinline", ["alignstack", "4"]], sym_name = "main", unnamed_addr = 0 : i64, visibility_ = 0 : i64}> ({
  ^bb0(%arg35: i32, %arg36: !llvm.ptr):
    %43 = "llvm.mlir.addressof"() <{global_name = @str}> : () -> !llvm.ptr
    %44 = "llvm.getelementptr"(%43) <{elem_type = !llvm.array<6 x i8>, noWrapFlags = 3 : i32, rawConstantIndices = array<i32: 0, 1>}> : (!llvm.ptr) -> !llvm.ptr
    %45 = "llvm.call"(%44, %arg35) <{CConv = #llvm.cconv<ccc>, TailCallKind = #llvm.tailcallkind<none>, callee = @printf, fastmathFlags = #llvm.fastmath<fast>, op_bundle_sizes = array<i32>, operandSegmentSizes = array<i32: 2, 0>, var_callee_type = !llvm.func<i32 (ptr, ...)>}> : (!llvm.ptr, i32) -> i32
    %46 = "llvm.load"(%arg36) <{alignment = 4 : i64, ordering = 0 : i64, volatile_}> : (!llvm.ptr) -> !llvm.struct<"pair", (i32, ptr)>
    %47 = "llvm.extractvalue"(%46) <{position = array<i64: 0>}> : (!llvm.struct<"pair", (i32, ptr)>) -> i32
    %48 = "llvm.add"(%47, %arg35) <{overflowFlags = 1 : i32}> : (i32, i32) -> i32
    %49 = "llvm.mlir.constant"() <{value = 1.000000e+00 : f32}> : () -> f32
    %50 = "llvm.intr.fmuladd"(%49, %49, %49) <{fastmathFlags = #llvm.fastmath<none>}> : (f32, f32, f32) -> f32
    "llvm.return"(%48) : (i32) -> ()
  }) : () -> ()
  "gpu.module"() <{sym_name = "kernels"}> ({
    "gpu.func"() <{function_type = (memref<?xf32>, index) -> ()}> ({
    ^bb0(%arg32: memref<?xf32>, %arg33: index, %arg34: memref<32xf32, 3>):
      %40 = "gpu.thread_id"() <{dimension = #gpu<dim x>}> : () -> index
      %41 = "memref.load"(%arg32, %40) : (memref<?xf32>, index) -> f32
      %42 = "gpu.all_reduce"(%41) <{op = #gpu<all_reduce_op add>}> ({
      }) : (f32) -> f32
      "gpu.barrier"() : () -> ()
      "memref.store"(%42, %arg34, %40) : (f32, memref<32xf32, 3>, index) -> ()
      "gpu.return"() : () -> ()
    }) {gpu.kernel, gpu.known_block_size = array<i32: 32, 1, 1>, sym_name = "kernel", workgroup_attributions = 1 : i64} : () -> ()
  }) : () -> ()
  "func.func"() <{function_type = (memref<?xf32>, index) -> (), sym_name = "host"}> ({
  ^bb0(%arg30: memref<?xf32>, %arg31: index):
    %38 = "gpu.wait"() : () -> !gpu.async.token
    %39:2 = "gpu.alloc"(%38, %arg31) <{operandSegmentSizes = array<i32: 1, 1, 0>}> : (!gpu.async.token, index) -> (memref<?xf32>, !gpu.async.token)
    "gpu.launch_func"(%arg31, %arg31, %arg31, %arg31, %arg31, %arg31, %arg30, %arg31) <{kernel = @kernels::@kernel, operandSegmentSizes = array<i32: 0, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 2, 0>}> : (index, index, index, index, index, index, memref<?xf32>, index) -> ()
    "func.return"() : () -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<4x8xf32>, tensor<8x16xf32>, tensor<4x16xf32>, index) -> tensor<4x16xf32>, sym_name = "tensors"}> ({
  ^bb0(%arg18: tensor<4x8xf32>, %arg19: tensor<8x16xf32>, %arg20: tensor<4x16xf32>, %arg21: index):
    %26 = "linalg.matmul"(%arg18, %arg19, %arg20) <{indexing_maps = [#map, #map1, #map2], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg27: f32, %arg28: f32, %arg29: f32):
      %36 = "arith.mulf"(%arg27, %arg28) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %37 = "arith.addf"(%arg29, %36) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%37) : (f32) -> ()
    }) : (tensor<4x8xf32>, tensor<8x16xf32>, tensor<4x16xf32>) -> tensor<4x16xf32>
    %27 = "linalg.generic"(%arg18, %arg19, %26) <{indexing_maps = [#map, #map1, #map2], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg24: f32, %arg25: f32, %arg26: f32):
      %34 = "arith.mulf"(%arg24, %arg25) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %35 = "arith.addf"(%arg26, %34) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%35) : (f32) -> ()
    }) : (tensor<4x8xf32>, tensor<8x16xf32>, tensor<4x16xf32>) -> tensor<4x16xf32>
    %28 = "tensor.extract_slice"(%27, %arg21) <{operandSegmentSizes = array<i32: 1, 1, 0, 0>, static_offsets = array<i64: -9223372036854775808, 0>, static_sizes = array<i64: 2, 16>, static_strides = array<i64: 1, 1>}> : (tensor<4x16xf32>, index) -> tensor<2x16xf32>
    %29 = "tensor.insert_slice"(%28, %27) <{operandSegmentSizes = array<i32: 1, 1, 0, 0, 0>, static_offsets = array<i64: 0, 0>, static_sizes = array<i64: 2, 16>, static_strides = array<i64: 1, 1>}> : (tensor<2x16xf32>, tensor<4x16xf32>) -> tensor<4x16xf32>
    %30 = "tensor.collapse_shape"(%29) <{reassociation = [[0, 1]]}> : (tensor<4x16xf32>) -> tensor<64xf32>
    %31 = "tensor.expand_shape"(%30) <{reassociation = [[0, 1]], static_output_shape = array<i64: 4, 16>}> : (tensor<64xf32>) -> tensor<4x16xf32>
    %32 = "tensor.pad"(%31, %arg21) <{operandSegmentSizes = array<i32: 1, 1, 0>, static_high = array<i64: 0, 0>, static_low = array<i64: 0, -9223372036854775808>}> ({
    ^bb0(%arg22: index, %arg23: index):
      %33 = "arith.constant"() <{value = 0.000000e+00 : f32}> : () -> f32
      "tensor.yield"(%33) : (f32) -> ()
    }) : (tensor<4x16xf32>, index) -> tensor<4x?xf32>
    "func.return"(%29) : (tensor<4x16xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (memref<64x64xf32>, index, vector<4xf32>, vector<[4]xf32>) -> vector<4xf32>, sym_name = "vectors"}> ({
  ^bb0(%arg14: memref<64x64xf32>, %arg15: index, %arg16: vector<4xf32>, %arg17: vector<[4]xf32>):
    %19 = "arith.constant"() <{value = 0.000000e+00 : f32}> : () -> f32
    %20 = "vector.transfer_read"(%arg14, %arg15, %arg15, %19) <{in_bounds = [true], operandSegmentSizes = array<i32: 1, 2, 1, 0>, permutation_map = #map3}> : (memref<64x64xf32>, index, index, f32) -> vector<4xf32>
    %21 = "vector.shuffle"(%20, %arg16) <{mask = array<i64: 0, 5, 2, 7>}> : (vector<4xf32>, vector<4xf32>) -> vector<4xf32>
    %22 = "vector.reduction"(%21) <{fastmath = #arith.fastmath<none>, kind = #vector.kind<add>}> : (vector<4xf32>) -> f32
    %23 = "vector.broadcast"(%22) : (f32) -> vector<4xf32>
    %24 = "vector.multi_reduction"(%23, %22) <{kind = #vector.kind<mul>, reduction_dims = array<i64: 0>}> : (vector<4xf32>, f32) -> f32
    %25 = "vector.extract"(%23) <{static_position = array<i64: 2>}> : (vector<4xf32>) -> f32
    "func.return"(%23) : (vector<4xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (memref<64x64xf32>, index) -> (), sym_name = "loops"}> ({
  ^bb0(%arg7: memref<64x64xf32>, %arg8: index):
    "affine.for"() <{lowerBoundMap = #map8, operandSegmentSizes = array<i32: 0, 0, 0>, step = 2 : index, upperBoundMap = #map9}> ({
    ^bb0(%arg12: index):
      "affine.for"(%arg12, %arg12, %arg8) <{lowerBoundMap = #map6, operandSegmentSizes = array<i32: 1, 2, 0>, step = 1 : index, upperBoundMap = #map7}> ({
      ^bb0(%arg13: index):
        %18 = "affine.load"(%arg7, %arg12, %arg13) <{map = #map4}> : (memref<64x64xf32>, index, index) -> f32
        "affine.if"(%arg12, %arg13) <{condition = #set}> ({
          "affine.store"(%18, %arg7, %arg13, %arg12) <{map = #map5}> : (f32, memref<64x64xf32>, index, index) -> ()
          "affine.yield"() : () -> ()
        }, {
        }) : (index, index) -> ()
        "affine.yield"() : () -> ()
      }) : (index, index, index) -> ()
      "affine.yield"() : () -> ()
    }) : () -> ()
    "affine.parallel"(%arg8) <{lowerBoundsGroups = dense<1> : tensor<2xi32>, lowerBoundsMap = #map10, reductions = [], steps = [1, 1], upperBoundsGroups = dense<1> : tensor<2xi32>, upperBoundsMap = #map11}> ({
    ^bb0(%arg10: index, %arg11: index):
      "affine.yield"() : () -> ()
    }) : (index) -> ()
    "scf.parallel"(%arg8, %arg8, %arg8) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
    ^bb0(%arg9: index):
      "scf.reduce"() : () -> ()
    }) : (index, index, index) -> ()
    %16:2 = "affine.delinearize_index"(%arg8) <{static_basis = array<i64: 4, 16>}> : (index) -> (index, index)
    %17 = "affine.linearize_index"(%16#0, %16#1) <{disjoint, operandSegmentSizes = array<i32: 2, 0>, static_basis = array<i64: 4, 16>}> : (index, index) -> index
    "memref.dealloc"(%arg7) : (memref<64x64xf32>) -> ()
    "func.return"() : () -> ()
  }) : () -> ()
  "pdl.pattern"() <{benefit = 1 : i16, sym_name = "pattern"}> ({
    %12 = "pdl.type"() <{constantType = i32}> : () -> !pdl.type
    %13 = "pdl.attribute"() <{value = 3 : i32}> : () -> !pdl.attribute
    %14 = "pdl.operand"(%12) : (!pdl.type) -> !pdl.value
    %15 = "pdl.operation"(%14, %13, %12) <{attributeValueNames = ["a"], opName = "t.op", operandSegmentSizes = array<i32: 1, 1, 1>}> : (!pdl.value, !pdl.attribute, !pdl.type) -> !pdl.operation
    "pdl.rewrite"(%15) <{operandSegmentSizes = array<i32: 1, 0>}> ({
      "pdl.replace"(%15, %14) <{operandSegmentSizes = array<i32: 1, 0, 1>}> : (!pdl.operation, !pdl.value) -> ()
    }) : (!pdl.operation) -> ()
  }) : () -> ()
  "spirv.module"() <{addressing_model = #spirv.addressing_model<Logical>, memory_model = #spirv.memory_model<GLSL450>, vce_triple = #spirv.vce<v1.0, [Shader], []>}> ({
    "spirv.GlobalVariable"() <{built_in = "GlobalInvocationId", sym_name = "g", type = !spirv.ptr<vector<3xi32>, Input>}> : () -> ()
    "spirv.func"() <{function_control = #spirv.function_control<None>, function_type = (f32) -> f32, sym_name = "f"}> ({
    ^bb0(%arg6: f32):
      %11 = "spirv.GL.Exp"(%arg6) : (f32) -> f32
      "spirv.ReturnValue"(%11) : (f32) -> ()
    }) : () -> ()
  }) : () -> ()
  "func.func"() <{function_type = (complex<f32>, !quant.uniform<i8:f32, 5.000000e-01>, tensor<?xindex>, f32, !llvm.ptr) -> (), sym_name = "others"}> ({
  ^bb0(%arg1: complex<f32>, %arg2: !quant.uniform<i8:f32, 5.000000e-01>, %arg3: tensor<?xindex>, %arg4: f32, %arg5: !llvm.ptr):
    %0 = "complex.abs"(%arg1) <{fastmath = #arith.fastmath<none>}> : (complex<f32>) -> f32
    %1 = "quant.scast"(%arg2) : (!quant.uniform<i8:f32, 5.000000e-01>) -> i8
    %2 = "math.exp"(%arg4) <{fastmath = #arith.fastmath<contract>}> : (f32) -> f32
    %3 = "shape.shape_of"(%arg3) : (tensor<?xindex>) -> tensor<1xindex>
    %4:2 = "async.execute"() <{operandSegmentSizes = array<i32: 0, 0>}> ({
      "async.yield"(%arg4) : (f32) -> ()
    }) : () -> (!async.token, !async.value<f32>)
    %5 = "ub.poison"() <{value = #ub.poison}> : () -> i32
    %6 = "index.constant"() <{value = 4 : index}> : () -> index
    %7 = "bufferization.alloc_tensor"(%6) <{operandSegmentSizes = array<i32: 1, 0, 0>}> : (index) -> tensor<?xf32>
    %8 = "arith.cmpf"(%arg4, %2) <{fastmath = #arith.fastmath<none>, predicate = 10 : i64}> : (f32, f32) -> i1
    %9 = "arith.select"(%8, %arg4, %2) : (i1, f32, f32) -> f32
    %10 = "emitc.call_opaque"(%arg4) <{args = [0 : index], callee = "f"}> : (f32) -> i32
    "omp.parallel"() <{operandSegmentSizes = array<i32: 0, 0, 0, 0, 0, 0>}> ({
      "omp.terminator"() : () -> ()
    }) : () -> ()
    "func.return"() : () -> ()
  }) : () -> ()
  "transform.named_sequence"() <{arg_attrs = [{transform.readonly}], function_type = (!transform.any_op) -> (), sym_name = "sequence"}> ({
  ^bb0(%arg0: !transform.any_op):
    "transform.yield"() : () -> ()
  }) {visibility = "public"} : () -> ()
}) {gpu.container_module, transform.with_named_sequence} : () -> ()

