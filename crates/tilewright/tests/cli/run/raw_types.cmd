# bfloat16 comes and goes as uint16.
tilewright run {corpus}/cases/matmul_bf16/matmul_bf16.13.4.tilebc --threads 1 --grid 4,3 @{corpus}/cases/matmul_bf16/A.npy i32:50 i32:100 i32:100 i32:1 @{corpus}/cases/matmul_bf16/B.npy i32:100 i32:70 i32:70 i32:1 bf16[50x70] i32:50 i32:70 i32:70 i32:1 -o 10=C.npy
same C.npy {corpus}/cases/matmul_bf16/C.expected.npy
