#loc4 = loc("regions.mlir":6:23)
#loc5 = loc("regions.mlir":6:31)
#loc7 = loc("regions.mlir":8:6)
#loc12 = loc("regions.mlir":15:6)
#loc16 = loc("regions.mlir":20:25)
#loc17 = loc("regions.mlir":20:37)
#loc18 = loc("regions.mlir":20:49)
#loc19 = loc("regions.mlir":20:63)
#loc21 = loc("regions.mlir":21:20)
#loc22 = loc("regions.mlir":21:57)
#loc23 = loc("regions.mlir":21:69)
#loc36 = loc("regions.mlir":40:12)
#loc37 = loc("regions.mlir":40:23)
#loc40 = loc("regions.mlir":45:21)
"builtin.module"() <{sym_name = "outer"}> ({
  "builtin.module"() <{sym_name = "inner"}> ({
    "func.func"() <{function_type = (i32) -> (i32, f32), sym_name = "declared", sym_visibility = "private"}> ({
    }) : () -> () loc(#loc2)
  }) : () -> () loc(#loc1)
  "func.func"() <{function_type = (i1, i32) -> i32, sym_name = "branches"}> ({
  ^bb0(%arg10: i1 loc("regions.mlir":6:23), %arg11: i32 loc("regions.mlir":6:31)):
    "cf.cond_br"(%arg10, %arg11)[^bb1, ^bb2] <{operandSegmentSizes = array<i32: 1, 1, 0>}> : (i1, i32) -> () loc(#loc6)
  ^bb1(%9: i32 loc("regions.mlir":8:6)):  // 2 preds: ^bb0, ^bb2
    %10 = "arith.addi"(%9, %arg11) <{overflowFlags = #arith.overflow<nsw, nuw>}> : (i32, i32) -> i32 loc(#loc8)
    "cf.br"(%10)[^bb4] : (i32) -> () loc(#loc9)
  ^bb2:  // pred: ^bb0
    "cf.switch"(%arg11, %arg11, %arg11)[^bb4, ^bb1, ^bb3] <{case_operand_segments = array<i32: 1, 0>, case_values = dense<[1, 2]> : vector<2xi32>, operandSegmentSizes = array<i32: 1, 1, 1>}> : (i32, i32, i32) -> () loc(#loc10)
  ^bb3:  // pred: ^bb2
    "cf.cond_br"(%arg10, %arg11, %arg11)[^bb4, ^bb4] <{operandSegmentSizes = array<i32: 1, 1, 1>}> : (i1, i32, i32) -> () loc(#loc11)
  ^bb4(%11: i32 loc("regions.mlir":15:6)):  // 4 preds: ^bb1, ^bb2, ^bb3, ^bb3
    "func.return"(%11) : (i32) -> () loc(#loc13)
  ^bb5:  // no predecessors
    "func.return"(%arg11) : (i32) -> () loc(#loc14)
  }) {llvm.emit_c_interface} : () -> () loc(#loc3)
  "func.func"() <{function_type = (index, index, index, f32) -> (f32, f32), sym_name = "structured"}> ({
  ^bb0(%arg3: index loc("regions.mlir":20:25), %arg4: index loc("regions.mlir":20:37), %arg5: index loc("regions.mlir":20:49), %arg6: f32 loc("regions.mlir":20:63)):
    %5:2 = "scf.for"(%arg3, %arg4, %arg5, %arg6, %arg6) ({
    ^bb0(%arg7: index loc("regions.mlir":21:20), %arg8: f32 loc("regions.mlir":21:57), %arg9: f32 loc("regions.mlir":21:69)):
      %6 = "arith.cmpi"(%arg7, %arg4) <{predicate = 2 : i64}> : (index, index) -> i1 loc(#loc24)
      %7 = "scf.if"(%6) ({
        %8 = "arith.addf"(%arg8, %arg9) <{fastmath = #arith.fastmath<fast>}> : (f32, f32) -> f32 loc(#loc26)
        "scf.yield"(%8) : (f32) -> () loc(#loc27)
      }, {
        "scf.yield"(%arg9) : (f32) -> () loc(#loc28)
      }) : (i1) -> f32 loc(#loc25)
      "scf.yield"(%7, %arg8) : (f32, f32) -> () loc(#loc29)
    }) : (index, index, index, f32, f32) -> (f32, f32) loc(#loc20)
    "func.return"(%5#1, %5#0) : (f32, f32) -> () loc(#loc30)
  }) : () -> () loc(#loc15)
  "t.graph"() ({
    %3 = "t.use"(%4#1, %4#0) : (i32, i32) -> i32 loc(#loc32)
    %4:2 = "t.def"(%3) : (i32) -> (i32, i32) loc(#loc33)
    "t.regions"() ({
    }, {
    ^bb0:
    }, {
      "t.nested"(%3) ({
      ^bb0(%arg1: i32 loc("regions.mlir":40:12), %arg2: f32 loc("regions.mlir":40:23)):
        "t.again"(%arg1, %4#1) : (i32, i32) -> () loc(#loc38)
      }) : (i32) -> () loc(#loc35)
    }) : () -> () loc(#loc34)
  }) : () -> () loc(#loc31)
  "func.func"() <{function_type = (i32) -> i32, sym_name = "orders"}> ({
  ^bb0(%arg0: i32 loc("regions.mlir":45:21)):
    %0 = "t.a"(%arg0, %arg0) : (i32, i32) -> i32 loc(#loc41)
    %1 = "t.b"(%0, %0, %arg0) {f = () -> (() -> ())} : (i32, i32, i32) -> i32 loc(#loc42)
    %2 = "t.f"() : () -> (() -> i32) loc(#loc43)
    "func.return"(%1) : (i32) -> () loc(#loc44)
  }) : () -> () loc(#loc39)
}) {a.b = 1 : i32} : () -> () loc(#loc)
#loc = loc("regions.mlir":2:1)
#loc1 = loc("regions.mlir":3:3)
#loc2 = loc("regions.mlir":4:5)
#loc3 = loc("regions.mlir":6:3)
#loc6 = loc("regions.mlir":7:5)
#loc8 = loc("regions.mlir":9:10)
#loc9 = loc("regions.mlir":10:5)
#loc10 = loc("regions.mlir":12:5)
#loc11 = loc("regions.mlir":14:5)
#loc13 = loc("regions.mlir":16:5)
#loc14 = loc("regions.mlir":18:5)
#loc15 = loc("regions.mlir":20:3)
#loc20 = loc("regions.mlir":21:12)
#loc24 = loc("regions.mlir":22:12)
#loc25 = loc("regions.mlir":23:12)
#loc26 = loc("regions.mlir":24:16)
#loc27 = loc("regions.mlir":25:9)
#loc28 = loc("regions.mlir":27:9)
#loc29 = loc("regions.mlir":29:7)
#loc30 = loc("regions.mlir":31:5)
#loc31 = loc("regions.mlir":33:3)
#loc32 = loc("regions.mlir":34:10)
#loc33 = loc("regions.mlir":35:12)
#loc34 = loc("regions.mlir":36:5)
#loc35 = loc("regions.mlir":39:7)
#loc38 = loc("regions.mlir":41:9)
#loc39 = loc("regions.mlir":45:3)
#loc41 = loc("regions.mlir":46:10)
#loc42 = loc("regions.mlir":47:10)
#loc43 = loc("regions.mlir":48:10)
#loc44 = loc("regions.mlir":49:5)

