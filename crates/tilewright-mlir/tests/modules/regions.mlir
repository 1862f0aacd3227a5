// Control flow, nested and isolated regions, groups of results, uses before definitions.
module @outer attributes {a.b = 1 : i32} {
  module @inner {
    func.func private @declared(i32) -> (i32, f32)
  }
  func.func @branches(%c: i1, %x: i32) -> i32 attributes {llvm.emit_c_interface} {
    cf.cond_br %c, ^a(%x : i32), ^b
  ^a(%y: i32):
    %s = arith.addi %y, %x overflow<nsw, nuw> : i32
    cf.br ^d(%s : i32)
  ^b:
    cf.switch %x : i32, [default: ^d(%x : i32), 1: ^a(%x : i32), 2: ^c]
  ^c:
    cf.cond_br %c, ^d(%x : i32), ^d(%x : i32)
  ^d(%r: i32):
    return %r : i32
  ^unreachable:
    return %x : i32
  }
  func.func @structured(%lb: index, %ub: index, %step: index, %init: f32) -> (f32, f32) {
    %r:2 = scf.for %i = %lb to %ub step %step iter_args(%a = %init, %b = %init) -> (f32, f32) {
      %c = arith.cmpi slt, %i, %ub : index
      %v = scf.if %c -> f32 {
        %sum = arith.addf %a, %b fastmath<fast> : f32
        scf.yield %sum : f32
      } else {
        scf.yield %b : f32
      }
      scf.yield %v, %a : f32, f32
    }
    return %r#1, %r#0 : f32, f32
  }
  "t.graph"() ({
    %0 = "t.use"(%1#1, %1#0) : (i32, i32) -> i32
    %1:2 = "t.def"(%0) : (i32) -> (i32, i32)
    "t.regions"() ({}, {
    ^bb0:
    }, {
      "t.nested"(%0) ({
      ^bb0(%arg: i32, %other: f32):
        "t.again"(%arg, %1#1) : (i32, i32) -> ()
      }) : (i32) -> ()
    }) : () -> ()
  }) : () -> ()
  func.func @orders(%x: i32) -> i32 {
    %0 = "t.a"(%x, %x) : (i32, i32) -> i32
    %1 = "t.b"(%0, %0, %x) {f = () -> (() -> ())} : (i32, i32, i32) -> i32
    %2 = "t.f"() : () -> (() -> i32)
    return %1 : i32
  }
}
