# Cases that cannot be run.
tilewright run --case missing
tilewright run --case {corpus}/cases/vector_add/vector_add.mlir
tilewright run --case {corpus}/cases/vector_add --bytecode 13.5
tilewright run --case {corpus}/cases/vector_add --bytecode 14.0
tilewright run --case {fixtures}/wrong_shape.json
tilewright run --case {fixtures}/unknown_type.json
tilewright run --case {fixtures}/no_content.json
tilewright run --bytecode 13.1 --grid 1 {corpus}/cases/vector_add/vector_add.13.4.tilebc
