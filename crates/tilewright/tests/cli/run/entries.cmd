# Entries that are not there.
tilewright run {corpus}/cases/vector_add/vector_add.13.4.tilebc --grid 8 --entry vector_sub @{corpus}/cases/vector_add/a.npy i32:1000 i32:1 @{corpus}/cases/vector_add/b.npy i32:1000 i32:1 f32[1024]=0x5a5a5a5a i32:1000 i32:1
