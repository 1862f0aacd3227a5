entry @a() {
  return loc(#loc3)
} loc(#loc2)
#di_file = #cuda_tile.di_file<"k" in "/d">
#loc = loc("k":0:0)
#loc1 = loc("-":0:0)
#di_compile_unit = #cuda_tile.di_compile_unit<file = #di_file>
#di_subprogram = #cuda_tile.di_subprogram<file = #di_file, line = 0, name = "a", linkageName = "a", compileUnit = #di_compile_unit>
#di_lexical_block = #cuda_tile.di_lexical_block<scope = #di_subprogram, file = #di_file, line = 0>
#loc2 = #cuda_tile.di_loc<#loc in #di_subprogram>
#loc3 = #cuda_tile.di_loc<#loc1 in #di_lexical_block>
