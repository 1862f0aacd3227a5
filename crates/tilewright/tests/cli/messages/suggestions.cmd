# Misspelt names find their neighbours.
tilewright explain opperand-type
tilewright explain error[operand-type]
tilewright explain addf
tilewright explain undefined-value
tilewright explain frobnicate
tilewright ops adff
tilewright ops load
tilewright ops frobnicate
tilewright objdump {corpus}/cases/vector_add/vector_add.13.4.tilebc --function vectoradd
tilewright objdump {corpus}/cases/vector_add/vector_add.13.4.tilebc --function other
tilewright objdump {corpus}/cases/vector_add/vector_add.13.4.tilebc --section strings
tilewright objdump {corpus}/cases/vector_add/vector_add.13.4.tilebc --section type --function vector_add
tilewright bench --list --filter matmull_f32
tilewright bench --list --filter frobnicate
tilewright vaildate
bytes two.mlir '"entry @softmax() {}\nentry @matmul() {}"'
tilewright run two.mlir --grid 1 --entry sotfmax
tilewright run two.mlir --grid 1 --entry other
tilewright run two.mlir --grid 1
