# Passes and files that there are not.
tilewright plan {corpus}/cases/vector_add/vector_add.13.4.tilebc --after fuze
tilewright plan missing.tilebc
tilewright plan --passes --after fuse
