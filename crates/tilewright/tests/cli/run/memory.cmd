# A buffer that no machine has room for.
tilewright run {corpus}/cases/vector_add/vector_add.13.4.tilebc --grid 8 @{corpus}/cases/vector_add/a.npy i32:1000 i32:1 @{corpus}/cases/vector_add/b.npy i32:1000 i32:1 f32[1125899906842624] i32:1000 i32:1
tilewright run {corpus}/cases/vector_add/vector_add.13.4.tilebc --grid 8 @{corpus}/cases/vector_add/a.npy i32:1000 i32:1 @{corpus}/cases/vector_add/b.npy i32:1000 i32:1 f32[4294967296x4294967296] i32:1000 i32:1
