# What becomes of the extended assembly, and of which line.
tilewright print {fixtures}/extended.mlir
tilewright print --expanded {fixtures}/extended.mlir
tilewright print --expanded {corpus}/cases/vector_add/vector_add.13.4.tilebc
tilewright print --expanded --facts {fixtures}/extended.mlir
tilewright validate {fixtures}/extended.mlir
