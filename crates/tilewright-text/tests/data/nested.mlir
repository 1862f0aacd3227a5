entry @k0(%arg0: tile<i32>, %arg1: tile<i32>) {
  %assume = assume div_by<1>, %arg0 : tile<i32>
  %true = constant <i1: true> : tile<i1>
  %0 = if %true -> (tile<i32>) {
    %cst_f32 = constant <f32: 5.000000e-01> : tile<8xf32>
    %1 = scan %cst_f32 dim=0 reverse=true identities=[1.000000e+00 : f32] : tile<8xf32> -> tile<8xf32> 
    (%arg2: tile<f32>, %arg3: tile<f32>) {
      %cst_f32_6 = constant <f32: 5.000000e-01> : tile<8xf32>
      %4 = addi %assume, %arg1 : tile<i32>
      %cst_0_f32_7 = constant <f32: 0.000000e+00> : tile<f32>
      yield %cst_0_f32_7 : tile<f32>
    }
    %assume_1 = assume div_by<1>, %arg1 : tile<i32>
    %cst_0_i32_2 = constant <i32: 0> : tile<8xi32>
    %assume_cst_0_i32 = assume div_by<1>, %cst_0_i32_2 : tile<8xi32>
    %2:2 = scan %cst_f32, %cst_f32 dim=0 reverse=true identities=[1.000000e+00 : f32, 1.000000e+00 : f32] : tile<8xf32>, tile<8xf32> -> tile<8xf32>, tile<8xf32> 
    (%arg2: tile<f32>, %arg3: tile<f32>, %arg4: tile<f32>, %arg5: tile<f32>) {
      %cst_7_i32_6 = constant <i32: 7> : tile<i32>
      %cst_f32_7 = constant <f32: 1.500000e+00> : tile<f32>
      yield %arg3, %cst_f32_7 : tile<f32>, tile<f32>
    }
    %cst_0_i32_3 = constant <i32: 0> : tile<8xi32>
    %assume_cst_0_i32_4 = assume div_by<1>, %cst_0_i32_3 : tile<8xi32>
    %cst_0_i32_5 = constant <i32: 0> : tile<i32>
    %cst_1_i32 = constant <i32: 1> : tile<i32>
    %3 = addi %cst_0_i32_5, %cst_1_i32 : tile<i32>
    yield %arg1 : tile<i32>
  } else {
    %cst_0_i32_1 = constant <i32: 0> : tile<8xi32>
    %assume_cst_0_i32 = assume div_by<1>, %cst_0_i32_1 : tile<8xi32>
    %1:2 = if %true -> (tile<i32>, tile<i32>) {
      %cst_0_i32_3 = constant <i32: 0> : tile<i32>
      %cst_0_i32_4 = constant <i32: 0> : tile<i32>
      yield %cst_0_i32_3, %cst_0_i32_4 : tile<i32>, tile<i32>
    } else {
      %3 = loop iter_values(%arg2 = %arg0) : tile<i32> -> tile<i32> {
        %assume_assume = assume div_by<1>, %assume : tile<i32>
        %reshape_5 = reshape %assume : tile<i32> -> tile<1xi32>
        if %true {
          %4 = addi %arg0, %assume : tile<i32>
          %assume_6 = assume div_by<1>, %arg2 : tile<i32>
          %assume_assume_7 = assume div_by<1>, %assume_6 : tile<i32>
        }
        break %arg0 : tile<i32>
      }
      %assume_3 = assume div_by<1>, %arg1 : tile<i32>
      %cst_0_i32_4 = constant <i32: 0> : tile<i32>
      yield %cst_0_i32_4, %arg0 : tile<i32>, tile<i32>
    }
    %assume_ = assume div_by<1>, %1#1 : tile<i32>
    loop iter_values(%arg2 = %1#1) : tile<i32> {
      continue %1#0 : tile<i32>
    }
    %2 = loop : tile<8xf32> {
      %cst_f32 = constant <f32: 5.000000e-01> : tile<8xf32>
      %reduce = reduce %cst_f32 dim=0 identities=[1.000000e+00 : f32] : tile<8xf32> -> tile<f32> 
      (%reduce_lhs: tile<f32>, %reduce_rhs: tile<f32>) {
        %cst_0_i32_3 = constant <i32: 0> : tile<i32>
        %cst_0_i32_4 = constant <i32: 0> : tile<8xi32>
        %cst_f32_5 = constant <f32: 5.000000e-01> : tile<8xf32>
        %cst_0_i32_6 = constant <i32: 0> : tile<8xi32>
        yield %reduce_lhs : tile<f32>
      }
      loop iter_values(%arg2 = %assume_) : tile<i32> {
        %cst_0_f32_3 = constant <f32: 0.000000e+00> : tile<8xf32>
        %3:2 = scan %cst_0_f32_3, %cst_0_f32_3 dim=0 reverse=true identities=[1.000000e+00 : f32, 1.000000e+00 : f32] : tile<8xf32>, tile<8xf32> -> tile<8xf32>, tile<8xf32> 
        (%arg3: tile<f32>, %arg4: tile<f32>, %arg5: tile<f32>, %arg6: tile<f32>) {
          %4 = addi %assume, %1#0 : tile<i32>
          %cst_2_f32 = constant <f32: 2.000000e+00> : tile<8xf32>
          %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
          %cst_7_i32_4 = constant <i32: 7> : tile<i32>
          %cst_0_i32_5 = constant <i32: 0> : tile<i32>
          %5 = addi %blockId_x, %cst_0_i32_5 : tile<i32>
          %cst_0_f32_6 = constant <f32: 0.000000e+00> : tile<f32>
          yield %arg4, %cst_0_f32_6 : tile<f32>, tile<f32>
        }
        break
      }
      break %cst_f32 : tile<8xf32>
    }
    %reshape = reshape %assume_ : tile<i32> -> tile<1xi32>
    %cst_-1_i32_2 = constant <i32: -1> : tile<i32>
    yield %cst_-1_i32_2 : tile<i32>
  }
  %cst_0_f32 = constant <f32: 0.000000e+00> : tile<8xf32>
  %cst_0_i32 = constant <i32: 0> : tile<i32>
  %for = for %loopIdx in (%0 to %cst_0_i32, step %assume) : tile<i32> iter_values(%iterArg0 = %cst_0_f32) -> (tile<8xf32>) {
    continue %iterArg0 : tile<8xf32>
  }
  %cst_-1_i32 = constant <i32: -1> : tile<i32>
  %cst_7_i32 = constant <i32: 7> : tile<i32>
  %for_0:2 = for %loopIdx in (%cst_-1_i32 to %cst_7_i32, step %arg1) : tile<i32> iter_values(%iterArg0 = %for, %iterArg1 = %for) -> (tile<8xf32>, tile<8xf32>) {
    %1 = if %true -> (tile<i32>) {
      %cst_2_f32_1 = constant <f32: 2.000000e+00> : tile<8xf32>
      %reduce:2 = reduce %iterArg1, %cst_2_f32_1 dim=0 identities=[1.000000e+00 : f32, 1.000000e+00 : f32] : tile<8xf32>, tile<8xf32> -> tile<f32>, tile<f32> 
      (%reduce_lhs0: tile<f32>, %reduce_rhs0: tile<f32>, %reduce_lhs1: tile<f32>, %reduce_rhs1: tile<f32>) {
        %cst_1_i32 = constant <i32: 1> : tile<i32>
        %false = constant <i1: false> : tile<i1>
        %false_7 = constant <i1: false> : tile<i1>
        %false_8 = constant <i1: false> : tile<i1>
        %cst_f32 = constant <f32: 1.500000e+00> : tile<f32>
        %cst_f32_9 = constant <f32: 1.500000e+00> : tile<f32>
        yield %cst_f32, %cst_f32_9 : tile<f32>, tile<f32>
      }
      %2 = if %true -> (tile<8xf32>) {
        yield %cst_0_f32 : tile<8xf32>
      } else {
        %cst_0_i32_7 = constant <i32: 0> : tile<i32>
        %cst_0_i32_8 = constant <i32: 0> : tile<8xi32>
        %assume_cst_0_i32_9 = assume div_by<1>, %cst_0_i32_8 : tile<8xi32>
        %assume_cst_7_i32 = assume div_by<1>, %cst_7_i32 : tile<i32>
        %reshape = reshape %loopIdx : tile<i32> -> tile<1xi32>
        yield %iterArg1 : tile<8xf32>
      }
      %cst_0_i32_2 = constant <i32: 0> : tile<8xi32>
      %assume_cst_0_i32 = assume div_by<1>, %cst_0_i32_2 : tile<8xi32>
      %cst_0_i32_3 = constant <i32: 0> : tile<8xi32>
      %assume_cst_0_i32_4 = assume div_by<1>, %cst_0_i32_3 : tile<8xi32>
      %cst_2_f32_5 = constant <f32: 2.000000e+00> : tile<8xf32>
      %3:2 = scan %cst_2_f32_5, %iterArg1 dim=0 reverse=true identities=[1.000000e+00 : f32, 1.000000e+00 : f32] : tile<8xf32>, tile<8xf32> -> tile<8xf32>, tile<8xf32> 
      (%arg2: tile<f32>, %arg3: tile<f32>, %arg4: tile<f32>, %arg5: tile<f32>) {
        %false = constant <i1: false> : tile<i1>
        %cst_0_i32_7 = constant <i32: 0> : tile<i32>
        %true_8 = constant <i1: true> : tile<i1>
        %cst_2_f32_9 = constant <f32: 2.000000e+00> : tile<8xf32>
        %true_10 = constant <i1: true> : tile<i1>
        %cst_0_f32_11 = constant <f32: 0.000000e+00> : tile<f32>
        yield %arg3, %cst_0_f32_11 : tile<f32>, tile<f32>
      }
      %cst_0_i32_6 = constant <i32: 0> : tile<i32>
      yield %cst_0_i32_6 : tile<i32>
    } else {
      %cst_0_i32_1 = constant <i32: 0> : tile<8xi32>
      if %true {
        %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
      } else {
        %false = constant <i1: false> : tile<i1>
        %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
        %reduce = reduce %iterArg1 dim=0 identities=[1.000000e+00 : f32] : tile<8xf32> -> tile<f32> 
        (%reduce_lhs: tile<f32>, %reduce_rhs: tile<f32>) {
          %cst_f32 = constant <f32: 5.000000e-01> : tile<8xf32>
          yield %reduce_lhs : tile<f32>
        }
        %2 = loop : tile<i32> {
          %cst_7_i32_4 = constant <i32: 7> : tile<i32>
          break %cst_7_i32_4 : tile<i32>
        }
        %cst_2_f32_2 = constant <f32: 2.000000e+00> : tile<8xf32>
        %reduce_3 = reduce %cst_2_f32_2 dim=0 identities=[1.000000e+00 : f32] : tile<8xf32> -> tile<f32> 
        (%reduce_lhs: tile<f32>, %reduce_rhs: tile<f32>) {
          %cst_0_i32_4 = constant <i32: 0> : tile<8xi32>
          %cst_0_f32_5 = constant <f32: 0.000000e+00> : tile<8xf32>
          %cst_0_i32_6 = constant <i32: 0> : tile<i32>
          %false_7 = constant <i1: false> : tile<i1>
          %cst_0_i32_8 = constant <i32: 0> : tile<i32>
          %blockId_x_9, %blockId_y_10, %blockId_z_11 = get_tile_block_id : tile<i32>
          %cst_0_f32_12 = constant <f32: 0.000000e+00> : tile<f32>
          yield %cst_0_f32_12 : tile<f32>
        }
        %3:2 = if %false -> (tile<i32>, tile<8xf32>) {
          yield %cst_-1_i32, %for : tile<i32>, tile<8xf32>
        } else {
          %reshape = reshape %arg1 : tile<i32> -> tile<1xi32>
          %assume_cst_0_i32 = assume div_by<1>, %cst_0_i32_1 : tile<8xi32>
          %cst_-1_i32_4 = constant <i32: -1> : tile<i32>
          yield %cst_7_i32, %cst_2_f32_2 : tile<i32>, tile<8xf32>
        }
      }
      yield %loopIdx : tile<i32>
    }
    %cst_2_f32 = constant <f32: 2.000000e+00> : tile<8xf32>
    continue %cst_2_f32, %cst_0_f32 : tile<8xf32>, tile<8xf32>
  }
  return
}
