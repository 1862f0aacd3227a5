"builtin.module"() <{sym_name = "outer"}> ({
  "builtin.module"() <{sym_name = "inner"}> ({
    "func.func"() <{function_type = (i32) -> (i32, f32), sym_name = "declared", sym_visibility = "private"}> ({
    }) : () -> ()
  }) : () -> ()
  "func.func"() <{function_type = (i1, i32) -> i32, sym_name = "branches"}> ({
  ^bb0(%arg10: i1, %arg11: i32):
    "cf.cond_br"(%arg10, %arg11)[^bb1, ^bb2] <{operandSegmentSizes = array<i32: 1, 1, 0>}> : (i1, i32) -> ()
  ^bb1(%9: i32):  // 2 preds: ^bb0, ^bb2
    %10 = "arith.addi"(%9, %arg11) <{overflowFlags = #arith.overflow<nsw, nuw>}> : (i32, i32) -> i32
    "cf.br"(%10)[^bb4] : (i32) -> ()
  ^bb2:  // pred: ^bb0
    "cf.switch"(%arg11, %arg11, %arg11)[^bb4, ^bb1, ^bb3] <{case_operand_segments = array<i32: 1, 0>, case_values = dense<[1, 2]> : vector<2xi32>, operandSegmentSizes = array<i32: 1, 1, 1>}> : (i32, i32, i32) -> ()
  ^bb3:  // pred: ^bb2
    "cf.cond_br"(%arg10, %arg11, %arg11)[^bb4, ^bb4] <{operandSegmentSizes = array<i32: 1, 1, 1>}> : (i1, i32, i32) -> ()
  ^bb4(%11: i32):  // 4 preds: ^bb1, ^bb2, ^bb3, ^bb3
    "func.return"(%11) : (i32) -> ()
  ^bb5:  // no predecessors
    "func.return"(%arg11) : (i32) -> ()
  }) {llvm.emit_c_interface} : () -> ()
  "func.func"() <{function_type = (index, index, index, f32) -> (f32, f32), sym_name = "structured"}> ({
  ^bb0(%arg3: index, %arg4: index, %arg5: index, %arg6: f32):
    %5:2 = "scf.for"(%arg3, %arg4, %arg5, %arg6, %arg6) ({
    ^bb0(%arg7: index, %arg8: f32, %arg9: f32):
      %6 = "arith.cmpi"(%arg7, %arg4) <{predicate = 2 : i64}> : (index, index) -> i1
      %7 = "scf.if"(%6) ({
        %8 = "arith.addf"(%arg8, %arg9) <{fastmath = #arith.fastmath<fast>}> : (f32, f32) -> f32
        "scf.yield"(%8) : (f32) -> ()
      }, {
        "scf.yield"(%arg9) : (f32) -> ()
      }) : (i1) -> f32
      "scf.yield"(%7, %arg8) : (f32, f32) -> ()
    }) : (index, index, index, f32, f32) -> (f32, f32)
    "func.return"(%5#1, %5#0) : (f32, f32) -> ()
  }) : () -> ()
  "t.graph"() ({
    %3 = "t.use"(%4#1, %4#0) : (i32, i32) -> i32
    %4:2 = "t.def"(%3) : (i32) -> (i32, i32)
    "t.regions"() ({
    }, {
    ^bb0:
    }, {
      "t.nested"(%3) ({
      ^bb0(%arg1: i32, %arg2: f32):
        "t.again"(%arg1, %4#1) : (i32, i32) -> ()
      }) : (i32) -> ()
    }) : () -> ()
  }) : () -> ()
  "func.func"() <{function_type = (i32) -> i32, sym_name = "orders"}> ({
  ^bb0(%arg0: i32):
    %0 = "t.a"(%arg0, %arg0) : (i32, i32) -> i32
    %1 = "t.b"(%0, %0, %arg0) {f = () -> (() -> ())} : (i32, i32, i32) -> i32
    %2 = "t.f"() : () -> (() -> i32)
    "func.return"(%1) : (i32) -> ()
  }) : () -> ()
}) {a.b = 1 : i32} : () -> ()

