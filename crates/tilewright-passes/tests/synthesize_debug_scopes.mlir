// passes: synthesize-debug-scopes
// shows: debug-info

// What has a line only gets the scope of its function; what has none lies where the function begins.
entry @kernel(%p: tile<ptr<i32>>, %n: tile<i32>) {
  %m = addi %n, %n : tile<i32> loc("src/kernel.py":12:4)
  %t = store_ptr_tko weak %p, %m : tile<ptr<i32>>, tile<i32> -> token
  return
} loc("src/kernel.py":10:1)
//| cuda_tile.module @kernels {
//|   entry @kernel(%arg0: tile<ptr<i32>>, %arg1: tile<i32>) {
//|     %0 = addi %arg1, %arg1 : tile<i32> loc(#loc4)
//|     %1 = store_ptr_tko weak %arg0, %0 : tile<ptr<i32>>, tile<i32> -> token loc(#loc3)
//|     return loc(#loc3)
//|   } loc(#loc3)
//| } loc(#loc)
//| #di_file = #cuda_tile.di_file<"kernel.py" in "src">
//| #loc = loc(unknown)
//| #loc1 = loc("src/kernel.py":10:1)
//| #loc2 = loc("src/kernel.py":12:4)
//| #di_compile_unit = #cuda_tile.di_compile_unit<file = #di_file>
//| #di_subprogram = #cuda_tile.di_subprogram<file = #di_file, line = 10, name = "kernel", linkageName = "kernel", compileUnit = #di_compile_unit, scopeLine = 10>
//| #loc3 = #cuda_tile.di_loc<#loc1 in #di_subprogram>
//| #loc4 = #cuda_tile.di_loc<#loc2 in #di_subprogram>
