# Passes and files that there are not.
tilewright plan {corpus}/cases/vector_add/vector_add.13.4.tilebc --after fuze
tilewright plan missing.tilebc
tilewright plan --passes --after fuse
# Groups that there are not: of an axis, of a number, and of blocks whose order can be seen.
tilewright plan {corpus}/cases/vector_add/vector_add.13.4.tilebc --group w:4
tilewright plan {corpus}/cases/vector_add/vector_add.13.4.tilebc --group x:3
tilewright plan {corpus}/cases/matmul_splitk_lock/matmul_splitk_lock.13.4.tilebc --group x:4
