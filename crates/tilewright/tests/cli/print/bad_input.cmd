# Files that are no modules: missing, empty, of another kind, cut off, a folder.
tilewright print missing.tilebc
cut {corpus}/cases/vector_add/vector_add.13.4.tilebc 0 empty.tilebc
tilewright print empty.tilebc
tilewright print {corpus}/cases/vector_add/vector_add.mlir
cut {corpus}/cases/vector_add/vector_add.13.4.tilebc 100 cut.tilebc
tilewright print cut.tilebc
stdin cut.tilebc
tilewright print -
tilewright print
tilewright print --colour {corpus}/cases/vector_add/vector_add.13.4.tilebc
