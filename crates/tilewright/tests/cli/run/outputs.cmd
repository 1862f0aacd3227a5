# Output files for parameters that have no buffer, or into places that are not there.
tilewright run {corpus}/cases/vector_add/vector_add.13.4.tilebc --grid 8 @{corpus}/cases/vector_add/a.npy i32:1000 i32:1 @{corpus}/cases/vector_add/b.npy i32:1000 i32:1 f32[1024]=0x5a5a5a5a i32:1000 i32:1 -o 9=c.npy
tilewright run {corpus}/cases/vector_add/vector_add.13.4.tilebc --grid 8 @{corpus}/cases/vector_add/a.npy i32:1000 i32:1 @{corpus}/cases/vector_add/b.npy i32:1000 i32:1 f32[1024]=0x5a5a5a5a i32:1000 i32:1 -o 1=c.npy
tilewright run {corpus}/cases/vector_add/vector_add.13.4.tilebc --grid 8 @{corpus}/cases/vector_add/a.npy i32:1000 i32:1 @{corpus}/cases/vector_add/b.npy i32:1000 i32:1 f32[1024]=0x5a5a5a5a i32:1000 i32:1 -o c.npy
tilewright run {corpus}/cases/vector_add/vector_add.13.4.tilebc --grid 8 @{corpus}/cases/vector_add/a.npy i32:1000 i32:1 @{corpus}/cases/vector_add/b.npy i32:1000 i32:1 f32[1024]=0x5a5a5a5a i32:1000 i32:1 -o 6=missing/c.npy
list
