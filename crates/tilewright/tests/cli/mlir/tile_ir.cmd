# Tile IR as a module of the cuda_tile dialect in MLIR bytecode, and back.
tilewright convert {corpus}/cases/vector_add/vector_add.13.4.tilebc --to mlir-bytecode -o add.mlirbc
tilewright print add.mlirbc
tilewright convert add.mlirbc --to 13.4 -o add.tilebc
tilewright diff --locations {corpus}/cases/vector_add/vector_add.13.4.tilebc add.tilebc
tilewright convert add.mlirbc --text -o -
tilewright convert add.mlirbc --to mlir-bytecode -o same.mlirbc
same add.mlirbc same.mlirbc
tilewright convert add.mlirbc --to mlir-bytecode=0 -o old.mlirbc
tilewright convert old.mlirbc --to 13.4 -o again.tilebc
same add.tilebc again.tilebc
# Not all of it is Tile IR.
bytes mixed.mlir '""builtin.module"() ({\n  "arith.constant"() <{value = 1 : i32}> : () -> i32\n  "cuda_tile.module"() <{sym_name = "m"}> ({\n  }) : () -> ()\n}) : () -> ()\n"'
tilewright convert mixed.mlir --to mlir-bytecode -o mixed.mlirbc
tilewright convert mixed.mlirbc -o out
list
