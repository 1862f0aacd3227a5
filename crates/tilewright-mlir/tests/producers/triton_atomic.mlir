"builtin.module"() <{sym_name = "kernel"}> ({
  "tt.func"() <{arg_attrs = [{tt.divisibility = 32 : i32}, {tt.divisibility = 32 : i32}], function_type = (!tt.ptr<f32>, !tt.ptr<f32>) -> (), sym_name = "kernel", sym_visibility = "public"}> ({
  ^bb0(%arg0: !tt.ptr<f32>, %arg1: !tt.ptr<f32>):
    %0 = "tt.get_program_id"() <{axis = 0 : i32}> : () -> i32
    %1 = "arith.constant"() <{value = 0 : i32}> : () -> i32
    %2 = "arith.constant"() <{value = 65536 : i32}> : () -> i32
    %3 = "arith.muli"(%1, %2) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
    %4 = "arith.constant"() <{value = 0 : i32}> : () -> i32
    %5 = "arith.constant"() <{value = 64 : i32}> : () -> i32
    %6 = "arith.muli"(%4, %5) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
    %7 = "arith.constant"() <{value = 64 : i32}> : () -> i32
    %8 = "arith.muli"(%0, %7) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
    %9 = "tt.make_range"() <{end = 64 : i32, start = 0 : i32}> : () -> tensor<64xi32>
    %10 = "arith.constant"() <{value = 50 : i32}> : () -> i32
    %11 = "tt.splat"(%10) : (i32) -> tensor<64xi32>
    %12 = "arith.cmpi"(%9, %11) <{predicate = 2 : i64}> : (tensor<64xi32>, tensor<64xi32>) -> tensor<64xi1>
    %13 = "arith.constant"() <{value = 0 : i32}> : () -> i32
    %14 = "tt.splat"(%13) : (i32) -> tensor<64xi32>
    %15 = "tt.make_range"() <{end = 64 : i32, start = 0 : i32}> : () -> tensor<64xi32>
    %16 = "tt.splat"(%8) : (i32) -> tensor<64xi32>
    %17 = "arith.addi"(%16, %15) <{overflowFlags = #arith.overflow<none>}> : (tensor<64xi32>, tensor<64xi32>) -> tensor<64xi32>
    %18 = "tt.splat"(%3) : (i32) -> tensor<64xi32>
    %19 = "arith.addi"(%17, %18) <{overflowFlags = #arith.overflow<none>}> : (tensor<64xi32>, tensor<64xi32>) -> tensor<64xi32>
    %20 = "arith.constant"() <{value = 1 : i32}> : () -> i32
    %21 = "tt.splat"(%20) : (i32) -> tensor<64xi32>
    %22 = "arith.muli"(%19, %21) <{overflowFlags = #arith.overflow<none>}> : (tensor<64xi32>, tensor<64xi32>) -> tensor<64xi32>
    %23 = "arith.addi"(%14, %22) <{overflowFlags = #arith.overflow<none>}> : (tensor<64xi32>, tensor<64xi32>) -> tensor<64xi32>
    %24 = "tt.splat"(%arg0) : (!tt.ptr<f32>) -> tensor<64x!tt.ptr<f32>>
    %25 = "tt.addptr"(%24, %23) : (tensor<64x!tt.ptr<f32>>, tensor<64xi32>) -> tensor<64x!tt.ptr<f32>>
    %26 = "arith.constant"() <{value = 0.000000e+00 : f32}> : () -> f32
    %27 = "tt.splat"(%26) : (f32) -> tensor<64xf32>
    %28 = "tt.load"(%25, %12, %27) <{cache = 1 : i32, evict = 1 : i32, isVolatile = false, operandSegmentSizes = array<i32: 1, 1, 1>}> : (tensor<64x!tt.ptr<f32>>, tensor<64xi1>, tensor<64xf32>) -> tensor<64xf32>
    %29 = "arith.constant"() <{value = 0 : i32}> : () -> i32
    %30 = "tt.splat"(%29) : (i32) -> tensor<64xi32>
    %31 = "tt.make_range"() <{end = 64 : i32, start = 0 : i32}> : () -> tensor<64xi32>
    %32 = "tt.splat"(%6) : (i32) -> tensor<64xi32>
    %33 = "arith.addi"(%31, %32) <{overflowFlags = #arith.overflow<none>}> : (tensor<64xi32>, tensor<64xi32>) -> tensor<64xi32>
    %34 = "arith.constant"() <{value = 1 : i32}> : () -> i32
    %35 = "tt.splat"(%34) : (i32) -> tensor<64xi32>
    %36 = "arith.muli"(%33, %35) <{overflowFlags = #arith.overflow<none>}> : (tensor<64xi32>, tensor<64xi32>) -> tensor<64xi32>
    %37 = "arith.addi"(%30, %36) <{overflowFlags = #arith.overflow<none>}> : (tensor<64xi32>, tensor<64xi32>) -> tensor<64xi32>
    %38 = "tt.splat"(%arg1) : (!tt.ptr<f32>) -> tensor<64x!tt.ptr<f32>>
    %39 = "tt.addptr"(%38, %37) : (tensor<64x!tt.ptr<f32>>, tensor<64xi32>) -> tensor<64x!tt.ptr<f32>>
    %40 = "tt.atomic_rmw"(%39, %28) <{atomic_rmw_op = 5 : i32, scope = 1 : i32, sem = 4 : i32}> : (tensor<64x!tt.ptr<f32>>, tensor<64xf32>) -> tensor<64xf32>
    "tt.return"() : () -> ()
  }) : () -> ()
}) : () -> ()
