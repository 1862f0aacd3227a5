"builtin.module"() ({
  "util.global"() <{initial_value = 7 : i32, is_mutable, sym_name = "counter", sym_visibility = "private", type = i32}> : () -> ()
  "util.func"() <{function_type = (i32) -> i32, inlining_policy = #util.inline.never, sym_name = "helper", sym_visibility = "private", tied_operands = [-1 : index]}> ({
  ^bb0(%arg2: i32):
    %4 = "util.global.load"() <{global = @counter}> : () -> i32
    %5 = "arith.addi"(%arg2, %4) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
    "util.global.store"(%5) <{global = @counter}> : (i32) -> ()
    "util.return"(%5) : (i32) -> ()
  }) : () -> ()
  "util.func"() <{function_type = (i32, i8) -> f32, sym_name = "entry", sym_visibility = "public", tied_operands = [-1 : index]}> ({
  ^bb0(%arg0: i32, %arg1: i8):
    %0 = "util.call"(%arg0) <{callee = @helper, tied_operands = [-1 : index]}> : (i32) -> i32
    %1 = "arith.extui"(%arg1) <{nonNeg}> : (i8) -> i32
    %2 = "arith.muli"(%0, %1) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
    %3 = "arith.uitofp"(%2) : (i32) -> f32
    "util.return"(%3) : (f32) -> ()
  }) : () -> ()
  "llvm.mlir.global"() <{addr_space = 0 : i32, global_type = i32, linkage = #llvm.linkage<internal>, sym_name = "local", tls_mode = 1 : i64, unnamed_addr = 0 : i64, value = 3 : i32, visibility_ = 0 : i64}> ({
  }) : () -> ()
}) : () -> ()

