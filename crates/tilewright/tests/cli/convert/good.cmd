# Bytecode to itself, to an older version, to text, and text to bytecode.
tilewright convert {corpus}/cases/vector_add/vector_add.13.4.tilebc -o same.tilebc
same {corpus}/cases/vector_add/vector_add.13.4.tilebc same.tilebc
tilewright convert same.tilebc --to 13.1 -o old.tilebc
tilewright validate old.tilebc
tilewright convert {corpus}/modules/AbsI.11.13.3.tilebc --text -o -
tilewright convert {corpus}/modules/AbsI.11.13.3.tilebc --text -o abs.mlir
tilewright convert abs.mlir --to 13.2 -o abs.tilebc
tilewright validate abs.tilebc
tilewright print abs.tilebc
