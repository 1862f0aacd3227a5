# Valid modules: a line each.
tilewright validate {corpus}/cases/vector_add/vector_add.13.1.tilebc {corpus}/cases/vector_add/vector_add.13.4.tilebc {corpus}/modules/GetGlobal.293.13.4.tilebc
stdin {corpus}/cases/vector_add/vector_add.13.4.tilebc
tilewright validate -
