"builtin.module"() <{sym_name = "symbols"}> ({
  "func.func"() <{arg_attrs = [{a.b = 1 : i32}], function_type = (i32) -> i32, sym_name = "declared", sym_visibility = "private"}> ({
  }) : () -> ()
  "func.func"() <{function_type = (i32) -> i32, no_inline, sym_name = "defined"}> ({
  ^bb0(%arg0: i32):
    %0 = "func.call"(%arg0) <{callee = @declared}> : (i32) -> i32
    "func.return"(%0) : (i32) -> ()
  }) : () -> ()
}) : () -> ()

