# Broken files are shown as far as they go, and further; then the complaint of the reader.
cut {corpus}/cases/vector_add/vector_add.13.4.tilebc 100 cut.tilebc
tilewright objdump cut.tilebc
tilewright objdump --json cut.tilebc
tilewright objdump {fixtures}/broken_bodies.tilebc
tilewright objdump {corpus}/cases/vector_add/vector_add.mlir
cut cut.tilebc 0 empty.tilebc
tilewright objdump empty.tilebc
tilewright objdump missing.tilebc
tilewright objdump --section global {corpus}/cases/vector_add/vector_add.13.4.tilebc
tilewright objdump --section code {corpus}/cases/vector_add/vector_add.13.4.tilebc
tilewright objdump --function vector_sub {corpus}/cases/vector_add/vector_add.13.4.tilebc
