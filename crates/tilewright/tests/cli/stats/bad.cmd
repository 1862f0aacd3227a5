# Files that cannot be counted.
cut {corpus}/cases/vector_add/vector_add.13.4.tilebc 300 cut.tilebc
tilewright stats cut.tilebc
tilewright stats missing.tilebc
tilewright stats
