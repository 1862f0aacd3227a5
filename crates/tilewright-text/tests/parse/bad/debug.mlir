#unused = #cuda_tile.di_compile_unit<>
#file = #cuda_tile.di_file<"f" in "d">
#unknown = loc(unknown)
#unit = #cuda_tile.di_compile_unit<file = #file, line = 3>
#unit1 = #cuda_tile.di_compile_unit<file = #unknown>
#unit2 = #cuda_tile.di_compile_unit<file = #file, file = #file>
#unit3 = #cuda_tile.di_compile_unit<file = #file>
#sub = #cuda_tile.di_subprogram<file = #file, line = 1, name = "k", compileUnit = #unit3>
#sub1 = #cuda_tile.di_subprogram<file = #file, line = 1, name = "k", linkageName = "k">
#sub2 = #cuda_tile.di_subprogram<file = #file, line = 1, name = "k", linkageName = "k", compileUnit = #unit3, column = 3>
#block = #cuda_tile.di_lexical_block<file = #file, line = 1>
entry @k() {
  return
}
