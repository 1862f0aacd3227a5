#loc3 = loc("symbols.mlir":3:22)
"builtin.module"() <{sym_name = "symbols"}> ({
  "func.func"() <{arg_attrs = [{a.b = 1 : i32}], function_type = (i32) -> i32, sym_name = "declared", sym_visibility = "private"}> ({
  }) : () -> () loc(#loc1)
  "func.func"() <{function_type = (i32) -> i32, no_inline, sym_name = "defined"}> ({
  ^bb0(%arg0: i32 loc("symbols.mlir":3:22)):
    %0 = "func.call"(%arg0) <{callee = @declared}> : (i32) -> i32 loc(#loc4)
    "func.return"(%0) : (i32) -> () loc(#loc5)
  }) : () -> () loc(#loc2)
}) : () -> () loc(#loc)
#loc = loc("symbols.mlir":1:1)
#loc1 = loc("symbols.mlir":2:3)
#loc2 = loc("symbols.mlir":3:3)
#loc4 = loc("symbols.mlir":4:10)
#loc5 = loc("symbols.mlir":5:5)

