# Grids that cannot be launched.
tilewright run {corpus}/cases/vector_add/vector_add.13.4.tilebc @{corpus}/cases/vector_add/a.npy i32:1000 i32:1 @{corpus}/cases/vector_add/b.npy i32:1000 i32:1 f32[1024]=0x5a5a5a5a i32:1000 i32:1
tilewright run {corpus}/cases/vector_add/vector_add.13.4.tilebc --grid 0 @{corpus}/cases/vector_add/a.npy i32:1000 i32:1 @{corpus}/cases/vector_add/b.npy i32:1000 i32:1 f32[1024]=0x5a5a5a5a i32:1000 i32:1
tilewright run {corpus}/cases/vector_add/vector_add.13.4.tilebc --grid 8,0 @{corpus}/cases/vector_add/a.npy i32:1000 i32:1 @{corpus}/cases/vector_add/b.npy i32:1000 i32:1 f32[1024]=0x5a5a5a5a i32:1000 i32:1
tilewright run {corpus}/cases/vector_add/vector_add.13.4.tilebc --grid 1,2,3,4 @{corpus}/cases/vector_add/a.npy i32:1000 i32:1 @{corpus}/cases/vector_add/b.npy i32:1000 i32:1 f32[1024]=0x5a5a5a5a i32:1000 i32:1
tilewright run {corpus}/cases/vector_add/vector_add.13.4.tilebc --grid eight @{corpus}/cases/vector_add/a.npy i32:1000 i32:1 @{corpus}/cases/vector_add/b.npy i32:1000 i32:1 f32[1024]=0x5a5a5a5a i32:1000 i32:1
tilewright run {corpus}/cases/vector_add/vector_add.13.4.tilebc --grid 16777216 @{corpus}/cases/vector_add/a.npy i32:1000 i32:1 @{corpus}/cases/vector_add/b.npy i32:1000 i32:1 f32[1024]=0x5a5a5a5a i32:1000 i32:1
