"cuda_tile.module"() <{sym_name = "kernels"}> ({
  "cuda_tile.entry"() <{function_type = (!cuda_tile.tile<ptr<i32>>, !cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> (), optimization_hints = #cuda_tile.optimization_hints<default = {}>, sym_name = "print_blocks"}> ({
  ^bb0(%arg0: !cuda_tile.tile<ptr<i32>> loc(#loc6), %arg1: !cuda_tile.tile<i32> loc(#loc6), %arg2: !cuda_tile.tile<i32> loc(#loc6)):
    %0 = "cuda_tile.make_token"() : () -> !cuda_tile.token loc(#loc6)
    %1 = "cuda_tile.constant"() <{value = dense<1> : !cuda_tile.tile<i32>}> : () -> !cuda_tile.tile<i32> loc(#loc6)
    %2 = "cuda_tile.assume"(%arg1) <{predicate = #cuda_tile.bounded<0, ?>}> : (!cuda_tile.tile<i32>) -> !cuda_tile.tile<i32> loc(#loc6)
    %3 = "cuda_tile.make_tensor_view"(%arg0, %2) <{operandSegmentSizes = array<i32: 1, 1, 0>}> : (!cuda_tile.tile<ptr<i32>>, !cuda_tile.tile<i32>) -> !cuda_tile.tensor_view<?xi32, strides=[1]> loc(#loc6)
    %4:3 = "cuda_tile.get_tile_block_id"() : () -> (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i32>) loc(#loc7)
    %5 = "cuda_tile.muli"(%4#0, %4#0) <{overflow = #cuda_tile.overflow<none>}> : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> !cuda_tile.tile<i32> loc(#loc8)
    %6 = "cuda_tile.print_tko"(%4#0, %4#0, %5, %0) <{operandSegmentSizes = array<i32: 3, 1>, str = "hello from block %i, %u squared is %u\0A"}> : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i32>, !cuda_tile.token) -> !cuda_tile.token loc(#loc9)
    %7 = "cuda_tile.reshape"(%4#0) : (!cuda_tile.tile<i32>) -> !cuda_tile.tile<1xi32> loc(#loc10)
    %8 = "cuda_tile.make_partition_view"(%3) : (!cuda_tile.tensor_view<?xi32, strides=[1]>) -> !cuda_tile.partition_view<tile=(1), tensor_view<?xi32, strides=[1]>> loc(#loc10)
    %9 = "cuda_tile.join_tokens"(%0, %6) : (!cuda_tile.token, !cuda_tile.token) -> !cuda_tile.token loc(#loc10)
    %10 = "cuda_tile.store_view_tko"(%7, %8, %4#0, %9) <{inbounds = array<i1: false>, memory_ordering_semantics = 0 : i32, operandSegmentSizes = array<i32: 1, 1, 1, 1>}> : (!cuda_tile.tile<1xi32>, !cuda_tile.partition_view<tile=(1), tensor_view<?xi32, strides=[1]>>, !cuda_tile.tile<i32>, !cuda_tile.token) -> !cuda_tile.token loc(#loc10)
    "cuda_tile.return"() : () -> () loc(#loc)
  }) : () -> () loc(#loc6)
}) : () -> () loc(#loc)
#di_file = #cuda_tile.di_file<"kernels.py" in "">
#loc = loc(unknown)
#loc1 = loc("kernels.py":3151:0)
#loc2 = loc("kernels.py":3152:8)
#loc3 = loc("kernels.py":3153:63)
#loc4 = loc("kernels.py":3153:4)
#loc5 = loc("kernels.py":3154:4)
#di_compile_unit = #cuda_tile.di_compile_unit<file = #di_file>
#di_subprogram = #cuda_tile.di_subprogram<file = #di_file, line = 3150, name = "print_all_kernel", linkageName = "print_blocks", compileUnit = #di_compile_unit, scopeLine = 3150>
#loc6 = #cuda_tile.di_loc<#loc1 in #di_subprogram>
#loc7 = #cuda_tile.di_loc<#loc2 in #di_subprogram>
#loc8 = #cuda_tile.di_loc<#loc3 in #di_subprogram>
#loc9 = #cuda_tile.di_loc<#loc4 in #di_subprogram>
#loc10 = #cuda_tile.di_loc<#loc5 in #di_subprogram>
