# What nothing reads is not computed, unless every operation is carried out as it stands; loads are always made.
tilewright run {fixtures}/unread.mlir --grid 1 --entry slice --threads 1 f32[4] i32:2
tilewright run -O0 {fixtures}/unread.mlir --grid 1 --entry slice --threads 1 f32[4] i32:2
tilewright run {fixtures}/unread.mlir --grid 1 --entry load --threads 1 f32[4] i32:4
tilewright run -O0 {fixtures}/unread.mlir --grid 1 --entry load --threads 1 f32[4] i32:4
# Cases, and levels that there are not.
tilewright run -O0 --case {corpus}/cases/vector_add --threads 1
tilewright run -O2 --case {corpus}/cases/vector_add
