entry @print_blocks(%arg0: tile<ptr<i32>>, %arg1: tile<i32>, %arg2: tile<i32>) optimization_hints=<default = {}> {
  %0 = make_token : token loc(#loc6)
  %cst_1_i32 = constant <i32: 1> : tile<i32> loc(#loc6)
  %assume = assume bounded<0, ?>, %arg1 : tile<i32> loc(#loc6)
  %tview = make_tensor_view %arg0, shape = [%assume], strides = [1] : tile<i32> -> tensor_view<?xi32, strides=[1]> loc(#loc6)
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32> loc(#loc7)
  %1 = muli %blockId_x, %blockId_x : tile<i32> loc(#loc8)
  %2 = print_tko "hello from block %i, %u squared is %u\0A", %blockId_x, %blockId_x, %1 token=%0 : tile<i32>, tile<i32>, tile<i32> -> token loc(#loc9)
  %reshape = reshape %blockId_x : tile<i32> -> tile<1xi32> loc(#loc10)
  %pview = make_partition_view %tview : partition_view<tile=(1), tensor_view<?xi32, strides=[1]>> loc(#loc10)
  %3 = join_tokens %0, %2 : token loc(#loc10)
  %4 = store_view_tko weak %reshape, %pview[%blockId_x] token = %3 : tile<1xi32>, partition_view<tile=(1), tensor_view<?xi32, strides=[1]>>, tile<i32> -> token loc(#loc10)
  return loc(#loc5)
} loc(#loc6)
#di_file = #cuda_tile.di_file<"kernels.py" in "">
#loc = loc("kernels.py":3151:0)
#loc1 = loc("kernels.py":3152:8)
#loc2 = loc("kernels.py":3153:63)
#loc3 = loc("kernels.py":3153:4)
#loc4 = loc("kernels.py":3154:4)
#loc5 = loc(unknown)
#di_compile_unit = #cuda_tile.di_compile_unit<file = #di_file>
#di_subprogram = #cuda_tile.di_subprogram<file = #di_file, line = 3150, name = "print_all_kernel", linkageName = "print_blocks", compileUnit = #di_compile_unit, scopeLine = 3150>
#loc6 = #cuda_tile.di_loc<#loc in #di_subprogram>
#loc7 = #cuda_tile.di_loc<#loc1 in #di_subprogram>
#loc8 = #cuda_tile.di_loc<#loc2 in #di_subprogram>
#loc9 = #cuda_tile.di_loc<#loc3 in #di_subprogram>
#loc10 = #cuda_tile.di_loc<#loc4 in #di_subprogram>
