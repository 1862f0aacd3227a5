"cuda_tile.module"() <{sym_name = "kernels"}> ({
  "cuda_tile.entry"() <{function_type = () -> ()}> ({
    "cuda_tile.return"() : () -> ()
  }) : () -> ()
  "cuda_tile.entry"() <{function_type = (tile<i32>) -> (), sym_name = "k"}> ({
  ^bb0(%arg0: tile<i32>):
    %0 = "cuda_tile.addi"(%arg0) : (tile<i32>) -> tile<i32>
    %1 = "cuda_tile.addi"(%arg0, %arg0) <{overflow = #cuda_tile.overflow<sometimes>}> : (tile<i32>, tile<i32>) -> tile<i32>
    %2 = "cuda_tile.addi"(%arg0, %arg0) : (tile<i32>, tile<f32>) -> tile<i32>
    %3 = "cuda_tile.addi"(%arg0, %arg0) : (tile<i32>, tile<i32>) -> ()
    %4 = "cuda_tile.addx"(%arg0, %arg0) : (tile<i32>, tile<i32>) -> tile<i32>
    %5 = "cuda_tile.if"(%arg0) ({
      "cuda_tile.yield"() : () -> ()
    }) : (tile<i32>) -> tile<i32>
    %6 = "cuda_tile.make_tensor_view"(%arg0) : (tile<i32>) -> tensor_view<f32>
    "cuda_tile.return"() : () -> ()
  }) : () -> ()
}) : () -> ()
