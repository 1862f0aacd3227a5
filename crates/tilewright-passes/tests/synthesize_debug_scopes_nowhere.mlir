// passes: synthesize-debug-scopes
// shows: debug-info

// Where no function has a line, the file has no name.
entry @kernel(%n: tile<i32>) {
  %m = addi %n, %n : tile<i32>
  return
}
//| cuda_tile.module @kernels {
//|   entry @kernel(%arg0: tile<i32>) {
//|     %0 = addi %arg0, %arg0 : tile<i32> loc(#loc2)
//|     return loc(#loc2)
//|   } loc(#loc2)
//| } loc(#loc)
//| #di_file = #cuda_tile.di_file<"<unknown>" in "">
//| #loc = loc(unknown)
//| #loc1 = loc("<unknown>":1:1)
//| #di_compile_unit = #cuda_tile.di_compile_unit<file = #di_file>
//| #di_subprogram = #cuda_tile.di_subprogram<file = #di_file, line = 1, name = "kernel", linkageName = "kernel", compileUnit = #di_compile_unit, scopeLine = 1>
//| #loc2 = #cuda_tile.di_loc<#loc1 in #di_subprogram>
