# Folders where files should be, and files that cannot be written.
tilewright convert {corpus}/cases/vector_add/vector_add.mlir -o .
tilewright convert . -o out.tilebc
tilewright run {corpus}/cases/vector_add/vector_add.mlir --grid 1
tilewright run {corpus}/cases/vector_add/vector_add.mlir --grid 1 -o 9=y.npy
bytes double.mlir '"entry @double(%p: tile<ptr<f32>>) {}"'
tilewright run double.mlir --grid 1
tilewright run double.mlir --grid 1 @.
tilewright run double.mlir --grid 1 @missing.npy
tilewright run double.mlir --grid 1 @double.mlir
tilewright run double.mlir --grid 1 f32[4] -o 1=y.npy
tilewright run double.mlir --grid 1 f32[4] -o 0=.
# The input may be the output.
tilewright convert double.mlir -o double.mlir
tilewright validate double.mlir
tilewright diff - -
tilewright bench --list --threads 0
list
