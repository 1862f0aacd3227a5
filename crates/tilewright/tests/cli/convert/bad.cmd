# What a version cannot express is refused by name, and nothing is written.
tilewright convert {corpus}/modules/Alloca.496.13.5.tilebc --to 13.2 -o out.tilebc
tilewright print out.tilebc
tilewright convert {corpus}/modules/Alloca.496.13.5.tilebc --to 13.9 -o out.tilebc
tilewright convert missing.mlir -o out.tilebc
tilewright convert {fixtures}/two_errors.mlir -o out.tilebc
tilewright validate {fixtures}/two_errors.mlir
tilewright convert {corpus}/modules/Alloca.496.13.5.tilebc -o no/such/folder.tilebc
list
