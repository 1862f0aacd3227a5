# Every byte of a small file; one section; one function; the form for programs.
tilewright objdump {corpus}/modules/AbsI.11.13.3.tilebc
tilewright objdump --section type {corpus}/cases/vector_add/vector_add.13.4.tilebc
tilewright objdump --section debug --full {corpus}/modules/AbsI.11.13.3.tilebc
tilewright objdump --function vector_add {corpus}/cases/vector_add/vector_add.13.4.tilebc
tilewright objdump --function softmax_rows {corpus}/cases/softmax_rows/softmax_rows.13.4.tilebc
stdin {corpus}/modules/AbsI.11.13.3.tilebc
tilewright objdump --json -
tilewright objdump --json --section header {corpus}/modules/AbsI.11.13.3.tilebc
