# Known and unknown numbers of iterations, matrix products, globals, text; the form for programs.
tilewright stats {corpus}/cases/matmul_f16/matmul_f16.13.4.tilebc
tilewright stats {corpus}/cases/conv1d_causal/conv1d_causal.13.4.tilebc
tilewright stats {corpus}/cases/flash_attention/flash_attention.13.4.tilebc
tilewright stats {corpus}/modules/GetGlobal.293.13.4.tilebc
tilewright stats {corpus}/modules/AbsI.11.13.3.mlir
stdin {corpus}/cases/vector_add/vector_add.13.4.tilebc
tilewright stats --json -
