# Values that begin with a minus sign are values, not options.
bytes k.mlir '"entry @k(%n: tile<i32>, %x: tile<f32>) {}"'
tilewright run k.mlir --grid -1 i32:1 f32:1
tilewright run k.mlir --grid 1 --threads -1 i32:1 f32:1
tilewright run k.mlir --grid 1 --timeout -0.5 i32:1 f32:1
tilewright litmus k.mlir --grid 1 --rounds -2
tilewright run k.mlir --gird 1 i32:1 f32:1
# A number without its type.
tilewright run k.mlir --grid 1 -5 f32:1
tilewright run k.mlir --grid 1 i32:1 0.5
tilewright run k.mlir --grid 1 0.5 f32:1
# Text of another dialect.
bytes func.mlir '"func.func @f() {\n  return\n}\n"'
tilewright print func.mlir
bytes module.mlir '"module {\n  func.func @f() {\n    return\n  }\n}\n"'
tilewright print module.mlir
# Measuring takes minutes, so a place where nothing can be written is told before.
tilewright bench --svg missing/chart.svg
tilewright bench --operations --svg .
# The folder is a file: the message names what was asked for, and no temporary file.
tilewright convert k.mlir -o k.mlir/out.tilebc
# One file for two buffers, and stdout, which has the report.
bytes two.mlir '"entry @k(%a: tile<ptr<f32>>, %b: tile<ptr<f32>>) {}"'
tilewright run two.mlir --grid 1 f32[4] f32[4] -o 0=a.npy -o 1=a.npy
tilewright run two.mlir --grid 1 f32[4] f32[4] -o 0=-
tilewright run two.mlir --grid 1 f32[4] f32[4] -o 0=./-
