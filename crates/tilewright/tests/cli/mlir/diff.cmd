# Two files of MLIR.
bytes old.mlir '""builtin.module"() ({\n  %0 = "t.make"() {value = 1 : i8} : () -> i32\n  %1 = "t.more"(%0, %0) : (i32, i32) -> i32\n  "t.use"(%0, %1) ({\n  ^bb0(%a: i32):\n    "t.end"(%a) : (i32) -> ()\n  }) : (i32, i32) -> ()\n}) : () -> ()\n"'
bytes new.mlir '""builtin.module"() ({\n  %5 = "t.first"() : () -> i64\n  %0 = "t.make"() {value = 2 : i8} : () -> i32\n  %1 = "t.more"(%0, %0) : (i32, i32) -> i32\n  "t.use"(%1, %0) ({\n  ^bb0(%a: i32):\n    "t.end"(%a) : (i32) -> ()\n  }) : (i32, i32) -> ()\n}) : () -> ()\n"'
tilewright diff old.mlir new.mlir
tilewright diff --json old.mlir new.mlir
tilewright convert old.mlir -o old.mlirbc
tilewright diff old.mlir old.mlirbc
tilewright diff --locations {fixtures}/jax_add.mlirbc {fixtures}/jax_add.mlirbc
tilewright diff old.mlir {corpus}/cases/vector_add/vector_add.13.4.tilebc
tilewright stats --json old.mlirbc
