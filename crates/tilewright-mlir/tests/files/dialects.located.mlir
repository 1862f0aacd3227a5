#loc6 = loc("dialects.mlir":10:19)
#loc7 = loc("dialects.mlir":10:31)
#loc19 = loc("dialects.mlir":22:22)
#loc20 = loc("dialects.mlir":22:41)
#loc21 = loc("dialects.mlir":22:62)
#loc29 = loc("dialects.mlir":31:19)
#loc30 = loc("dialects.mlir":31:38)
#loc36 = loc("dialects.mlir":37:22)
#loc37 = loc("dialects.mlir":37:43)
#loc38 = loc("dialects.mlir":37:65)
#loc39 = loc("dialects.mlir":37:87)
#loc41 = loc(unknown)
#loc43 = loc("dialects.mlir":40:10)
#loc44 = loc("dialects.mlir":40:19)
#loc45 = loc("dialects.mlir":40:28)
#loc54 = loc("dialects.mlir":50:10)
#loc55 = loc("dialects.mlir":50:22)
#loc60 = loc("dialects.mlir":56:22)
#loc61 = loc("dialects.mlir":56:45)
#loc62 = loc("dialects.mlir":56:56)
#loc63 = loc("dialects.mlir":56:75)
#loc73 = loc("dialects.mlir":66:20)
#loc74 = loc("dialects.mlir":66:43)
#loc76 = loc("dialects.mlir":67:16)
#loc78 = loc("dialects.mlir":68:18)
#loc83 = loc("dialects.mlir":75:22)
#loc84 = loc("dialects.mlir":75:26)
#loc87 = loc("dialects.mlir":78:19)
#loc103 = loc("dialects.mlir":97:19)
#loc107 = loc("dialects.mlir":102:21)
#loc108 = loc("dialects.mlir":102:39)
#loc109 = loc("dialects.mlir":102:72)
#loc110 = loc("dialects.mlir":102:93)
#loc111 = loc("dialects.mlir":102:102)
#loc128 = loc("dialects.mlir":117:38)
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
  "memref.global"() <{constant, initial_value = dense<[0.000000e+00, 1.000000e+00, 2.000000e+00, 3.000000e+00]> : tensor<4xf32>, sym_name = "table", sym_visibility = "private", type = memref<4xf32>}> : () -> () loc(#loc1)
  "ml_program.global"() <{is_mutable, sym_name = "state", sym_visibility = "private", type = tensor<4xi32>, value = dense<0> : tensor<4xi32>}> : () -> () loc(#loc2)
  "llvm.mlir.global"() <{addr_space = 0 : i32, constant, global_type = !llvm.array<6 x i8>, linkage = #llvm.linkage<internal>, sym_name = "str", unnamed_addr = 0 : i64, value = "hello\00", visibility_ = 0 : i64}> ({
  }) : () -> () loc(#loc3)
  "llvm.func"() <{CConv = #llvm.cconv<ccc>, function_type = !llvm.func<i32 (ptr, ...)>, linkage = #llvm.linkage<external>, sym_name = "printf", unnamed_addr = 0 : i64, visibility_ = 0 : i64}> ({
  }) : () -> () loc(#loc4)
  "llvm.func"() <{CConv = #llvm.cconv<ccc>, function_type = !llvm.func<i32 (i32, ptr)>, linkage = #llvm.linkage<external>, passthrough = ["noinline", ["alignstack", "4"]], sym_name = "main", unnamed_addr = 0 : i64, visibility_ = 0 : i64}> ({
  ^bb0(%arg35: i32 loc("dialects.mlir":10:19), %arg36: !llvm.ptr loc("dialects.mlir":10:31)):
    %43 = "llvm.mlir.addressof"() <{global_name = @str}> : () -> !llvm.ptr loc(#loc8)
    %44 = "llvm.getelementptr"(%43) <{elem_type = !llvm.array<6 x i8>, noWrapFlags = 3 : i32, rawConstantIndices = array<i32: 0, 1>}> : (!llvm.ptr) -> !llvm.ptr loc(#loc9)
    %45 = "llvm.call"(%44, %arg35) <{CConv = #llvm.cconv<ccc>, TailCallKind = #llvm.tailcallkind<none>, callee = @printf, fastmathFlags = #llvm.fastmath<fast>, op_bundle_sizes = array<i32>, operandSegmentSizes = array<i32: 2, 0>, var_callee_type = !llvm.func<i32 (ptr, ...)>}> : (!llvm.ptr, i32) -> i32 loc(#loc10)
    %46 = "llvm.load"(%arg36) <{alignment = 4 : i64, ordering = 0 : i64, volatile_}> : (!llvm.ptr) -> !llvm.struct<"pair", (i32, ptr)> loc(#loc11)
    %47 = "llvm.extractvalue"(%46) <{position = array<i64: 0>}> : (!llvm.struct<"pair", (i32, ptr)>) -> i32 loc(#loc12)
    %48 = "llvm.add"(%47, %arg35) <{overflowFlags = 1 : i32}> : (i32, i32) -> i32 loc(#loc13)
    %49 = "llvm.mlir.constant"() <{value = 1.000000e+00 : f32}> : () -> f32 loc(#loc14)
    %50 = "llvm.intr.fmuladd"(%49, %49, %49) <{fastmathFlags = #llvm.fastmath<none>}> : (f32, f32, f32) -> f32 loc(#loc15)
    "llvm.return"(%48) : (i32) -> () loc(#loc16)
  }) : () -> () loc(#loc5)
  "gpu.module"() <{sym_name = "kernels"}> ({
    "gpu.func"() <{function_type = (memref<?xf32>, index) -> ()}> ({
    ^bb0(%arg32: memref<?xf32> loc("dialects.mlir":22:22), %arg33: index loc("dialects.mlir":22:41), %arg34: memref<32xf32, 3> loc("dialects.mlir":22:62)):
      %40 = "gpu.thread_id"() <{dimension = #gpu<dim x>}> : () -> index loc(#loc22)
      %41 = "memref.load"(%arg32, %40) : (memref<?xf32>, index) -> f32 loc(#loc23)
      %42 = "gpu.all_reduce"(%41) <{op = #gpu<all_reduce_op add>}> ({
      }) : (f32) -> f32 loc(#loc24)
      "gpu.barrier"() : () -> () loc(#loc25)
      "memref.store"(%42, %arg34, %40) : (f32, memref<32xf32, 3>, index) -> () loc(#loc26)
      "gpu.return"() : () -> () loc(#loc27)
    }) {gpu.kernel, gpu.known_block_size = array<i32: 32, 1, 1>, sym_name = "kernel", workgroup_attributions = 1 : i64} : () -> () loc(#loc18)
  }) : () -> () loc(#loc17)
  "func.func"() <{function_type = (memref<?xf32>, index) -> (), sym_name = "host"}> ({
  ^bb0(%arg30: memref<?xf32> loc("dialects.mlir":31:19), %arg31: index loc("dialects.mlir":31:38)):
    %38 = "gpu.wait"() : () -> !gpu.async.token loc(#loc31)
    %39:2 = "gpu.alloc"(%38, %arg31) <{operandSegmentSizes = array<i32: 1, 1, 0>}> : (!gpu.async.token, index) -> (memref<?xf32>, !gpu.async.token) loc(#loc32)
    "gpu.launch_func"(%arg31, %arg31, %arg31, %arg31, %arg31, %arg31, %arg30, %arg31) <{kernel = @kernels::@kernel, operandSegmentSizes = array<i32: 0, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 2, 0>}> : (index, index, index, index, index, index, memref<?xf32>, index) -> () loc(#loc33)
    "func.return"() : () -> () loc(#loc34)
  }) : () -> () loc(#loc28)
  "func.func"() <{function_type = (tensor<4x8xf32>, tensor<8x16xf32>, tensor<4x16xf32>, index) -> tensor<4x16xf32>, sym_name = "tensors"}> ({
  ^bb0(%arg18: tensor<4x8xf32> loc("dialects.mlir":37:22), %arg19: tensor<8x16xf32> loc("dialects.mlir":37:43), %arg20: tensor<4x16xf32> loc("dialects.mlir":37:65), %arg21: index loc("dialects.mlir":37:87)):
    %26 = "linalg.matmul"(%arg18, %arg19, %arg20) <{indexing_maps = [#map, #map1, #map2], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg27: f32 loc(unknown), %arg28: f32 loc(unknown), %arg29: f32 loc(unknown)):
      %36 = "arith.mulf"(%arg27, %arg28) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32 loc(#loc41)
      %37 = "arith.addf"(%arg29, %36) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32 loc(#loc41)
      "linalg.yield"(%37) : (f32) -> () loc(#loc41)
    }) : (tensor<4x8xf32>, tensor<8x16xf32>, tensor<4x16xf32>) -> tensor<4x16xf32> loc(#loc40)
    %27 = "linalg.generic"(%arg18, %arg19, %26) <{indexing_maps = [#map, #map1, #map2], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg24: f32 loc("dialects.mlir":40:10), %arg25: f32 loc("dialects.mlir":40:19), %arg26: f32 loc("dialects.mlir":40:28)):
      %34 = "arith.mulf"(%arg24, %arg25) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32 loc(#loc46)
      %35 = "arith.addf"(%arg26, %34) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32 loc(#loc47)
      "linalg.yield"(%35) : (f32) -> () loc(#loc48)
    }) : (tensor<4x8xf32>, tensor<8x16xf32>, tensor<4x16xf32>) -> tensor<4x16xf32> loc(#loc42)
    %28 = "tensor.extract_slice"(%27, %arg21) <{operandSegmentSizes = array<i32: 1, 1, 0, 0>, static_offsets = array<i64: -9223372036854775808, 0>, static_sizes = array<i64: 2, 16>, static_strides = array<i64: 1, 1>}> : (tensor<4x16xf32>, index) -> tensor<2x16xf32> loc(#loc49)
    %29 = "tensor.insert_slice"(%28, %27) <{operandSegmentSizes = array<i32: 1, 1, 0, 0, 0>, static_offsets = array<i64: 0, 0>, static_sizes = array<i64: 2, 16>, static_strides = array<i64: 1, 1>}> : (tensor<2x16xf32>, tensor<4x16xf32>) -> tensor<4x16xf32> loc(#loc50)
    %30 = "tensor.collapse_shape"(%29) <{reassociation = [[0, 1]]}> : (tensor<4x16xf32>) -> tensor<64xf32> loc(#loc51)
    %31 = "tensor.expand_shape"(%30) <{reassociation = [[0, 1]], static_output_shape = array<i64: 4, 16>}> : (tensor<64xf32>) -> tensor<4x16xf32> loc(#loc52)
    %32 = "tensor.pad"(%31, %arg21) <{operandSegmentSizes = array<i32: 1, 1, 0>, static_high = array<i64: 0, 0>, static_low = array<i64: 0, -9223372036854775808>}> ({
    ^bb0(%arg22: index loc("dialects.mlir":50:10), %arg23: index loc("dialects.mlir":50:22)):
      %33 = "arith.constant"() <{value = 0.000000e+00 : f32}> : () -> f32 loc(#loc56)
      "tensor.yield"(%33) : (f32) -> () loc(#loc57)
    }) : (tensor<4x16xf32>, index) -> tensor<4x?xf32> loc(#loc53)
    "func.return"(%29) : (tensor<4x16xf32>) -> () loc(#loc58)
  }) : () -> () loc(#loc35)
  "func.func"() <{function_type = (memref<64x64xf32>, index, vector<4xf32>, vector<[4]xf32>) -> vector<4xf32>, sym_name = "vectors"}> ({
  ^bb0(%arg14: memref<64x64xf32> loc("dialects.mlir":56:22), %arg15: index loc("dialects.mlir":56:45), %arg16: vector<4xf32> loc("dialects.mlir":56:56), %arg17: vector<[4]xf32> loc("dialects.mlir":56:75)):
    %19 = "arith.constant"() <{value = 0.000000e+00 : f32}> : () -> f32 loc(#loc64)
    %20 = "vector.transfer_read"(%arg14, %arg15, %arg15, %19) <{in_bounds = [true], operandSegmentSizes = array<i32: 1, 2, 1, 0>, permutation_map = #map3}> : (memref<64x64xf32>, index, index, f32) -> vector<4xf32> loc(#loc65)
    %21 = "vector.shuffle"(%20, %arg16) <{mask = array<i64: 0, 5, 2, 7>}> : (vector<4xf32>, vector<4xf32>) -> vector<4xf32> loc(#loc66)
    %22 = "vector.reduction"(%21) <{fastmath = #arith.fastmath<none>, kind = #vector.kind<add>}> : (vector<4xf32>) -> f32 loc(#loc67)
    %23 = "vector.broadcast"(%22) : (f32) -> vector<4xf32> loc(#loc68)
    %24 = "vector.multi_reduction"(%23, %22) <{kind = #vector.kind<mul>, reduction_dims = array<i64: 0>}> : (vector<4xf32>, f32) -> f32 loc(#loc69)
    %25 = "vector.extract"(%23) <{static_position = array<i64: 2>}> : (vector<4xf32>) -> f32 loc(#loc70)
    "func.return"(%23) : (vector<4xf32>) -> () loc(#loc71)
  }) : () -> () loc(#loc59)
  "func.func"() <{function_type = (memref<64x64xf32>, index) -> (), sym_name = "loops"}> ({
  ^bb0(%arg7: memref<64x64xf32> loc("dialects.mlir":66:20), %arg8: index loc("dialects.mlir":66:43)):
    "affine.for"() <{lowerBoundMap = #map8, operandSegmentSizes = array<i32: 0, 0, 0>, step = 2 : index, upperBoundMap = #map9}> ({
    ^bb0(%arg12: index loc("dialects.mlir":67:16)):
      "affine.for"(%arg12, %arg12, %arg8) <{lowerBoundMap = #map6, operandSegmentSizes = array<i32: 1, 2, 0>, step = 1 : index, upperBoundMap = #map7}> ({
      ^bb0(%arg13: index loc("dialects.mlir":68:18)):
        %18 = "affine.load"(%arg7, %arg12, %arg13) <{map = #map4}> : (memref<64x64xf32>, index, index) -> f32 loc(#loc79)
        "affine.if"(%arg12, %arg13) <{condition = #set}> ({
          "affine.store"(%18, %arg7, %arg13, %arg12) <{map = #map5}> : (f32, memref<64x64xf32>, index, index) -> () loc(#loc81)
          "affine.yield"() : () -> () loc(#loc80)
        }, {
        }) : (index, index) -> () loc(#loc80)
        "affine.yield"() : () -> () loc(#loc77)
      }) : (index, index, index) -> () loc(#loc77)
      "affine.yield"() : () -> () loc(#loc75)
    }) : () -> () loc(#loc75)
    "affine.parallel"(%arg8) <{lowerBoundsGroups = dense<1> : tensor<2xi32>, lowerBoundsMap = #map10, reductions = [], steps = [1, 1], upperBoundsGroups = dense<1> : tensor<2xi32>, upperBoundsMap = #map11}> ({
    ^bb0(%arg10: index loc("dialects.mlir":75:22), %arg11: index loc("dialects.mlir":75:26)):
      "affine.yield"() : () -> () loc(#loc85)
    }) : (index) -> () loc(#loc82)
    "scf.parallel"(%arg8, %arg8, %arg8) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
    ^bb0(%arg9: index loc("dialects.mlir":78:19)):
      "scf.reduce"() : () -> () loc(#loc88)
    }) : (index, index, index) -> () loc(#loc86)
    %16:2 = "affine.delinearize_index"(%arg8) <{static_basis = array<i64: 4, 16>}> : (index) -> (index, index) loc(#loc89)
    %17 = "affine.linearize_index"(%16#0, %16#1) <{disjoint, operandSegmentSizes = array<i32: 2, 0>, static_basis = array<i64: 4, 16>}> : (index, index) -> index loc(#loc90)
    "memref.dealloc"(%arg7) : (memref<64x64xf32>) -> () loc(#loc91)
    "func.return"() : () -> () loc(#loc92)
  }) : () -> () loc(#loc72)
  "pdl.pattern"() <{benefit = 1 : i16, sym_name = "pattern"}> ({
    %12 = "pdl.type"() <{constantType = i32}> : () -> !pdl.type loc(#loc94)
    %13 = "pdl.attribute"() <{value = 3 : i32}> : () -> !pdl.attribute loc(#loc95)
    %14 = "pdl.operand"(%12) : (!pdl.type) -> !pdl.value loc(#loc96)
    %15 = "pdl.operation"(%14, %13, %12) <{attributeValueNames = ["a"], opName = "t.op", operandSegmentSizes = array<i32: 1, 1, 1>}> : (!pdl.value, !pdl.attribute, !pdl.type) -> !pdl.operation loc(#loc97)
    "pdl.rewrite"(%15) <{operandSegmentSizes = array<i32: 1, 0>}> ({
      "pdl.replace"(%15, %14) <{operandSegmentSizes = array<i32: 1, 0, 1>}> : (!pdl.operation, !pdl.value) -> () loc(#loc99)
    }) : (!pdl.operation) -> () loc(#loc98)
  }) : () -> () loc(#loc93)
  "spirv.module"() <{addressing_model = #spirv.addressing_model<Logical>, memory_model = #spirv.memory_model<GLSL450>, vce_triple = #spirv.vce<v1.0, [Shader], []>}> ({
    "spirv.GlobalVariable"() <{built_in = "GlobalInvocationId", sym_name = "g", type = !spirv.ptr<vector<3xi32>, Input>}> : () -> () loc(#loc101)
    "spirv.func"() <{function_control = #spirv.function_control<None>, function_type = (f32) -> f32, sym_name = "f"}> ({
    ^bb0(%arg6: f32 loc("dialects.mlir":97:19)):
      %11 = "spirv.GL.Exp"(%arg6) : (f32) -> f32 loc(#loc104)
      "spirv.ReturnValue"(%11) : (f32) -> () loc(#loc105)
    }) : () -> () loc(#loc102)
  }) : () -> () loc(#loc100)
  "func.func"() <{function_type = (complex<f32>, !quant.uniform<i8:f32, 5.000000e-01>, tensor<?xindex>, f32, !llvm.ptr) -> (), sym_name = "others"}> ({
  ^bb0(%arg1: complex<f32> loc("dialects.mlir":102:21), %arg2: !quant.uniform<i8:f32, 5.000000e-01> loc("dialects.mlir":102:39), %arg3: tensor<?xindex> loc("dialects.mlir":102:72), %arg4: f32 loc("dialects.mlir":102:93), %arg5: !llvm.ptr loc("dialects.mlir":102:102)):
    %0 = "complex.abs"(%arg1) <{fastmath = #arith.fastmath<none>}> : (complex<f32>) -> f32 loc(#loc112)
    %1 = "quant.scast"(%arg2) : (!quant.uniform<i8:f32, 5.000000e-01>) -> i8 loc(#loc113)
    %2 = "math.exp"(%arg4) <{fastmath = #arith.fastmath<contract>}> : (f32) -> f32 loc(#loc114)
    %3 = "shape.shape_of"(%arg3) : (tensor<?xindex>) -> tensor<1xindex> loc(#loc115)
    %4:2 = "async.execute"() <{operandSegmentSizes = array<i32: 0, 0>}> ({
      "async.yield"(%arg4) : (f32) -> () loc(#loc117)
    }) : () -> (!async.token, !async.value<f32>) loc(#loc116)
    %5 = "ub.poison"() <{value = #ub.poison}> : () -> i32 loc(#loc118)
    %6 = "index.constant"() <{value = 4 : index}> : () -> index loc(#loc119)
    %7 = "bufferization.alloc_tensor"(%6) <{operandSegmentSizes = array<i32: 1, 0, 0>}> : (index) -> tensor<?xf32> loc(#loc120)
    %8 = "arith.cmpf"(%arg4, %2) <{fastmath = #arith.fastmath<none>, predicate = 10 : i64}> : (f32, f32) -> i1 loc(#loc121)
    %9 = "arith.select"(%8, %arg4, %2) : (i1, f32, f32) -> f32 loc(#loc122)
    %10 = "emitc.call_opaque"(%arg4) <{args = [0 : index], callee = "f"}> : (f32) -> i32 loc(#loc123)
    "omp.parallel"() <{operandSegmentSizes = array<i32: 0, 0, 0, 0, 0, 0>}> ({
      "omp.terminator"() : () -> () loc(#loc125)
    }) : () -> () loc(#loc124)
    "func.return"() : () -> () loc(#loc126)
  }) : () -> () loc(#loc106)
  "transform.named_sequence"() <{arg_attrs = [{transform.readonly}], function_type = (!transform.any_op) -> (), sym_name = "sequence"}> ({
  ^bb0(%arg0: !transform.any_op loc("dialects.mlir":117:38)):
    "transform.yield"() : () -> () loc(#loc129)
  }) {visibility = "public"} : () -> () loc(#loc127)
}) {gpu.container_module, transform.with_named_sequence} : () -> () loc(#loc)
#loc = loc("dialects.mlir":5:1)
#loc1 = loc("dialects.mlir":6:3)
#loc2 = loc("dialects.mlir":7:3)
#loc3 = loc("dialects.mlir":8:3)
#loc4 = loc("dialects.mlir":9:3)
#loc5 = loc("dialects.mlir":10:3)
#loc8 = loc("dialects.mlir":11:10)
#loc9 = loc("dialects.mlir":12:10)
#loc10 = loc("dialects.mlir":13:10)
#loc11 = loc("dialects.mlir":14:10)
#loc12 = loc("dialects.mlir":15:10)
#loc13 = loc("dialects.mlir":16:10)
#loc14 = loc("dialects.mlir":17:10)
#loc15 = loc("dialects.mlir":18:10)
#loc16 = loc("dialects.mlir":19:5)
#loc17 = loc("dialects.mlir":21:3)
#loc18 = loc("dialects.mlir":22:5)
#loc22 = loc("dialects.mlir":23:12)
#loc23 = loc("dialects.mlir":24:12)
#loc24 = loc("dialects.mlir":25:12)
#loc25 = loc("dialects.mlir":26:7)
#loc26 = loc("dialects.mlir":27:7)
#loc27 = loc("dialects.mlir":28:7)
#loc28 = loc("dialects.mlir":31:3)
#loc31 = loc("dialects.mlir":32:10)
#loc32 = loc("dialects.mlir":33:14)
#loc33 = loc("dialects.mlir":34:5)
#loc34 = loc("dialects.mlir":35:5)
#loc35 = loc("dialects.mlir":37:3)
#loc40 = loc("dialects.mlir":38:10)
#loc42 = loc("dialects.mlir":39:10)
#loc46 = loc("dialects.mlir":41:12)
#loc47 = loc("dialects.mlir":42:12)
#loc48 = loc("dialects.mlir":43:7)
#loc49 = loc("dialects.mlir":45:10)
#loc50 = loc("dialects.mlir":46:10)
#loc51 = loc("dialects.mlir":47:10)
#loc52 = loc("dialects.mlir":48:10)
#loc53 = loc("dialects.mlir":49:10)
#loc56 = loc("dialects.mlir":51:12)
#loc57 = loc("dialects.mlir":52:7)
#loc58 = loc("dialects.mlir":54:5)
#loc59 = loc("dialects.mlir":56:3)
#loc64 = loc("dialects.mlir":57:12)
#loc65 = loc("dialects.mlir":58:10)
#loc66 = loc("dialects.mlir":59:10)
#loc67 = loc("dialects.mlir":60:10)
#loc68 = loc("dialects.mlir":61:10)
#loc69 = loc("dialects.mlir":62:10)
#loc70 = loc("dialects.mlir":63:10)
#loc71 = loc("dialects.mlir":64:5)
#loc72 = loc("dialects.mlir":66:3)
#loc75 = loc("dialects.mlir":67:5)
#loc77 = loc("dialects.mlir":68:7)
#loc79 = loc("dialects.mlir":69:14)
#loc80 = loc("dialects.mlir":70:9)
#loc81 = loc("dialects.mlir":71:11)
#loc82 = loc("dialects.mlir":75:5)
#loc85 = loc("dialects.mlir":76:7)
#loc86 = loc("dialects.mlir":78:5)
#loc88 = loc("dialects.mlir":79:7)
#loc89 = loc("dialects.mlir":81:12)
#loc90 = loc("dialects.mlir":82:10)
#loc91 = loc("dialects.mlir":83:5)
#loc92 = loc("dialects.mlir":84:5)
#loc93 = loc("dialects.mlir":86:3)
#loc94 = loc("dialects.mlir":87:10)
#loc95 = loc("dialects.mlir":88:10)
#loc96 = loc("dialects.mlir":89:10)
#loc97 = loc("dialects.mlir":90:10)
#loc98 = loc("dialects.mlir":91:5)
#loc99 = loc("dialects.mlir":92:7)
#loc100 = loc("dialects.mlir":95:3)
#loc101 = loc("dialects.mlir":96:5)
#loc102 = loc("dialects.mlir":97:5)
#loc104 = loc("dialects.mlir":98:12)
#loc105 = loc("dialects.mlir":99:7)
#loc106 = loc("dialects.mlir":102:3)
#loc112 = loc("dialects.mlir":103:10)
#loc113 = loc("dialects.mlir":104:10)
#loc114 = loc("dialects.mlir":105:10)
#loc115 = loc("dialects.mlir":106:10)
#loc116 = loc("dialects.mlir":107:18)
#loc117 = loc("dialects.mlir":107:55)
#loc118 = loc("dialects.mlir":108:10)
#loc119 = loc("dialects.mlir":109:10)
#loc120 = loc("dialects.mlir":110:10)
#loc121 = loc("dialects.mlir":111:10)
#loc122 = loc("dialects.mlir":112:10)
#loc123 = loc("dialects.mlir":113:11)
#loc124 = loc("dialects.mlir":114:5)
#loc125 = loc("dialects.mlir":114:20)
#loc126 = loc("dialects.mlir":115:5)
#loc127 = loc("dialects.mlir":117:3)
#loc129 = loc("dialects.mlir":118:5)

