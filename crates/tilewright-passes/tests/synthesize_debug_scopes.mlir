// passes: synthesize-debug-scopes
// shows: debug-info

// What has a line only gets the scope of its function; what has none lies where the function begins.
entry @kernel(%p: tile<ptr<i32>>, %n: tile<i32>) {
  %m = addi %n, %n : tile<i32> loc("src/kernel.py":12:4)
  %t = store_ptr_tko weak %p, %m : tile<ptr<i32>>, tile<i32> -> token
  return
} loc("src/kernel.py":10:1)

// A function without any line lies at the first one of the module's file.
entry @nowhere(%n: tile<i32>) {
  %m = addi %n, %n : tile<i32>
  return
}

// A call site becomes the place of the call.
entry @called(%n: tile<i32>) {
  %m = addi %n, %n : tile<i32> loc(callsite("src/library.py":3:1 at "src/kernel.py":22:7))
  return
} loc("src/kernel.py":20:1)

// A function that has a scope stays as it is.
#file = #cuda_tile.di_file<"own.py" in "src">
#unit = #cuda_tile.di_compile_unit<file = #file>
#scope = #cuda_tile.di_subprogram<file = #file, line = 30, name = "scoped", linkageName = "scoped", compileUnit = #unit>
entry @scoped(%n: tile<i32>) {
  %m = addi %n, %n : tile<i32> loc("src/own.py":31:2)
  return
} loc(#cuda_tile.di_loc<loc("src/own.py":30:1) in #scope>)
//| cuda_tile.module @kernels {
//|   entry @kernel(%arg0: tile<ptr<i32>>, %arg1: tile<i32>) {
//|     %0 = addi %arg1, %arg1 : tile<i32> loc(#loc9)
//|     %1 = store_ptr_tko weak %arg0, %0 : tile<ptr<i32>>, tile<i32> -> token loc(#loc8)
//|     return loc(#loc8)
//|   } loc(#loc8)
//|   entry @nowhere(%arg0: tile<i32>) {
//|     %0 = addi %arg0, %arg0 : tile<i32> loc(#loc10)
//|     return loc(#loc10)
//|   } loc(#loc10)
//|   entry @called(%arg0: tile<i32>) {
//|     %0 = addi %arg0, %arg0 : tile<i32> loc(#loc12)
//|     return loc(#loc11)
//|   } loc(#loc11)
//|   entry @scoped(%arg0: tile<i32>) {
//|     %0 = addi %arg0, %arg0 : tile<i32> loc(#loc7)
//|     return loc(#loc)
//|   } loc(#loc13)
//| } loc(#loc)
//| #di_file = #cuda_tile.di_file<"kernel.py" in "src">
//| #di_file1 = #cuda_tile.di_file<"own.py" in "src">
//| #loc = loc(unknown)
//| #loc1 = loc("src/kernel.py":10:1)
//| #loc2 = loc("src/kernel.py":12:4)
//| #loc3 = loc("src/kernel.py":1:1)
//| #loc4 = loc("src/kernel.py":20:1)
//| #loc5 = loc("src/kernel.py":22:7)
//| #loc6 = loc("src/own.py":30:1)
//| #loc7 = loc("src/own.py":31:2)
//| #di_compile_unit = #cuda_tile.di_compile_unit<file = #di_file>
//| #di_compile_unit1 = #cuda_tile.di_compile_unit<file = #di_file1>
//| #di_subprogram = #cuda_tile.di_subprogram<file = #di_file, line = 10, name = "kernel", linkageName = "kernel", compileUnit = #di_compile_unit, scopeLine = 10>
//| #di_subprogram1 = #cuda_tile.di_subprogram<file = #di_file, line = 1, name = "nowhere", linkageName = "nowhere", compileUnit = #di_compile_unit, scopeLine = 1>
//| #di_subprogram2 = #cuda_tile.di_subprogram<file = #di_file, line = 20, name = "called", linkageName = "called", compileUnit = #di_compile_unit, scopeLine = 20>
//| #di_subprogram3 = #cuda_tile.di_subprogram<file = #di_file1, line = 30, name = "scoped", linkageName = "scoped", compileUnit = #di_compile_unit1>
//| #loc8 = #cuda_tile.di_loc<#loc1 in #di_subprogram>
//| #loc9 = #cuda_tile.di_loc<#loc2 in #di_subprogram>
//| #loc10 = #cuda_tile.di_loc<#loc3 in #di_subprogram1>
//| #loc11 = #cuda_tile.di_loc<#loc4 in #di_subprogram2>
//| #loc12 = #cuda_tile.di_loc<#loc5 in #di_subprogram2>
//| #loc13 = #cuda_tile.di_loc<#loc6 in #di_subprogram3>
