# Arguments that mean nothing.
tilewright run {corpus}/cases/vector_add/vector_add.13.4.tilebc --grid 8 @{corpus}/cases/vector_add/a.npy 1000 i32:1 @{corpus}/cases/vector_add/b.npy i32:1000 i32:1 f32[1024]=0x5a5a5a5a i32:1000 i32:1
tilewright run {corpus}/cases/vector_add/vector_add.13.4.tilebc --grid 8 @{corpus}/cases/vector_add/a.npy i32:1e3 i32:1 @{corpus}/cases/vector_add/b.npy i32:1000 i32:1 f32[1024]=0x5a5a5a5a i32:1000 i32:1
tilewright run {corpus}/cases/vector_add/vector_add.13.4.tilebc --grid 8 @{corpus}/cases/vector_add/a.npy i33:1000 i32:1 @{corpus}/cases/vector_add/b.npy i32:1000 i32:1 f32[1024]=0x5a5a5a5a i32:1000 i32:1
tilewright run {corpus}/cases/vector_add/vector_add.13.4.tilebc --grid 8 @{corpus}/cases/vector_add/a.npy i32:1000 i32:1 @{corpus}/cases/vector_add/b.npy i32:1000 i32:1 f32[1024 i32:1000 i32:1
tilewright run {corpus}/cases/vector_add/vector_add.13.4.tilebc --grid 8 @{corpus}/cases/vector_add/a.npy i32:1000 i32:1 @{corpus}/cases/vector_add/b.npy i32:1000 i32:1 f32[1024]=x i32:1000 i32:1
