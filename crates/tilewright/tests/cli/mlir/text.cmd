# MLIR's generic form as text, of any dialect.
bytes odd.mlir '""builtin.module"() ({\n  %0 = "t.make"() {value = dense<[1, 2]> : tensor<2xi8>} : () -> i32\n  "t.use"(%0) : (i32) -> ()\n}) : () -> ()\n"'
tilewright print odd.mlir
tilewright validate odd.mlir
tilewright stats odd.mlir
tilewright convert odd.mlir -o odd.mlirbc
tilewright print odd.mlirbc
tilewright convert odd.mlir --to mlir-bytecode=4 -o odd4.mlirbc
tilewright validate odd4.mlirbc
tilewright convert {fixtures}/jax_add.mlirbc --text -o jax.mlir
tilewright convert jax.mlir -o jax.mlirbc
tilewright print jax.mlirbc
# What is wrong is shown where it stands.
bytes undefined.mlir '""t.use"(%x) : (i32) -> ()\n"'
tilewright convert undefined.mlir -o out
tilewright validate undefined.mlir
tilewright print --module odd.mlir
tilewright convert odd.mlir --to 13.4 -o out
tilewright objdump odd.mlir
list
