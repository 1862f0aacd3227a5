"builtin.module"() ({
  "func.func"() <{function_type = (i64, f64, !quake.ref) -> (), sym_name = "angles"}> ({
  ^bb0(%arg0: i64, %arg1: f64, %arg2: !quake.ref):
    %0 = "arith.constant"() <{value = 0 : i64}> : () -> i64
    %1 = "arith.constant"() <{value = 1 : i64}> : () -> i64
    %2 = "quake.alloca"(%arg0) : (i64) -> !quake.veq<?>
    %3 = "quake.extract_ref"(%2) <{rawIndex = 0 : i64}> : (!quake.veq<?>) -> !quake.ref
    "quake.h"(%3) <{operandSegmentSizes = array<i32: 0, 0, 1>}> : (!quake.ref) -> ()
    "quake.x"(%arg2, %3) <{operandSegmentSizes = array<i32: 0, 1, 1>}> : (!quake.ref, !quake.ref) -> ()
    "quake.rz"(%arg1, %3) <{is_adj, operandSegmentSizes = array<i32: 1, 0, 1>}> : (f64, !quake.ref) -> ()
    %4 = "cc.loop"(%0) <{post_condition = false}> ({
    ^bb0(%arg5: i64):
      %11 = "arith.cmpi"(%arg5, %arg0) <{predicate = 2 : i64}> : (i64, i64) -> i1
      "cc.condition"(%11, %arg5) : (i1, i64) -> ()
    }, {
    ^bb0(%arg4: i64):
      %10 = "quake.extract_ref"(%2, %arg4) <{rawIndex = -1 : i64}> : (!quake.veq<?>, i64) -> !quake.ref
      "quake.apply"(%arg0, %arg1, %10) <{callee = @angles, operandSegmentSizes = array<i32: 0, 0, 3>}> : (i64, f64, !quake.ref) -> ()
      "cc.continue"(%arg4) : (i64) -> ()
    }, {
    ^bb0(%arg3: i64):
      %9 = "arith.addi"(%arg3, %1) <{overflowFlags = #arith.overflow<none>}> : (i64, i64) -> i64
      "cc.continue"(%9) : (i64) -> ()
    }, {
    }) : (i64) -> i64
    %5 = "cc.cast"(%4) <{zint}> : (i64) -> f64
    %6 = "quake.mz"(%3) <{registerName = "m"}> : (!quake.ref) -> !quake.measure
    %7 = "quake.discriminate"(%6) : (!quake.measure) -> i1
    "cc.if"(%7) ({
      %8 = "cc.alloca"() <{elementType = i64}> : () -> !cc.ptr<i64>
      "cc.store"(%arg0, %8) : (i64, !cc.ptr<i64>) -> ()
      "cc.continue"() : () -> ()
    }, {
    }) : (i1) -> ()
    "func.return"() : () -> ()
  }) : () -> ()
}) : () -> ()
