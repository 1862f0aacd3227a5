entry @a() {
  return loc(#loc1)
} loc(#loc1)
#di_file = #cuda_tile.di_file<"" in "">
#loc = loc("-":0:0)
#di_compile_unit = #cuda_tile.di_compile_unit<file = #di_file>
#di_subprogram = #cuda_tile.di_subprogram<file = #di_file, line = 0, name = "", linkageName = "a", compileUnit = #di_compile_unit>
#loc1 = #cuda_tile.di_loc<#loc in #di_subprogram>
