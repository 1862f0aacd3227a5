# Results that depend on which block comes first, and the command that shows it again.
bytes k.mlir '"entry @k(%p: tile<ptr<i32>>) {"' 0a '"  %x, %y, %z = get_tile_block_id : tile<i32>"' 0a '"  %old, %t = atomic_rmw_tko relaxed device %p, xchg, %x : tile<ptr<i32>>, tile<i32> -> tile<i32>, token"' 0a '"}"' 0a
tilewright check k.mlir --grid 3 i32[1]
tilewright check k.mlir --grid 3 i32[1] --schedules 16
tilewright check k.mlir --grid 3 i32[1] --schedule 2
tilewright check k.mlir --grid 3 i32[1] --schedule 0,1 --format json
# A block that waits for what nobody writes.
bytes w.mlir '"entry @w(%p: tile<ptr<i32>>) {"' 0a '"  %zero = constant <i32: 0> : tile<i32>"' 0a '"  loop {"' 0a '"    %v, %t = load_ptr_tko acquire device %p : tile<ptr<i32>> -> tile<i32>, token"' 0a '"    %done = cmpi not_equal %v, %zero, signed : tile<i32> -> tile<i1>"' 0a '"    if %done {"' 0a '"      break"' 0a '"    }"' 0a '"    continue"' 0a '"  }"' 0a '"}"' 0a
tilewright check w.mlir --grid 6 i32[1]
# What is no schedule.
tilewright check k.mlir --grid 3 i32[1] --schedule 1,x
tilewright check k.mlir --grid 3 i32[1] --schedule 1 --schedules 2
