# Findings about text show the line, as errors of parsing do.
tilewright validate {fixtures}/wrong_types.mlir
tilewright convert {fixtures}/wrong_types.mlir -o out.tilebc
tilewright run {fixtures}/wrong_types.mlir --grid 1 f32[128]
list
