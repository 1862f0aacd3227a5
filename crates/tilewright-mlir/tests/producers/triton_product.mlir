"builtin.module"() <{sym_name = "kernel"}> ({
  "tt.func"() <{arg_attrs = [{tt.divisibility = 32 : i32}, {tt.divisibility = 32 : i32}, {tt.divisibility = 32 : i32}], function_type = (!tt.ptr<f32>, !tt.ptr<f32>, !tt.ptr<f32>) -> (), sym_name = "kernel", sym_visibility = "public"}> ({
  ^bb0(%arg0: !tt.ptr<f32>, %arg1: !tt.ptr<f32>, %arg2: !tt.ptr<f32>):
    %0 = "tt.get_program_id"() <{axis = 0 : i32}> : () -> i32
    %1 = "tt.get_program_id"() <{axis = 1 : i32}> : () -> i32
    %2 = "arith.constant"() <{value = 0 : i32}> : () -> i32
    %3 = "arith.constant"() <{value = 64 : i32}> : () -> i32
    %4 = "arith.muli"(%0, %3) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
    %5 = "arith.constant"() <{value = 256 : i32}> : () -> i32
    %6 = "arith.muli"(%2, %5) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
    %7 = "arith.constant"() <{value = 0 : i32}> : () -> i32
    %8 = "arith.constant"() <{value = 256 : i32}> : () -> i32
    %9 = "arith.muli"(%7, %8) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
    %10 = "arith.constant"() <{value = 64 : i32}> : () -> i32
    %11 = "arith.muli"(%1, %10) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
    %12 = "arith.constant"() <{value = 64 : i32}> : () -> i32
    %13 = "arith.muli"(%0, %12) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
    %14 = "arith.constant"() <{value = 64 : i32}> : () -> i32
    %15 = "arith.muli"(%1, %14) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
    %16 = "arith.constant"() <{value = 0.000000e+00 : f32}> : () -> f32
    %17 = "tt.splat"(%16) : (f32) -> tensor<64x64xf32>
    %18 = "arith.constant"() <{value = 0 : i32}> : () -> i32
    %19 = "arith.constant"() <{value = 8 : i32}> : () -> i32
    %20 = "arith.addi"(%18, %19) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
    %21 = "arith.constant"() <{value = 1 : i32}> : () -> i32
    %22 = "scf.for"(%18, %20, %21, %17) ({
    ^bb0(%arg3: i32, %arg4: tensor<64x64xf32>):
      %46 = "arith.constant"() <{value = 32 : i32}> : () -> i32
      %47 = "arith.muli"(%arg3, %46) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
      %48 = "arith.constant"() <{value = 0 : i32}> : () -> i32
      %49 = "tt.splat"(%48) : (i32) -> tensor<64x32xi32>
      %50 = "tt.make_range"() <{end = 64 : i32, start = 0 : i32}> : () -> tensor<64xi32>
      %51 = "tt.expand_dims"(%50) <{axis = 1 : i32}> : (tensor<64xi32>) -> tensor<64x1xi32>
      %52 = "tt.broadcast"(%51) : (tensor<64x1xi32>) -> tensor<64x32xi32>
      %53 = "tt.splat"(%4) : (i32) -> tensor<64x32xi32>
      %54 = "arith.addi"(%52, %53) <{overflowFlags = #arith.overflow<none>}> : (tensor<64x32xi32>, tensor<64x32xi32>) -> tensor<64x32xi32>
      %55 = "arith.constant"() <{value = 256 : i32}> : () -> i32
      %56 = "tt.splat"(%55) : (i32) -> tensor<64x32xi32>
      %57 = "arith.muli"(%54, %56) <{overflowFlags = #arith.overflow<none>}> : (tensor<64x32xi32>, tensor<64x32xi32>) -> tensor<64x32xi32>
      %58 = "arith.addi"(%49, %57) <{overflowFlags = #arith.overflow<none>}> : (tensor<64x32xi32>, tensor<64x32xi32>) -> tensor<64x32xi32>
      %59 = "tt.make_range"() <{end = 32 : i32, start = 0 : i32}> : () -> tensor<32xi32>
      %60 = "tt.splat"(%47) : (i32) -> tensor<32xi32>
      %61 = "arith.addi"(%60, %59) <{overflowFlags = #arith.overflow<none>}> : (tensor<32xi32>, tensor<32xi32>) -> tensor<32xi32>
      %62 = "tt.expand_dims"(%61) <{axis = 0 : i32}> : (tensor<32xi32>) -> tensor<1x32xi32>
      %63 = "tt.broadcast"(%62) : (tensor<1x32xi32>) -> tensor<64x32xi32>
      %64 = "tt.splat"(%6) : (i32) -> tensor<64x32xi32>
      %65 = "arith.addi"(%63, %64) <{overflowFlags = #arith.overflow<none>}> : (tensor<64x32xi32>, tensor<64x32xi32>) -> tensor<64x32xi32>
      %66 = "arith.constant"() <{value = 1 : i32}> : () -> i32
      %67 = "tt.splat"(%66) : (i32) -> tensor<64x32xi32>
      %68 = "arith.muli"(%65, %67) <{overflowFlags = #arith.overflow<none>}> : (tensor<64x32xi32>, tensor<64x32xi32>) -> tensor<64x32xi32>
      %69 = "arith.addi"(%58, %68) <{overflowFlags = #arith.overflow<none>}> : (tensor<64x32xi32>, tensor<64x32xi32>) -> tensor<64x32xi32>
      %70 = "tt.splat"(%arg0) : (!tt.ptr<f32>) -> tensor<64x32x!tt.ptr<f32>>
      %71 = "tt.addptr"(%70, %69) : (tensor<64x32x!tt.ptr<f32>>, tensor<64x32xi32>) -> tensor<64x32x!tt.ptr<f32>>
      %72 = "tt.load"(%71) <{cache = 1 : i32, evict = 1 : i32, isVolatile = false, operandSegmentSizes = array<i32: 1, 0, 0>}> : (tensor<64x32x!tt.ptr<f32>>) -> tensor<64x32xf32>
      %73 = "arith.constant"() <{value = 32 : i32}> : () -> i32
      %74 = "arith.muli"(%arg3, %73) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
      %75 = "arith.constant"() <{value = 0 : i32}> : () -> i32
      %76 = "tt.splat"(%75) : (i32) -> tensor<32x64xi32>
      %77 = "tt.make_range"() <{end = 32 : i32, start = 0 : i32}> : () -> tensor<32xi32>
      %78 = "tt.splat"(%74) : (i32) -> tensor<32xi32>
      %79 = "arith.addi"(%78, %77) <{overflowFlags = #arith.overflow<none>}> : (tensor<32xi32>, tensor<32xi32>) -> tensor<32xi32>
      %80 = "tt.expand_dims"(%79) <{axis = 1 : i32}> : (tensor<32xi32>) -> tensor<32x1xi32>
      %81 = "tt.broadcast"(%80) : (tensor<32x1xi32>) -> tensor<32x64xi32>
      %82 = "tt.splat"(%9) : (i32) -> tensor<32x64xi32>
      %83 = "arith.addi"(%81, %82) <{overflowFlags = #arith.overflow<none>}> : (tensor<32x64xi32>, tensor<32x64xi32>) -> tensor<32x64xi32>
      %84 = "arith.constant"() <{value = 256 : i32}> : () -> i32
      %85 = "tt.splat"(%84) : (i32) -> tensor<32x64xi32>
      %86 = "arith.muli"(%83, %85) <{overflowFlags = #arith.overflow<none>}> : (tensor<32x64xi32>, tensor<32x64xi32>) -> tensor<32x64xi32>
      %87 = "arith.addi"(%76, %86) <{overflowFlags = #arith.overflow<none>}> : (tensor<32x64xi32>, tensor<32x64xi32>) -> tensor<32x64xi32>
      %88 = "tt.make_range"() <{end = 64 : i32, start = 0 : i32}> : () -> tensor<64xi32>
      %89 = "tt.expand_dims"(%88) <{axis = 0 : i32}> : (tensor<64xi32>) -> tensor<1x64xi32>
      %90 = "tt.broadcast"(%89) : (tensor<1x64xi32>) -> tensor<32x64xi32>
      %91 = "tt.splat"(%11) : (i32) -> tensor<32x64xi32>
      %92 = "arith.addi"(%90, %91) <{overflowFlags = #arith.overflow<none>}> : (tensor<32x64xi32>, tensor<32x64xi32>) -> tensor<32x64xi32>
      %93 = "arith.constant"() <{value = 1 : i32}> : () -> i32
      %94 = "tt.splat"(%93) : (i32) -> tensor<32x64xi32>
      %95 = "arith.muli"(%92, %94) <{overflowFlags = #arith.overflow<none>}> : (tensor<32x64xi32>, tensor<32x64xi32>) -> tensor<32x64xi32>
      %96 = "arith.addi"(%87, %95) <{overflowFlags = #arith.overflow<none>}> : (tensor<32x64xi32>, tensor<32x64xi32>) -> tensor<32x64xi32>
      %97 = "tt.splat"(%arg1) : (!tt.ptr<f32>) -> tensor<32x64x!tt.ptr<f32>>
      %98 = "tt.addptr"(%97, %96) : (tensor<32x64x!tt.ptr<f32>>, tensor<32x64xi32>) -> tensor<32x64x!tt.ptr<f32>>
      %99 = "tt.load"(%98) <{cache = 1 : i32, evict = 1 : i32, isVolatile = false, operandSegmentSizes = array<i32: 1, 0, 0>}> : (tensor<32x64x!tt.ptr<f32>>) -> tensor<32x64xf32>
      %100 = "arith.constant"() <{value = 0.000000e+00 : f32}> : () -> f32
      %101 = "tt.splat"(%100) : (f32) -> tensor<64x64xf32>
      %102 = "tt.dot"(%72, %99, %101) <{inputPrecision = 0 : i32, maxNumImpreciseAcc = 0 : i32}> : (tensor<64x32xf32>, tensor<32x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
      %103 = "arith.addf"(%arg4, %102) <{fastmath = #arith.fastmath<none>}> : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
      "scf.yield"(%103) : (tensor<64x64xf32>) -> ()
    }) : (i32, i32, i32, tensor<64x64xf32>) -> tensor<64x64xf32>
    %23 = "arith.constant"() <{value = 0 : i32}> : () -> i32
    %24 = "tt.splat"(%23) : (i32) -> tensor<64x64xi32>
    %25 = "tt.make_range"() <{end = 64 : i32, start = 0 : i32}> : () -> tensor<64xi32>
    %26 = "tt.expand_dims"(%25) <{axis = 1 : i32}> : (tensor<64xi32>) -> tensor<64x1xi32>
    %27 = "tt.broadcast"(%26) : (tensor<64x1xi32>) -> tensor<64x64xi32>
    %28 = "tt.splat"(%13) : (i32) -> tensor<64x64xi32>
    %29 = "arith.addi"(%27, %28) <{overflowFlags = #arith.overflow<none>}> : (tensor<64x64xi32>, tensor<64x64xi32>) -> tensor<64x64xi32>
    %30 = "arith.constant"() <{value = 256 : i32}> : () -> i32
    %31 = "tt.splat"(%30) : (i32) -> tensor<64x64xi32>
    %32 = "arith.muli"(%29, %31) <{overflowFlags = #arith.overflow<none>}> : (tensor<64x64xi32>, tensor<64x64xi32>) -> tensor<64x64xi32>
    %33 = "arith.addi"(%24, %32) <{overflowFlags = #arith.overflow<none>}> : (tensor<64x64xi32>, tensor<64x64xi32>) -> tensor<64x64xi32>
    %34 = "tt.make_range"() <{end = 64 : i32, start = 0 : i32}> : () -> tensor<64xi32>
    %35 = "tt.expand_dims"(%34) <{axis = 0 : i32}> : (tensor<64xi32>) -> tensor<1x64xi32>
    %36 = "tt.broadcast"(%35) : (tensor<1x64xi32>) -> tensor<64x64xi32>
    %37 = "tt.splat"(%15) : (i32) -> tensor<64x64xi32>
    %38 = "arith.addi"(%36, %37) <{overflowFlags = #arith.overflow<none>}> : (tensor<64x64xi32>, tensor<64x64xi32>) -> tensor<64x64xi32>
    %39 = "arith.constant"() <{value = 1 : i32}> : () -> i32
    %40 = "tt.splat"(%39) : (i32) -> tensor<64x64xi32>
    %41 = "arith.muli"(%38, %40) <{overflowFlags = #arith.overflow<none>}> : (tensor<64x64xi32>, tensor<64x64xi32>) -> tensor<64x64xi32>
    %42 = "arith.addi"(%33, %41) <{overflowFlags = #arith.overflow<none>}> : (tensor<64x64xi32>, tensor<64x64xi32>) -> tensor<64x64xi32>
    %43 = "tt.splat"(%arg2) : (!tt.ptr<f32>) -> tensor<64x64x!tt.ptr<f32>>
    %44 = "tt.addptr"(%43, %42) : (tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>) -> tensor<64x64x!tt.ptr<f32>>
    %45 = "tt.load"(%44) <{cache = 1 : i32, evict = 1 : i32, isVolatile = false, operandSegmentSizes = array<i32: 1, 0, 0>}> : (tensor<64x64x!tt.ptr<f32>>) -> tensor<64x64xf32>
    "tt.store"(%44, %22) <{cache = 1 : i32, evict = 1 : i32}> : (tensor<64x64x!tt.ptr<f32>>, tensor<64x64xf32>) -> ()
    "tt.return"() : () -> ()
  }) : () -> ()
}) : () -> ()
