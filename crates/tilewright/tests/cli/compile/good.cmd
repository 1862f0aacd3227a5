# A kernel as PTX, as thread code, and the layouts of its tiles.
tilewright compile {corpus}/cases/vector_add/vector_add.13.4.tilebc --target sm_90 -o -
tilewright compile {corpus}/cases/vector_add/vector_add.13.4.tilebc --emit thread -o -
tilewright compile {corpus}/cases/transpose_2d/transpose_2d.13.4.tilebc --emit layouts -o -
