// A reduction of rows begins in the region that computes them, which hands on a part of each row.
// REQUIRES: vector code

// The sum of exponentials, of rows that are too short for a region that takes row after row.
entry @rows(%from: tile<ptr<f32>>, %to: tile<ptr<f32>>) {
  %bx, %by, %bz = get_tile_block_id : tile<i32>
  %zero = constant <i32: 0> : tile<i32>
  %xt = make_tensor_view %from, shape = [64, 128], strides = [128, 1] : tensor_view<64x128xf32, strides=[128,1]>
  %x = make_partition_view %xt : partition_view<tile=(1x128), tensor_view<64x128xf32, strides=[128,1]>>
  %yt = make_tensor_view %to, shape = [64, 128], strides = [128, 1] : tensor_view<64x128xf32, strides=[128,1]>
  %y = make_partition_view %yt : partition_view<tile=(1x128), tensor_view<64x128xf32, strides=[128,1]>>
  %a, %a_t = load_view_tko weak %x[%bx, %zero] : partition_view<tile=(1x128), tensor_view<64x128xf32, strides=[128,1]>>, tile<i32> -> tile<1x128xf32>, token
  %e = exp %a : tile<1x128xf32>
  %s = reduce %e dim=1 identities=[0.0 : f32] : tile<1x128xf32> -> tile<1xf32>
  (%l: tile<f32>, %r: tile<f32>) {
    %p = addf %l, %r : tile<f32>
    yield %p : tile<f32>
  }
  %s2 = reshape %s : tile<1xf32> -> tile<1x1xf32>
  %s3 = broadcast %s2 : tile<1x1xf32> -> tile<1x128xf32>
  %o = divf %e, %s3 : tile<1x128xf32>
  %o_y_s = store_view_tko weak %o, %y[%bx, %zero] : tile<1x128xf32>, partition_view<tile=(1x128), tensor_view<64x128xf32, strides=[128,1]>>, tile<i32> -> token
  // BEFORE: fold_rows{{.*}}rows of 128
  // CHECK: sweep region of 128
  // CHECK: [[PART:%[0-9]+]] = fold_to_a_part AddF
  // CHECK: fold_rows{{.*}}[[PART]]
  return
}

// Rows that nothing computes.
entry @loaded(%from: tile<ptr<f32>>, %to: tile<ptr<f32>>) {
  %bx, %by, %bz = get_tile_block_id : tile<i32>
  %zero = constant <i32: 0> : tile<i32>
  %xt = make_tensor_view %from, shape = [64, 2048], strides = [2048, 1] : tensor_view<64x2048xf32, strides=[2048,1]>
  %x = make_partition_view %xt : partition_view<tile=(1x2048), tensor_view<64x2048xf32, strides=[2048,1]>>
  %yt = make_tensor_view %to, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
  %y = make_partition_view %yt : partition_view<tile=(1), tensor_view<64xf32, strides=[1]>>
  %a, %a_t = load_view_tko weak %x[%bx, %zero] : partition_view<tile=(1x2048), tensor_view<64x2048xf32, strides=[2048,1]>>, tile<i32> -> tile<1x2048xf32>, token
  %s = reduce %a dim=1 identities=[0.0 : f32] : tile<1x2048xf32> -> tile<1xf32>
  (%l: tile<f32>, %r: tile<f32>) {
    %p = addf %l, %r : tile<f32>
    yield %p : tile<f32>
  }
  %s_y_s = store_view_tko weak %s, %y[%bx] : tile<1xf32>, partition_view<tile=(1), tensor_view<64xf32, strides=[1]>>, tile<i32> -> token
  // CHECK: fold_rows{{.*}}rows of 2048
  return
}

// Columns, of what is computed with a row that all rows share.
entry @columns(%from: tile<ptr<f32>>, %row: tile<ptr<f32>>, %to: tile<ptr<f32>>) {
  %bx, %by, %bz = get_tile_block_id : tile<i32>
  %xt = make_tensor_view %from, shape = [64, 2048], strides = [2048, 1] : tensor_view<64x2048xf32, strides=[2048,1]>
  %x = make_partition_view %xt : partition_view<tile=(16x128), tensor_view<64x2048xf32, strides=[2048,1]>>
  %rt = make_tensor_view %row, shape = [2048], strides = [1] : tensor_view<2048xf32, strides=[1]>
  %r = make_partition_view %rt : partition_view<tile=(128), tensor_view<2048xf32, strides=[1]>>
  %yt = make_tensor_view %to, shape = [2048], strides = [1] : tensor_view<2048xf32, strides=[1]>
  %y = make_partition_view %yt : partition_view<tile=(128), tensor_view<2048xf32, strides=[1]>>
  %a, %a_t = load_view_tko weak %x[%by, %bx] : partition_view<tile=(16x128), tensor_view<64x2048xf32, strides=[2048,1]>>, tile<i32> -> tile<16x128xf32>, token
  %w, %w_t = load_view_tko weak %r[%bx] : partition_view<tile=(128), tensor_view<2048xf32, strides=[1]>>, tile<i32> -> tile<128xf32>, token
  %w1 = reshape %w : tile<128xf32> -> tile<1x128xf32>
  %w2 = broadcast %w1 : tile<1x128xf32> -> tile<16x128xf32>
  %d = subf %a, %w2 : tile<16x128xf32>
  %q = mulf %d, %d : tile<16x128xf32>
  %s = reduce %q dim=0 identities=[0.0 : f32] : tile<16x128xf32> -> tile<128xf32>
  (%l: tile<f32>, %u: tile<f32>) {
    %p = addf %l, %u : tile<f32>
    yield %p : tile<f32>
  }
  %s_y_s = store_view_tko weak %s, %y[%bx] : tile<128xf32>, partition_view<tile=(128), tensor_view<2048xf32, strides=[1]>>, tile<i32> -> token
  // BEFORE: fold_columns
  // CHECK: sweep region of 2048
  // CHECK: [[PART:%[0-9]+]] = fold_to_a_part AddF
  // CHECK: fold_columns [[PART]]: f32[2, 128]
  return
}
