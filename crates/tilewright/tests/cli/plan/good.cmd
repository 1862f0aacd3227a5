# Plans as text: the passes, and a kernel before them; how it ends depends on the CPU.
tilewright plan --passes
tilewright plan {corpus}/cases/vector_add/vector_add.13.4.tilebc --after lower
