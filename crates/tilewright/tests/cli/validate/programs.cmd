# Verdicts for programs: every kind of file, with lines or bytes where they are known.
cut {corpus}/cases/vector_add/vector_add.13.4.tilebc 300 cut.tilebc
cut {fixtures}/wrong_types.mlir 60 broken.mlir
bytes other.zip 504b0304
bytes broken.mlirbc 4d4cef520d
tilewright validate {corpus}/cases/vector_add/vector_add.13.4.tilebc {fixtures}/wrong_types.mlir {fixtures}/invalid.tilebc --json
tilewright validate cut.tilebc broken.mlir other.zip broken.mlirbc --json
tilewright validate {fixtures}/wrong_types.mlir cut.tilebc missing.tilebc --sarif
tilewright validate {corpus}/cases/vector_add/vector_add.13.4.tilebc --sarif
