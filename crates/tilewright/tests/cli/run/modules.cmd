# Modules that cannot be run.
tilewright run missing.tilebc --grid 1
cut {corpus}/cases/vector_add/vector_add.13.4.tilebc 200 cut.tilebc
tilewright run cut.tilebc --grid 1
tilewright run
tilewright run {corpus}/cases/vector_add/vector_add.13.4.tilebc --grid 8 --threads 0 @{corpus}/cases/vector_add/a.npy i32:1000 i32:1 @{corpus}/cases/vector_add/b.npy i32:1000 i32:1 f32[1024]=0x5a5a5a5a i32:1000 i32:1
tilewright run {corpus}/cases/vector_add/vector_add.13.4.tilebc --grid 8 --case {corpus}/cases/vector_add
tilewright run {corpus}/cases/vector_add/vector_add.13.4.tilebc --grid 8 --repeat none
