#loc3 = loc("sources/iree.mlir":2:27)
#loc9 = loc("sources/iree.mlir":8:25)
#loc10 = loc("sources/iree.mlir":8:34)
"builtin.module"() ({
  "util.global"() <{initial_value = 7 : i32, is_mutable, sym_name = "counter", sym_visibility = "private", type = i32}> : () -> () loc(#loc1)
  "util.func"() <{function_type = (i32) -> i32, inlining_policy = #util.inline.never, sym_name = "helper", sym_visibility = "private", tied_operands = [-1 : index]}> ({
  ^bb0(%arg2: i32 loc("sources/iree.mlir":2:27)):
    %4 = "util.global.load"() <{global = @counter}> : () -> i32 loc(#loc4)
    %5 = "arith.addi"(%arg2, %4) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32 loc(#loc5)
    "util.global.store"(%5) <{global = @counter}> : (i32) -> () loc(#loc6)
    "util.return"(%5) : (i32) -> () loc(#loc7)
  }) : () -> () loc(#loc2)
  "util.func"() <{function_type = (i32, i8) -> f32, sym_name = "entry", sym_visibility = "public", tied_operands = [-1 : index]}> ({
  ^bb0(%arg0: i32 loc("sources/iree.mlir":8:25), %arg1: i8 loc("sources/iree.mlir":8:34)):
    %0 = "util.call"(%arg0) <{callee = @helper, tied_operands = [-1 : index]}> : (i32) -> i32 loc(#loc11)
    %1 = "arith.extui"(%arg1) <{nonNeg}> : (i8) -> i32 loc(#loc12)
    %2 = "arith.muli"(%0, %1) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32 loc(#loc13)
    %3 = "arith.uitofp"(%2) : (i32) -> f32 loc(#loc14)
    "util.return"(%3) : (f32) -> () loc(#loc15)
  }) : () -> () loc(#loc8)
  "llvm.mlir.global"() <{addr_space = 0 : i32, global_type = i32, linkage = #llvm.linkage<internal>, sym_name = "local", tls_mode = 1 : i64, unnamed_addr = 0 : i64, value = 3 : i32, visibility_ = 0 : i64}> ({
  }) : () -> () loc(#loc16)
}) : () -> () loc(#loc)
#loc = loc("sources/iree.mlir":0:0)
#loc1 = loc("sources/iree.mlir":1:1)
#loc2 = loc("sources/iree.mlir":2:1)
#loc4 = loc("sources/iree.mlir":3:8)
#loc5 = loc("sources/iree.mlir":4:8)
#loc6 = loc("sources/iree.mlir":5:3)
#loc7 = loc("sources/iree.mlir":6:3)
#loc8 = loc("sources/iree.mlir":8:1)
#loc11 = loc("sources/iree.mlir":9:8)
#loc12 = loc("sources/iree.mlir":10:11)
#loc13 = loc("sources/iree.mlir":11:8)
#loc14 = loc("sources/iree.mlir":12:8)
#loc15 = loc("sources/iree.mlir":13:3)
#loc16 = loc("sources/iree.mlir":15:1)

