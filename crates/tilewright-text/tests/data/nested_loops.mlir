entry @k0(%arg0: tile<i32>, %arg1: tile<i32>, %arg2: tile<i32>) {
  %true = constant <i1: true> : tile<i1>
  %0:2 = if %true -> (tile<i32>, tile<i32>) {
    %cst_0_i32 = constant <i32: 0> : tile<i32>
    %2 = addi %arg0, %cst_0_i32 : tile<i32>
    %cst_0_f32 = constant <f32: 0.000000e+00> : tile<8xf32>
    %3 = scan %cst_0_f32 dim=0 reverse=true identities=[1.000000e+00 : f32] : tile<8xf32> -> tile<8xf32> 
    (%arg3: tile<f32>, %arg4: tile<f32>) {
      yield %arg3 : tile<f32>
    }
    %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
    %cst_f32_0 = constant <f32: 5.000000e-01> : tile<8xf32>
    %for:2 = for %loopIdx in (%arg0 to %blockId_x, step %arg1) : tile<i32> iter_values(%iterArg0 = %cst_0_f32, %iterArg1 = %cst_f32_0) -> (tile<8xf32>, tile<8xf32>) {
      %4 = if %true -> (tile<8xf32>) {
        %cst_1_i32 = constant <i32: 1> : tile<i32>
        %6:2 = loop iter_values(%arg3 = %cst_1_i32) : tile<i32> -> tile<8xf32>, tile<i32> {
          %cst_0_i32_5 = constant <i32: 0> : tile<i32>
          %7 = addi %blockId_x, %blockId_z : tile<i32>
          break %cst_0_f32, %loopIdx : tile<8xf32>, tile<i32>
        }
        %cst_0_i32_3 = constant <i32: 0> : tile<i32>
        %assume_cst_0_i32_4 = assume div_by<1>, %cst_0_i32_3 : tile<i32>
        yield %iterArg0 : tile<8xf32>
      } else {
        %6 = addi %blockId_y, %arg0 : tile<i32>
        if %true {
          %blockId_x_7, %blockId_y_8, %blockId_z_9 = get_tile_block_id : tile<i32>
        }
        %7 = addi %blockId_y, %6 : tile<i32>
        %cst_f32_3 = constant <f32: 5.000000e-01> : tile<8xf32>
        %reduce_4 = reduce %cst_f32_3 dim=0 identities=[1.000000e+00 : f32] : tile<8xf32> -> tile<f32> 
        (%reduce_lhs: tile<f32>, %reduce_rhs: tile<f32>) {
          %cst_0_f32_7 = constant <f32: 0.000000e+00> : tile<8xf32>
          %blockId_x_8, %blockId_y_9, %blockId_z_10 = get_tile_block_id : tile<i32>
          %true_11 = constant <i1: true> : tile<i1>
          %cst_f32_12 = constant <f32: 1.500000e+00> : tile<f32>
          yield %cst_f32_12 : tile<f32>
        }
        %cst_0_f32_5 = constant <f32: 0.000000e+00> : tile<8xf32>
        %cst_f32_6 = constant <f32: 5.000000e-01> : tile<8xf32>
        %8:2 = scan %cst_0_f32_5, %cst_f32_6 dim=0 reverse=true identities=[1.000000e+00 : f32, 1.000000e+00 : f32] : tile<8xf32>, tile<8xf32> -> tile<8xf32>, tile<8xf32> 
        (%arg3: tile<f32>, %arg4: tile<f32>, %arg5: tile<f32>, %arg6: tile<f32>) {
          %cst_0_i32_7 = constant <i32: 0> : tile<i32>
          %cst_0_i32_8 = constant <i32: 0> : tile<8xi32>
          %cst_1_i32 = constant <i32: 1> : tile<i32>
          %cst_0_f32_9 = constant <f32: 0.000000e+00> : tile<f32>
          yield %arg3, %cst_0_f32_9 : tile<f32>, tile<f32>
        }
        yield %iterArg0 : tile<8xf32>
      }
      %assume_cst_0_i32 = assume div_by<1>, %cst_0_i32 : tile<i32>
      %assume_assume_cst_0_i32 = assume div_by<1>, %assume_cst_0_i32 : tile<i32>
      %cst_2_i32 = constant <i32: 2> : tile<8xi32>
      %assume_cst_2_i32 = assume div_by<1>, %cst_2_i32 : tile<8xi32>
      %5:2 = if %true -> (tile<8xf32>, tile<i32>) {
        if %true {
          %cst_-1_i32 = constant <i32: -1> : tile<i32>
          %assume_cst_2_i32_4 = assume div_by<1>, %cst_2_i32 : tile<8xi32>
        } else {
          %blockId_x_4, %blockId_y_5, %blockId_z_6 = get_tile_block_id : tile<i32>
          %cst_0_f32_7 = constant <f32: 0.000000e+00> : tile<8xf32>
          %7 = scan %cst_0_f32_7 dim=0 reverse=true identities=[1.000000e+00 : f32] : tile<8xf32> -> tile<8xf32> 
          (%arg3: tile<f32>, %arg4: tile<f32>) {
            yield %arg4 : tile<f32>
          }
        }
        %6 = if %true -> (tile<8xf32>) {
          %reshape_4 = reshape %arg1 : tile<i32> -> tile<1xi32>
          %blockId_x_5, %blockId_y_6, %blockId_z_7 = get_tile_block_id : tile<i32>
          %cst_7_i32_8 = constant <i32: 7> : tile<i32>
          %cst_7_i32_9 = constant <i32: 7> : tile<i32>
          %7 = addi %cst_7_i32_8, %cst_7_i32_9 : tile<i32>
          %8 = addi %cst_7_i32_9, %blockId_x : tile<i32>
          %blockId_x_10, %blockId_y_11, %blockId_z_12 = get_tile_block_id : tile<i32>
          %cst_f32_13 = constant <f32: 5.000000e-01> : tile<8xf32>
          yield %cst_f32_13 : tile<8xf32>
        } else {
          %cst_f32_4 = constant <f32: 5.000000e-01> : tile<8xf32>
          %cst_0_f32_5 = constant <f32: 0.000000e+00> : tile<8xf32>
          %7:2 = scan %cst_f32_4, %cst_0_f32_5 dim=0 reverse=true identities=[1.000000e+00 : f32, 1.000000e+00 : f32] : tile<8xf32>, tile<8xf32> -> tile<8xf32>, tile<8xf32> 
          (%arg3: tile<f32>, %arg4: tile<f32>, %arg5: tile<f32>, %arg6: tile<f32>) {
            %cst_0_f32_6 = constant <f32: 0.000000e+00> : tile<8xf32>
            %cst_0_f32_7 = constant <f32: 0.000000e+00> : tile<8xf32>
            %false_8 = constant <i1: false> : tile<i1>
            %blockId_x_9, %blockId_y_10, %blockId_z_11 = get_tile_block_id : tile<i32>
            yield %arg5, %arg5 : tile<f32>, tile<f32>
          }
          yield %7#1 : tile<8xf32>
        }
        %cst_7_i32 = constant <i32: 7> : tile<i32>
        loop iter_values(%arg3 = %cst_7_i32) : tile<i32> {
          %assume_assume_cst_2_i32 = assume div_by<1>, %assume_cst_2_i32 : tile<8xi32>
          %blockId_x_4, %blockId_y_5, %blockId_z_6 = get_tile_block_id : tile<i32>
          break
        }
        %false = constant <i1: false> : tile<i1>
        if %false {
        }
        %reshape_3 = reshape %blockId_x : tile<i32> -> tile<1xi32>
        yield %iterArg1, %arg0 : tile<8xf32>, tile<i32>
      } else {
        %6 = if %true -> (tile<i32>) {
          %cst_0_i32_6 = constant <i32: 0> : tile<8xi32>
          %assume_cst_0_i32_7 = assume div_by<1>, %cst_0_i32_6 : tile<8xi32>
          %reshape_8 = reshape %assume_assume_cst_0_i32 : tile<i32> -> tile<1xi32>
          %cst_0_i32_9 = constant <i32: 0> : tile<i32>
          %reshape_10 = reshape %cst_0_i32_9 : tile<i32> -> tile<1xi32>
          yield %cst_0_i32_9 : tile<i32>
        } else {
          %assume_cst_2_i32_6 = assume div_by<1>, %cst_2_i32 : tile<8xi32>
          %assume_cst_2_i32_7 = assume div_by<1>, %cst_2_i32 : tile<8xi32>
          yield %assume_assume_cst_0_i32 : tile<i32>
        }
        %cst_2_f32 = constant <f32: 2.000000e+00> : tile<8xf32>
        %reduce_3:2 = reduce %iterArg0, %cst_2_f32 dim=0 identities=[1.000000e+00 : f32, 1.000000e+00 : f32] : tile<8xf32>, tile<8xf32> -> tile<f32>, tile<f32> 
        (%reduce_lhs0: tile<f32>, %reduce_rhs0: tile<f32>, %reduce_lhs1: tile<f32>, %reduce_rhs1: tile<f32>) {
          %7 = addi %blockId_y, %cst_0_i32 : tile<i32>
          %cst_2_i32_6 = constant <i32: 2> : tile<8xi32>
          %true_7 = constant <i1: true> : tile<i1>
          %false = constant <i1: false> : tile<i1>
          yield %reduce_lhs0, %reduce_rhs1 : tile<f32>, tile<f32>
        }
        %reshape_4 = reshape %cst_0_i32 : tile<i32> -> tile<1xi32>
        %assume_ = assume div_by<1>, %6 : tile<i32>
        %cst_f32_5 = constant <f32: 5.000000e-01> : tile<8xf32>
        yield %cst_f32_5, %assume_assume_cst_0_i32 : tile<8xf32>, tile<i32>
      }
      %cst_f32_2 = constant <f32: 5.000000e-01> : tile<8xf32>
      continue %cst_f32_0, %cst_f32_2 : tile<8xf32>, tile<8xf32>
    }
    %reduce = reduce %for#1 dim=0 identities=[1.000000e+00 : f32] : tile<8xf32> -> tile<f32> 
    (%reduce_lhs: tile<f32>, %reduce_rhs: tile<f32>) {
      %cst_2_f32 = constant <f32: 2.000000e+00> : tile<8xf32>
      %4 = addi %cst_0_i32, %arg0 : tile<i32>
      %cst_0_f32_2 = constant <f32: 0.000000e+00> : tile<8xf32>
      %cst_f32_3 = constant <f32: 5.000000e-01> : tile<8xf32>
      %cst_0_i32_4 = constant <i32: 0> : tile<8xi32>
      %cst_0_f32_5 = constant <f32: 0.000000e+00> : tile<f32>
      yield %cst_0_f32_5 : tile<f32>
    }
    %cst_0_i32_1 = constant <i32: 0> : tile<i32>
    yield %cst_0_i32_1, %cst_0_i32 : tile<i32>, tile<i32>
  } else {
    %cst_0_f32 = constant <f32: 0.000000e+00> : tile<8xf32>
    %2 = scan %cst_0_f32 dim=0 reverse=true identities=[1.000000e+00 : f32] : tile<8xf32> -> tile<8xf32> 
    (%arg3: tile<f32>, %arg4: tile<f32>) {
      %blockId_x_4, %blockId_y_5, %blockId_z_6 = get_tile_block_id : tile<i32>
      %cst_0_i32 = constant <i32: 0> : tile<i32>
      %cst_0_f32_7 = constant <f32: 0.000000e+00> : tile<8xf32>
      %cst_2_i32 = constant <i32: 2> : tile<8xi32>
      %cst_0_f32_8 = constant <f32: 0.000000e+00> : tile<f32>
      yield %cst_0_f32_8 : tile<f32>
    }
    if %true {
      %cst_7_i32 = constant <i32: 7> : tile<i32>
      %assume_cst_7_i32 = assume div_by<1>, %cst_7_i32 : tile<i32>
    } else {
    }
    %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
    %true_0 = constant <i1: true> : tile<i1>
    if %true_0 {
      %3:2 = loop : tile<8xf32>, tile<i32> {
        %assume_blockId_x = assume div_by<1>, %blockId_x : tile<i32>
        %cst_2_i32 = constant <i32: 2> : tile<8xi32>
        %assume_cst_2_i32 = assume div_by<1>, %cst_2_i32 : tile<8xi32>
        %cst_f32_7 = constant <f32: 5.000000e-01> : tile<8xf32>
        %4:2 = if %true_0 -> (tile<8xf32>, tile<i32>) {
          yield %cst_f32_7, %arg1 : tile<8xf32>, tile<i32>
        } else {
          yield %2, %blockId_z : tile<8xf32>, tile<i32>
        }
        %5 = addi %arg0, %arg0 : tile<i32>
        %reduce:2 = reduce %4#0, %4#0 dim=0 identities=[1.000000e+00 : f32, 1.000000e+00 : f32] : tile<8xf32>, tile<8xf32> -> tile<f32>, tile<f32> 
        (%reduce_lhs0: tile<f32>, %reduce_rhs0: tile<f32>, %reduce_lhs1: tile<f32>, %reduce_rhs1: tile<f32>) {
          %cst_0_i32 = constant <i32: 0> : tile<i32>
          %true_8 = constant <i1: true> : tile<i1>
          %blockId_x_9, %blockId_y_10, %blockId_z_11 = get_tile_block_id : tile<i32>
          yield %reduce_lhs1, %reduce_lhs1 : tile<f32>, tile<f32>
        }
      }
      %blockId_x_4, %blockId_y_5, %blockId_z_6 = get_tile_block_id : tile<i32>
    } else {
      %cst_7_i32 = constant <i32: 7> : tile<i32>
      %3 = addi %cst_7_i32, %arg0 : tile<i32>
      %4:2 = if %true_0 -> (tile<i32>, tile<i32>) {
        yield %arg1, %cst_7_i32 : tile<i32>, tile<i32>
      } else {
        %false = constant <i1: false> : tile<i1>
        if %false {
          %cst_2_i32 = constant <i32: 2> : tile<8xi32>
          %assume_cst_2_i32 = assume div_by<1>, %cst_2_i32 : tile<8xi32>
        } else {
          %cst_0_f32_9 = constant <f32: 0.000000e+00> : tile<8xf32>
          %reduce_10 = reduce %cst_0_f32_9 dim=0 identities=[1.000000e+00 : f32] : tile<8xf32> -> tile<f32> 
          (%reduce_lhs: tile<f32>, %reduce_rhs: tile<f32>) {
            %cst_f32_12 = constant <f32: 5.000000e-01> : tile<8xf32>
            %cst_0_f32_13 = constant <f32: 0.000000e+00> : tile<8xf32>
            %false_14 = constant <i1: false> : tile<i1>
            %cst_0_i32_15 = constant <i32: 0> : tile<8xi32>
            %cst_0_f32_16 = constant <f32: 0.000000e+00> : tile<8xf32>
            %cst_2_f32 = constant <f32: 2.000000e+00> : tile<8xf32>
            yield %reduce_rhs : tile<f32>
          }
          %reduce_11 = reduce %cst_0_f32 dim=0 identities=[1.000000e+00 : f32] : tile<8xf32> -> tile<f32> 
          (%reduce_lhs: tile<f32>, %reduce_rhs: tile<f32>) {
            %cst_2_i32 = constant <i32: 2> : tile<8xi32>
            %true_12 = constant <i1: true> : tile<i1>
            %cst_7_i32_13 = constant <i32: 7> : tile<i32>
            %cst_2_i32_14 = constant <i32: 2> : tile<8xi32>
            %true_15 = constant <i1: true> : tile<i1>
            yield %reduce_rhs : tile<f32>
          }
        }
        %cst_0_i32 = constant <i32: 0> : tile<8xi32>
        %blockId_x_4, %blockId_y_5, %blockId_z_6 = get_tile_block_id : tile<i32>
        %cst_0_i32_7 = constant <i32: 0> : tile<i32>
        %cst_7_i32_8 = constant <i32: 7> : tile<i32>
        yield %cst_0_i32_7, %cst_7_i32_8 : tile<i32>, tile<i32>
      }
      %reduce = reduce %cst_0_f32 dim=0 identities=[1.000000e+00 : f32] : tile<8xf32> -> tile<f32> 
      (%reduce_lhs: tile<f32>, %reduce_rhs: tile<f32>) {
        %true_4 = constant <i1: true> : tile<i1>
        yield %reduce_rhs : tile<f32>
      }
    }
    %blockId_x_1, %blockId_y_2, %blockId_z_3 = get_tile_block_id : tile<i32>
    yield %arg1, %blockId_y : tile<i32>, tile<i32>
  }
  %cst_f32 = constant <f32: 5.000000e-01> : tile<8xf32>
  %reshape = reshape %arg1 : tile<i32> -> tile<1xi32>
  %1 = scan %cst_f32 dim=0 reverse=true identities=[1.000000e+00 : f32] : tile<8xf32> -> tile<8xf32> 
  (%arg3: tile<f32>, %arg4: tile<f32>) {
    %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
    %cst_f32_0 = constant <f32: 5.000000e-01> : tile<8xf32>
    %true_1 = constant <i1: true> : tile<i1>
    %true_2 = constant <i1: true> : tile<i1>
    %true_3 = constant <i1: true> : tile<i1>
    %cst_0_i32 = constant <i32: 0> : tile<8xi32>
    %cst_0_f32 = constant <f32: 0.000000e+00> : tile<f32>
    yield %cst_0_f32 : tile<f32>
  }
  return
}
