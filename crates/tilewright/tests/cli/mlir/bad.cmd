# What does not go with MLIR bytecode.
cut {fixtures}/jax_add.mlirbc 100 cut.mlirbc
bytes new.mlirbc '"ML"' ef '"R"' 0f '"MLIR99"' 00
tilewright print cut.mlirbc
tilewright validate cut.mlirbc new.mlirbc
tilewright objdump cut.mlirbc
tilewright stats new.mlirbc
tilewright convert {fixtures}/jax_add.mlirbc --to 13.1 -o out
tilewright convert {fixtures}/jax_add.mlirbc --to mlir-bytecode=7 -o out
tilewright print --facts {fixtures}/jax_add.mlirbc
tilewright run {fixtures}/jax_add.mlirbc --grid 1
list
