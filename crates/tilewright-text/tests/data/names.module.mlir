cuda_tile.module @kernels {
  entry @k(%arg0: tile<i32>) {
    %cst_0_i32 = constant <i32: 0> : tile<i32>
    %cst_8_i32 = constant <i32: 8> : tile<i32>
    %cst_1_i32 = constant <i32: 1> : tile<i32>
    %assume = assume div_by<1>, %arg0 : tile<i32>
    %assume_cst_0_i32 = assume div_by<1>, %cst_0_i32 : tile<i32>
    %assume_assume_cst_0_i32 = assume div_by<1>, %assume_cst_0_i32 : tile<i32>
    %0 = addi %cst_0_i32, %cst_8_i32 : tile<i32>
    %assume_0 = assume div_by<1>, %0 : tile<i32>
    %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
    %assume_blockId_y = assume div_by<1>, %blockId_y : tile<i32>
    %reshape = reshape %cst_0_i32 : tile<i32> -> tile<1xi32>
    %assume_reshape = assume div_by<1>, %reshape : tile<1xi32>
    %for:2 = for %loopIdx in (%cst_0_i32 to %cst_8_i32, step %cst_1_i32) : tile<i32> iter_values(%iterArg0 = %cst_0_i32, %iterArg1 = %cst_8_i32) -> (tile<i32>, tile<i32>) {
      %cst_5_i32 = constant <i32: 5> : tile<i32>
      %assume_1 = assume div_by<1>, %iterArg0 : tile<i32>
      continue %iterArg0, %cst_5_i32 : tile<i32>, tile<i32>
    }
    %assume_for = assume div_by<1>, %for#0 : tile<i32>
    %assume_ = assume div_by<1>, %for#1 : tile<i32>
    %true = constant <i1: true> : tile<i1>
    if %true {
      %cst_0_i32_1 = constant <i32: 0> : tile<i32>
    }
    return
  }
}
