cuda_tile.module @kernels {
  global  @g <f32: [1.000000e+00, 2.000000e+00, 3.000000e+00, 4.000000e+00]> : tile<4xf32> loc(#loc)
  entry @a() {
    %cst_0_i32 = constant <i32: 0> : tile<i32> loc(#loc6)
    %cst_1_i32 = constant <i32: 1> : tile<i32> loc(#loc7)
    %cst_2_i32 = constant <i32: 2> : tile<i32> loc(#loc8)
    %cst_3_i32 = constant <i32: 3> : tile<i32> loc(#loc9)
    %cst_4_i32 = constant <i32: 4> : tile<i32> loc(#loc)
    %cst_5_i32 = constant <i32: 5> : tile<i32> loc(#loc6)
    %cst_6_i32 = constant <i32: 6> : tile<i32> loc(#loc10)
    return loc(#loc)
  } loc(#loc4)
  entry @b() {
    %true = constant <i1: true> : tile<i1> loc(#loc5)
    if %true {
    } loc(#loc)
    return loc(#loc5)
  } loc(#loc5)
  entry @c(%arg0: tile<i32>) {
    return loc(#loc)
  } loc(#loc)
} loc(#loc)
#di_file = #cuda_tile.di_file<"k.py" in "/d">
#di_file1 = #cuda_tile.di_file<"other \22x\22.py" in "">
#loc = loc(unknown)
#loc1 = loc("k.py":10:0)
#loc2 = loc("k.py":12:5)
#loc3 = loc("k.py":14:5)
#di_compile_unit = #cuda_tile.di_compile_unit<file = #di_file>
#di_subprogram = #cuda_tile.di_subprogram<file = #di_file, line = 10, name = "a", linkageName = "a", compileUnit = #di_compile_unit, scopeLine = 11>
#di_subprogram1 = #cuda_tile.di_subprogram<file = #di_file1, line = 20, name = "bname", linkageName = "b", compileUnit = #di_compile_unit, scopeLine = 21>
#di_lexical_block = #cuda_tile.di_lexical_block<scope = #di_subprogram, file = #di_file, line = 12, column = 3>
#loc4 = #cuda_tile.di_loc<#loc1 in #di_subprogram>
#loc5 = #cuda_tile.di_loc<#loc1 in #di_subprogram1>
#di_lexical_block1 = #cuda_tile.di_lexical_block<scope = #di_lexical_block, file = #di_file1, line = 13, column = 4>
#loc6 = #cuda_tile.di_loc<#loc2 in #di_lexical_block>
#loc7 = #cuda_tile.di_loc<#loc3 in #di_lexical_block1>
#loc8 = loc(callsite(#loc6 at #loc4))
#loc9 = loc(callsite(#loc at #loc7))
#loc10 = loc(callsite(#loc8 at #loc7))
