# A kernel as PTX, as thread code, the layouts of its tiles, and modules of LLVM for either compiler.
tilewright compile {corpus}/cases/vector_add/vector_add.13.4.tilebc --target sm_90 -o -
tilewright compile {corpus}/cases/vector_add/vector_add.13.4.tilebc --emit thread -o -
tilewright compile {corpus}/cases/transpose_2d/transpose_2d.13.4.tilebc --emit layouts -o -
tilewright compile {corpus}/cases/vector_add/vector_add.13.4.tilebc --emit llvm -o llvm.ll
tilewright compile {corpus}/cases/vector_add/vector_add.13.4.tilebc --emit nvvm -o nvvm.ll
list
