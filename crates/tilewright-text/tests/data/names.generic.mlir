"cuda_tile.entry"() <{function_type = (!cuda_tile.tile<i32>) -> (), sym_name = "k"}> ({
^bb0(%arg0: !cuda_tile.tile<i32>):
  %0 = "cuda_tile.constant"() <{value = dense<0> : !cuda_tile.tile<i32>}> : () -> !cuda_tile.tile<i32>
  %1 = "cuda_tile.constant"() <{value = dense<8> : !cuda_tile.tile<i32>}> : () -> !cuda_tile.tile<i32>
  %2 = "cuda_tile.constant"() <{value = dense<1> : !cuda_tile.tile<i32>}> : () -> !cuda_tile.tile<i32>
  %3 = "cuda_tile.assume"(%arg0) <{predicate = #cuda_tile.div_by<1>}> : (!cuda_tile.tile<i32>) -> !cuda_tile.tile<i32>
  %4 = "cuda_tile.assume"(%0) <{predicate = #cuda_tile.div_by<1>}> : (!cuda_tile.tile<i32>) -> !cuda_tile.tile<i32>
  %5 = "cuda_tile.assume"(%4) <{predicate = #cuda_tile.div_by<1>}> : (!cuda_tile.tile<i32>) -> !cuda_tile.tile<i32>
  %6 = "cuda_tile.addi"(%0, %1) <{overflow = #cuda_tile.overflow<none>}> : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> !cuda_tile.tile<i32>
  %7 = "cuda_tile.assume"(%6) <{predicate = #cuda_tile.div_by<1>}> : (!cuda_tile.tile<i32>) -> !cuda_tile.tile<i32>
  %8:3 = "cuda_tile.get_tile_block_id"() : () -> (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i32>)
  %9 = "cuda_tile.assume"(%8#1) <{predicate = #cuda_tile.div_by<1>}> : (!cuda_tile.tile<i32>) -> !cuda_tile.tile<i32>
  %10 = "cuda_tile.reshape"(%0) : (!cuda_tile.tile<i32>) -> !cuda_tile.tile<1xi32>
  %11 = "cuda_tile.assume"(%10) <{predicate = #cuda_tile.div_by<1>}> : (!cuda_tile.tile<1xi32>) -> !cuda_tile.tile<1xi32>
  %12:2 = "cuda_tile.for"(%0, %1, %2, %0, %1) ({
  ^bb0(%arg1: !cuda_tile.tile<i32>, %arg2: !cuda_tile.tile<i32>, %arg3: !cuda_tile.tile<i32>):
    %16 = "cuda_tile.constant"() <{value = dense<5> : !cuda_tile.tile<i32>}> : () -> !cuda_tile.tile<i32>
    %17 = "cuda_tile.assume"(%arg2) <{predicate = #cuda_tile.div_by<1>}> : (!cuda_tile.tile<i32>) -> !cuda_tile.tile<i32>
    "cuda_tile.continue"(%arg2, %16) : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> ()
  }) : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>)
  %13 = "cuda_tile.assume"(%12#0) <{predicate = #cuda_tile.div_by<1>}> : (!cuda_tile.tile<i32>) -> !cuda_tile.tile<i32>
  %14 = "cuda_tile.assume"(%12#1) <{predicate = #cuda_tile.div_by<1>}> : (!cuda_tile.tile<i32>) -> !cuda_tile.tile<i32>
  %15 = "cuda_tile.constant"() <{value = dense<true> : !cuda_tile.tile<i1>}> : () -> !cuda_tile.tile<i1>
  "cuda_tile.if"(%15) ({
    %16 = "cuda_tile.constant"() <{value = dense<0> : !cuda_tile.tile<i32>}> : () -> !cuda_tile.tile<i32>
    "cuda_tile.yield"() : () -> ()
  }, {
  }) : (!cuda_tile.tile<i1>) -> ()
  "cuda_tile.return"() : () -> ()
}) : () -> ()
