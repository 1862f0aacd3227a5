// Gates on qubits, loops and calls of CUDA-Q.
func.func @angles(%n: i64, %a: f64, %q: !quake.ref) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %v = quake.alloca !quake.veq<?>[%n : i64]
  %r = quake.extract_ref %v[0] : (!quake.veq<?>) -> !quake.ref
  quake.h %r : (!quake.ref) -> ()
  quake.x [%q] %r : (!quake.ref, !quake.ref) -> ()
  quake.rz<adj> (%a) %r : (f64, !quake.ref) -> ()
  %last = cc.loop while ((%i = %c0) -> (i64)) {
    %less = arith.cmpi slt, %i, %n : i64
    cc.condition %less (%i : i64)
  } do {
  ^bb0(%i: i64):
    %w = quake.extract_ref %v[%i] : (!quake.veq<?>, i64) -> !quake.ref
    quake.apply @angles(%n, %a, %w) : (i64, f64, !quake.ref) -> ()
    cc.continue %i : i64
  } step {
  ^bb0(%i: i64):
    %next = arith.addi %i, %c1 : i64
    cc.continue %next : i64
  }
  %wide = cc.cast unsigned %last : (i64) -> f64
  %m = quake.mz %r name "m" : (!quake.ref) -> !quake.measure
  %bit = quake.discriminate %m : (!quake.measure) -> i1
  cc.if (%bit) {
    %s = cc.alloca i64
    cc.store %n, %s : !cc.ptr<i64>
  }
  return
}
