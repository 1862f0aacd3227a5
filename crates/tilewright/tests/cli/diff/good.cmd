# Equal modules; a changed operation; another operation in its place; text; another kernel; another version.
tilewright diff {corpus}/cases/vector_add/vector_add.13.4.tilebc {corpus}/cases/vector_add/vector_add.13.4.tilebc
tilewright diff {corpus}/cases/vector_add/vector_add.13.4.tilebc {fixtures}/vector_add_twice.tilebc
tilewright diff {corpus}/cases/vector_add/vector_add.13.4.tilebc {fixtures}/vector_sub.tilebc
tilewright diff {corpus}/cases/vector_add/vector_add.13.4.tilebc {corpus}/cases/vector_add/vector_add.mlir
stdin {fixtures}/vector_add_twice.tilebc
tilewright diff --json {corpus}/cases/vector_add/vector_add.13.4.tilebc -
tilewright diff {corpus}/cases/vector_add/vector_add.13.4.tilebc {corpus}/cases/vector_add/vector_add.13.1.tilebc
tilewright diff --locations {corpus}/cases/vector_add/vector_add.13.4.tilebc {corpus}/cases/vector_add/vector_add.13.4.tilebc
tilewright diff {corpus}/cases/flash_attention/flash_attention.13.4.tilebc {corpus}/cases/flash_attention_causal/flash_attention_causal.13.4.tilebc
tilewright diff --ignore-locations {corpus}/modules/AbsI.11.13.3.tilebc {corpus}/modules/GetGlobal.293.13.4.tilebc
