# Kernels: a lock, the same taken by a relaxed exchange, and what is not covered.
tilewright litmus {fixtures}/litmus/lock.mlir --grid 2 i32[1] i32[1] --can 'arg1[0] == 1'
tilewright litmus {fixtures}/litmus/lock.mlir --grid 2 i32[1] i32[1]=-5 --rounds 1
tilewright litmus {fixtures}/litmus/lock_relaxed.mlir --grid 1,2 i32[1] i32[1]
tilewright litmus {fixtures}/litmus/lock_relaxed.mlir --grid 2 i32[1] i32[1] --json
tilewright litmus {fixtures}/litmus/lock.mlir --grid 2 i32[1] i32[1] --can 'arg0[0] == 1 || arg1[1] == 1'
tilewright litmus {fixtures}/litmus/lock.mlir --grid 2 i32[1]
tilewright litmus {fixtures}/litmus/lock.mlir --grid 2 i32[1] i32[0]
tilewright litmus {fixtures}/litmus/lock.mlir --grid 40 i32[1] i32[1]
tilewright litmus {fixtures}/litmus/lock.mlir
tilewright litmus {corpus}/cases/vector_add/vector_add.13.4.tilebc --grid 1 f32[4] i32:4 i32:1 f32[4] i32:4 i32:1 f32[4] i32:4 i32:1
