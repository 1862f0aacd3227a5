# What is no pipeline, and what is no module.
tilewright opt {fixtures}/improve.mlir -o out.tilebc
tilewright opt -p cse,dse {fixtures}/improve.mlir -o out.tilebc
tilewright opt -p cse -O {fixtures}/improve.mlir -o out.tilebc
tilewright opt -p 'dce(loads=2)' {fixtures}/improve.mlir -o out.tilebc
tilewright opt -p 'cse(' {fixtures}/improve.mlir -o out.tilebc
tilewright opt -O --print-after=lcim {fixtures}/improve.mlir -o out.tilebc
tilewright opt -O {fixtures}/two_errors.mlir -o out.tilebc
list
