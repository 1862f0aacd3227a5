# Exit status 1 means a difference: a module that cannot be read is status 2.
cut {corpus}/cases/vector_add/vector_add.13.4.tilebc 100 cut.tilebc
tilewright diff cut.tilebc {corpus}/cases/vector_add/vector_add.13.4.tilebc
tilewright diff {corpus}/cases/vector_add/vector_add.13.4.tilebc missing.tilebc
tilewright diff {corpus}/cases/vector_add/vector_add.13.4.tilebc
tilewright diff --locations --ignore-locations cut.tilebc cut.tilebc
