# Arguments that do not fit their parameter.
tilewright run {corpus}/cases/vector_add/vector_add.13.4.tilebc --grid 8 @{corpus}/cases/vector_add/a.npy i64:1000 i32:1 @{corpus}/cases/vector_add/b.npy i32:1000 i32:1 f32[1024]=0x5a5a5a5a i32:1000 i32:1
tilewright run {corpus}/cases/vector_add/vector_add.13.4.tilebc --grid 8 @{corpus}/cases/vector_add/a.npy f32[4] i32:1 @{corpus}/cases/vector_add/b.npy i32:1000 i32:1 f32[1024]=0x5a5a5a5a i32:1000 i32:1
tilewright run {corpus}/cases/vector_add/vector_add.13.4.tilebc --grid 8 @{corpus}/cases/vector_add/a.npy i32:1000 i32:1 @{corpus}/cases/vector_add/b.npy i32:1000 i32:1 f16[1024] i32:1000 i32:1
tilewright run {corpus}/cases/vector_add/vector_add.13.4.tilebc --grid 8 @{corpus}/cases/vector_add/a.npy i32:1000 i32:1 @{corpus}/cases/vector_add/b.npy i32:1000 i32:1 f32:1 i32:1000 i32:1
tilewright run {corpus}/cases/vector_add/vector_add.13.4.tilebc --grid 8 @{corpus}/cases/matmul_bf16/A.npy i32:1000 i32:1 @{corpus}/cases/vector_add/b.npy i32:1000 i32:1 f32[1024]=0x5a5a5a5a i32:1000 i32:1
tilewright run {corpus}/cases/matmul_bf16/matmul_bf16.13.4.tilebc --grid 1 @{corpus}/cases/vector_add/a.npy i32:50 i32:100 i32:100 i32:1 bf16[1] i32:100 i32:70 i32:70 i32:1 bf16[50x70] i32:50 i32:70 i32:70 i32:1
