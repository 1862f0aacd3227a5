# MLIR bytecode of any dialect.
tilewright print {fixtures}/jax_add.mlirbc
tilewright print --debug-info {fixtures}/jax_add.mlirbc
tilewright validate {fixtures}/jax_add.mlirbc {fixtures}/regions.mlirbc
tilewright stats {fixtures}/regions.mlirbc
tilewright objdump {fixtures}/jax_add.mlirbc
tilewright convert {fixtures}/regions.mlirbc -o same.mlirbc
same {fixtures}/regions.mlirbc same.mlirbc
tilewright convert {fixtures}/regions.mlirbc --to mlir-bytecode=0 -o old.mlirbc
tilewright validate old.mlirbc
tilewright convert old.mlirbc --to mlir-bytecode -o old_again.mlirbc
same old.mlirbc old_again.mlirbc
tilewright convert {fixtures}/jax_add.mlirbc --text -o -
