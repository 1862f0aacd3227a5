# Files in, fills, numbers; the result is the expected one to the byte.
tilewright run {corpus}/cases/vector_add/vector_add.13.4.tilebc --threads 1 --grid 8 @{corpus}/cases/vector_add/a.npy i32:1000 i32:1 @{corpus}/cases/vector_add/b.npy i32:1000 i32:1 f32[1024]=0x5a5a5a5a i32:1000 i32:1 -o 6=c.npy
same c.npy {corpus}/cases/vector_add/c.expected.npy
tilewright run {corpus}/cases/vector_add/vector_add.13.4.tilebc --threads 1 --grid 8,1,1 --entry vector_add @{corpus}/cases/vector_add/a.npy i32:1000 i32:1 @{corpus}/cases/vector_add/b.npy i32:1000 i32:1 f32[1024]=0x5a5a5a5a i32:1000 i32:1 --repeat 3 -o 6=c.npy -o 0=a.npy
same c.npy {corpus}/cases/vector_add/c.expected.npy
same a.npy {corpus}/cases/vector_add/a.npy
list
# A kernel without parameters, and from stdin.
tilewright run {corpus}/modules/AbsI.11.13.3.tilebc --threads 1 --grid 2,2
stdin {corpus}/modules/AbsI.11.13.3.tilebc
tilewright run - --threads 1 --grid 1
