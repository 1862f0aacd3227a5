# A kernel in text runs, and its errors name the place in the text.
tilewright run {corpus}/../../examples/double.mlir --grid 1 f32[128]=1.5 -o 0=doubled.npy
tilewright run {corpus}/../../examples/double.mlir --grid 1 f32[100]
