# What is known of values, beside them; the text still parses.
tilewright print --facts {fixtures}/facts.mlir
tilewright print --facts --generic {corpus}/cases/vector_add/vector_add.13.4.tilebc
tilewright print --facts {fixtures}/wrong_types.mlir
