# Every file gets its verdict; the exit status is that of the worst.
cut {corpus}/cases/vector_add/vector_add.13.4.tilebc 300 cut.tilebc
tilewright validate cut.tilebc {corpus}/cases/vector_add/vector_add.13.4.tilebc
tilewright validate missing.tilebc cut.tilebc {corpus}/cases/vector_add/vector_add.13.4.tilebc
tilewright validate
