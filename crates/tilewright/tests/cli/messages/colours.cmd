# Errors and findings on a terminal: in colours, unless these are not wanted. In a pipe they have none.
bytes wrong.mlir '"entry @k(%x: tile<f32>) {"' 0a '"  %y = addi %x, %x : tile<f32>"' 0a '"}"' 0a
bytes bad.mlir '"entry @k(%x: tile<f32>, %n: tile<i32>) {"' 0a '"  %y = addf %x, %n : tile<f32>"' 0a '"  %x = negf %y : tile<f32>"' 0a '"}"' 0a
bytes race.mlir '"entry @k(%p: tile<ptr<f32>>, %x: tile<f32>) {"' 0a '"  %v, %t = load_ptr_tko weak %p : tile<ptr<f32>> -> tile<f32>, token"' 0a '"  %u = store_ptr_tko weak %p, %x token=%t : tile<ptr<f32>>, tile<f32> -> token"' 0a '"}"' 0a
terminal tilewright validate wrong.mlir
terminal tilewright print bad.mlir
terminal tilewright check race.mlir --grid 2 f32[1] f32:1
env NO_COLOR=1
terminal tilewright print bad.mlir
tilewright print bad.mlir
