# Passes by name, the usual ones, what they did, and what the module is after one of them.
tilewright opt -p canonicalize,dce {fixtures}/improve.mlir --text -o -
tilewright opt -O {fixtures}/improve.mlir -o better.tilebc --statistics
tilewright validate better.tilebc
tilewright opt -p 'cse, dce' --print-after=cse {fixtures}/improve.mlir -o better.tilebc
tilewright opt -O {corpus}/cases/vector_add/vector_add.13.4.tilebc --to 13.1 -o old.tilebc
tilewright validate old.tilebc
tilewright opt --help
