# Plans as text: the passes, and a kernel before them; how it ends depends on the CPU.
tilewright plan --passes
tilewright plan {corpus}/cases/vector_add/vector_add.13.4.tilebc --after lower
# Four rows as one block.
tilewright plan {corpus}/cases/rmsnorm/rmsnorm.13.4.tilebc --group x:4 --after lower
