# A kernel that is wrong in three ways, for people, programs and review tools; and one that is clean.
bytes k.mlir '"entry @k(%p: tile<ptr<f32>>, %q: tile<ptr<f32>>, %n: tile<i32>) {"' 0a '"  %m = assume div_by<16>, %n : tile<i32>"' 0a '"  %at = offset %p, %n : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>"' 0a '"  %x, %t = load_ptr_tko weak %at : tile<ptr<f32>> -> tile<f32>, token"' 0a '"  %u = store_ptr_tko weak %q, %x token=%t : tile<ptr<f32>>, tile<f32> -> token"' 0a '"}"' 0a
tilewright check k.mlir --grid 2 f32[8]=? f32[8] i32:20
tilewright check k.mlir --grid 2 f32[8]=? f32[8] i32:4 --format json
tilewright check k.mlir --grid 1 f32[32] f32[8] i32:16
tilewright check k.mlir --grid 1 f32[32] f32[8] i32:4 --format sarif
tilewright check --case {corpus}/cases/saxpy {corpus}/cases/vector_add
# What cannot be checked.
tilewright check k.mlir --grid 1 f32[32] f32[8]
tilewright check missing.mlir --grid 1
tilewright check k.mlir --grid 1 f32[32] &7 i32:4
tilewright check k.mlir --grid 1 f32[32] &0+4096 i32:4
tilewright check k.mlir --grid 1 f32[32] f32[8] i32:4 --read-only 2
tilewright check k.mlir --grid 1 f32[32] f32[8] i32:4 --read-only 9
tilewright check k.mlir --grid 1 f32[32] f32[8] i32:4 --max-memory 0
