# What became of each operation, alone and beside a file; layouts as a picture.
tilewright compile {corpus}/cases/transpose_2d/transpose_2d.13.4.tilebc --explain
tilewright compile {corpus}/cases/softmax_rows/softmax_rows.13.4.tilebc --target sm_90 --explain -o k.ptx
tilewright compile {corpus}/cases/transpose_2d/transpose_2d.13.4.tilebc --emit svg -o k.svg
list
tilewright compile {corpus}/cases/transpose_2d/transpose_2d.13.4.tilebc
