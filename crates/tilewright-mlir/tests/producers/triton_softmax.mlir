"builtin.module"() <{sym_name = "kernel"}> ({
  "tt.func"() <{arg_attrs = [{tt.divisibility = 32 : i32}, {tt.divisibility = 32 : i32}], function_type = (!tt.ptr<f32>, !tt.ptr<f16>) -> (), sym_name = "kernel", sym_visibility = "public"}> ({
  ^bb0(%arg0: !tt.ptr<f32>, %arg1: !tt.ptr<f16>):
    %0 = "tt.get_program_id"() <{axis = 0 : i32}> : () -> i32
    %1 = "arith.constant"() <{value = 0 : i32}> : () -> i32
    %2 = "arith.constant"() <{value = 64 : i32}> : () -> i32
    %3 = "arith.muli"(%0, %2) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
    %4 = "arith.constant"() <{value = 256 : i32}> : () -> i32
    %5 = "arith.muli"(%1, %4) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
    %6 = "arith.constant"() <{value = 0 : i32}> : () -> i32
    %7 = "arith.constant"() <{value = 64 : i32}> : () -> i32
    %8 = "arith.muli"(%0, %7) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
    %9 = "arith.constant"() <{value = 256 : i32}> : () -> i32
    %10 = "arith.muli"(%6, %9) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
    %11 = "arith.constant"() <{value = 0 : i32}> : () -> i32
    %12 = "tt.splat"(%11) : (i32) -> tensor<64x256xi32>
    %13 = "tt.make_range"() <{end = 64 : i32, start = 0 : i32}> : () -> tensor<64xi32>
    %14 = "tt.expand_dims"(%13) <{axis = 1 : i32}> : (tensor<64xi32>) -> tensor<64x1xi32>
    %15 = "tt.broadcast"(%14) : (tensor<64x1xi32>) -> tensor<64x256xi32>
    %16 = "tt.splat"(%3) : (i32) -> tensor<64x256xi32>
    %17 = "arith.addi"(%15, %16) <{overflowFlags = #arith.overflow<none>}> : (tensor<64x256xi32>, tensor<64x256xi32>) -> tensor<64x256xi32>
    %18 = "arith.constant"() <{value = 256 : i32}> : () -> i32
    %19 = "tt.splat"(%18) : (i32) -> tensor<64x256xi32>
    %20 = "arith.muli"(%17, %19) <{overflowFlags = #arith.overflow<none>}> : (tensor<64x256xi32>, tensor<64x256xi32>) -> tensor<64x256xi32>
    %21 = "arith.addi"(%12, %20) <{overflowFlags = #arith.overflow<none>}> : (tensor<64x256xi32>, tensor<64x256xi32>) -> tensor<64x256xi32>
    %22 = "tt.make_range"() <{end = 256 : i32, start = 0 : i32}> : () -> tensor<256xi32>
    %23 = "tt.expand_dims"(%22) <{axis = 0 : i32}> : (tensor<256xi32>) -> tensor<1x256xi32>
    %24 = "tt.broadcast"(%23) : (tensor<1x256xi32>) -> tensor<64x256xi32>
    %25 = "tt.splat"(%5) : (i32) -> tensor<64x256xi32>
    %26 = "arith.addi"(%24, %25) <{overflowFlags = #arith.overflow<none>}> : (tensor<64x256xi32>, tensor<64x256xi32>) -> tensor<64x256xi32>
    %27 = "arith.constant"() <{value = 1 : i32}> : () -> i32
    %28 = "tt.splat"(%27) : (i32) -> tensor<64x256xi32>
    %29 = "arith.muli"(%26, %28) <{overflowFlags = #arith.overflow<none>}> : (tensor<64x256xi32>, tensor<64x256xi32>) -> tensor<64x256xi32>
    %30 = "arith.addi"(%21, %29) <{overflowFlags = #arith.overflow<none>}> : (tensor<64x256xi32>, tensor<64x256xi32>) -> tensor<64x256xi32>
    %31 = "tt.splat"(%arg0) : (!tt.ptr<f32>) -> tensor<64x256x!tt.ptr<f32>>
    %32 = "tt.addptr"(%31, %30) : (tensor<64x256x!tt.ptr<f32>>, tensor<64x256xi32>) -> tensor<64x256x!tt.ptr<f32>>
    %33 = "tt.load"(%32) <{cache = 1 : i32, evict = 1 : i32, isVolatile = false, operandSegmentSizes = array<i32: 1, 0, 0>}> : (tensor<64x256x!tt.ptr<f32>>) -> tensor<64x256xf32>
    %34 = "arith.constant"() <{value = 0 : i32}> : () -> i32
    %35 = "tt.splat"(%34) : (i32) -> tensor<64x256xi32>
    %36 = "tt.make_range"() <{end = 64 : i32, start = 0 : i32}> : () -> tensor<64xi32>
    %37 = "tt.expand_dims"(%36) <{axis = 1 : i32}> : (tensor<64xi32>) -> tensor<64x1xi32>
    %38 = "tt.broadcast"(%37) : (tensor<64x1xi32>) -> tensor<64x256xi32>
    %39 = "tt.splat"(%3) : (i32) -> tensor<64x256xi32>
    %40 = "arith.addi"(%38, %39) <{overflowFlags = #arith.overflow<none>}> : (tensor<64x256xi32>, tensor<64x256xi32>) -> tensor<64x256xi32>
    %41 = "arith.constant"() <{value = 256 : i32}> : () -> i32
    %42 = "tt.splat"(%41) : (i32) -> tensor<64x256xi32>
    %43 = "arith.muli"(%40, %42) <{overflowFlags = #arith.overflow<none>}> : (tensor<64x256xi32>, tensor<64x256xi32>) -> tensor<64x256xi32>
    %44 = "arith.addi"(%35, %43) <{overflowFlags = #arith.overflow<none>}> : (tensor<64x256xi32>, tensor<64x256xi32>) -> tensor<64x256xi32>
    %45 = "tt.make_range"() <{end = 256 : i32, start = 0 : i32}> : () -> tensor<256xi32>
    %46 = "tt.expand_dims"(%45) <{axis = 0 : i32}> : (tensor<256xi32>) -> tensor<1x256xi32>
    %47 = "tt.broadcast"(%46) : (tensor<1x256xi32>) -> tensor<64x256xi32>
    %48 = "tt.splat"(%5) : (i32) -> tensor<64x256xi32>
    %49 = "arith.addi"(%47, %48) <{overflowFlags = #arith.overflow<none>}> : (tensor<64x256xi32>, tensor<64x256xi32>) -> tensor<64x256xi32>
    %50 = "arith.constant"() <{value = 1 : i32}> : () -> i32
    %51 = "tt.splat"(%50) : (i32) -> tensor<64x256xi32>
    %52 = "arith.muli"(%49, %51) <{overflowFlags = #arith.overflow<none>}> : (tensor<64x256xi32>, tensor<64x256xi32>) -> tensor<64x256xi32>
    %53 = "arith.addi"(%44, %52) <{overflowFlags = #arith.overflow<none>}> : (tensor<64x256xi32>, tensor<64x256xi32>) -> tensor<64x256xi32>
    %54 = "tt.splat"(%arg0) : (!tt.ptr<f32>) -> tensor<64x256x!tt.ptr<f32>>
    %55 = "tt.addptr"(%54, %53) : (tensor<64x256x!tt.ptr<f32>>, tensor<64x256xi32>) -> tensor<64x256x!tt.ptr<f32>>
    %56 = "tt.load"(%55) <{cache = 1 : i32, evict = 1 : i32, isVolatile = false, operandSegmentSizes = array<i32: 1, 0, 0>}> : (tensor<64x256x!tt.ptr<f32>>) -> tensor<64x256xf32>
    %57 = "tt.reduce"(%56) <{axis = 1 : i32}> ({
    ^bb0(%arg4: f32, %arg5: f32):
      %91 = "arith.maxnumf"(%arg4, %arg5) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "tt.reduce.return"(%91) : (f32) -> ()
    }) : (tensor<64x256xf32>) -> tensor<64xf32>
    %58 = "tt.expand_dims"(%57) <{axis = 1 : i32}> : (tensor<64xf32>) -> tensor<64x1xf32>
    %59 = "tt.broadcast"(%58) : (tensor<64x1xf32>) -> tensor<64x256xf32>
    %60 = "arith.subf"(%33, %59) <{fastmath = #arith.fastmath<none>}> : (tensor<64x256xf32>, tensor<64x256xf32>) -> tensor<64x256xf32>
    %61 = "tt.extern_elementwise"(%60) <{libname = "", libpath = "", pure = true, symbol = "__nv_expf"}> : (tensor<64x256xf32>) -> tensor<64x256xf32>
    %62 = "tt.reduce"(%61) <{axis = 1 : i32}> ({
    ^bb0(%arg2: f32, %arg3: f32):
      %90 = "arith.addf"(%arg2, %arg3) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "tt.reduce.return"(%90) : (f32) -> ()
    }) : (tensor<64x256xf32>) -> tensor<64xf32>
    %63 = "tt.expand_dims"(%62) <{axis = 1 : i32}> : (tensor<64xf32>) -> tensor<64x1xf32>
    %64 = "tt.broadcast"(%63) : (tensor<64x1xf32>) -> tensor<64x256xf32>
    %65 = "arith.divf"(%61, %64) <{fastmath = #arith.fastmath<none>}> : (tensor<64x256xf32>, tensor<64x256xf32>) -> tensor<64x256xf32>
    %66 = "arith.truncf"(%65) : (tensor<64x256xf32>) -> tensor<64x256xf16>
    %67 = "arith.constant"() <{value = 0 : i32}> : () -> i32
    %68 = "tt.splat"(%67) : (i32) -> tensor<64x256xi32>
    %69 = "tt.make_range"() <{end = 64 : i32, start = 0 : i32}> : () -> tensor<64xi32>
    %70 = "tt.expand_dims"(%69) <{axis = 1 : i32}> : (tensor<64xi32>) -> tensor<64x1xi32>
    %71 = "tt.broadcast"(%70) : (tensor<64x1xi32>) -> tensor<64x256xi32>
    %72 = "tt.splat"(%8) : (i32) -> tensor<64x256xi32>
    %73 = "arith.addi"(%71, %72) <{overflowFlags = #arith.overflow<none>}> : (tensor<64x256xi32>, tensor<64x256xi32>) -> tensor<64x256xi32>
    %74 = "arith.constant"() <{value = 256 : i32}> : () -> i32
    %75 = "tt.splat"(%74) : (i32) -> tensor<64x256xi32>
    %76 = "arith.muli"(%73, %75) <{overflowFlags = #arith.overflow<none>}> : (tensor<64x256xi32>, tensor<64x256xi32>) -> tensor<64x256xi32>
    %77 = "arith.addi"(%68, %76) <{overflowFlags = #arith.overflow<none>}> : (tensor<64x256xi32>, tensor<64x256xi32>) -> tensor<64x256xi32>
    %78 = "tt.make_range"() <{end = 256 : i32, start = 0 : i32}> : () -> tensor<256xi32>
    %79 = "tt.expand_dims"(%78) <{axis = 0 : i32}> : (tensor<256xi32>) -> tensor<1x256xi32>
    %80 = "tt.broadcast"(%79) : (tensor<1x256xi32>) -> tensor<64x256xi32>
    %81 = "tt.splat"(%10) : (i32) -> tensor<64x256xi32>
    %82 = "arith.addi"(%80, %81) <{overflowFlags = #arith.overflow<none>}> : (tensor<64x256xi32>, tensor<64x256xi32>) -> tensor<64x256xi32>
    %83 = "arith.constant"() <{value = 1 : i32}> : () -> i32
    %84 = "tt.splat"(%83) : (i32) -> tensor<64x256xi32>
    %85 = "arith.muli"(%82, %84) <{overflowFlags = #arith.overflow<none>}> : (tensor<64x256xi32>, tensor<64x256xi32>) -> tensor<64x256xi32>
    %86 = "arith.addi"(%77, %85) <{overflowFlags = #arith.overflow<none>}> : (tensor<64x256xi32>, tensor<64x256xi32>) -> tensor<64x256xi32>
    %87 = "tt.splat"(%arg1) : (!tt.ptr<f16>) -> tensor<64x256x!tt.ptr<f16>>
    %88 = "tt.addptr"(%87, %86) : (tensor<64x256x!tt.ptr<f16>>, tensor<64x256xi32>) -> tensor<64x256x!tt.ptr<f16>>
    %89 = "tt.load"(%88) <{cache = 1 : i32, evict = 1 : i32, isVolatile = false, operandSegmentSizes = array<i32: 1, 0, 0>}> : (tensor<64x256x!tt.ptr<f16>>) -> tensor<64x256xf16>
    "tt.store"(%88, %66) <{cache = 1 : i32, evict = 1 : i32}> : (tensor<64x256x!tt.ptr<f16>>, tensor<64x256xf16>) -> ()
    "tt.return"() : () -> ()
  }) : () -> ()
}) : () -> ()
