// Sweeps over rows and the reductions of these rows between them are one region.
// REQUIRES: vector code

// A softmax: the exponentials are kept from one loop to the next, the differences are not.
entry @softmax(%from: tile<ptr<f32>>, %to: tile<ptr<f32>>) {
  %bx, %by, %bz = get_tile_block_id : tile<i32>
  %zero = constant <i32: 0> : tile<i32>
  %xt = make_tensor_view %from, shape = [64, 1000], strides = [1000, 1] : tensor_view<64x1000xf32, strides=[1000,1]>
  %x = make_partition_view %xt : partition_view<tile=(4x1024), padding_value = neg_inf, tensor_view<64x1000xf32, strides=[1000,1]>>
  %yt = make_tensor_view %to, shape = [64, 1000], strides = [1000, 1] : tensor_view<64x1000xf32, strides=[1000,1]>
  %y = make_partition_view %yt : partition_view<tile=(4x1024), tensor_view<64x1000xf32, strides=[1000,1]>>
  %a, %a_t = load_view_tko weak %x[%bx, %zero] : partition_view<tile=(4x1024), padding_value = neg_inf, tensor_view<64x1000xf32, strides=[1000,1]>>, tile<i32> -> tile<4x1024xf32>, token
  %m = reduce %a dim=1 identities=[0xFF800000 : f32] : tile<4x1024xf32> -> tile<4xf32>
  (%l: tile<f32>, %r: tile<f32>) {
    %p = maxf %l, %r : tile<f32>
    yield %p : tile<f32>
  }
  %m2 = reshape %m : tile<4xf32> -> tile<4x1xf32>
  %m3 = broadcast %m2 : tile<4x1xf32> -> tile<4x1024xf32>
  %d = subf %a, %m3 : tile<4x1024xf32>
  %e = exp %d : tile<4x1024xf32>
  %s = reduce %e dim=1 identities=[0.0 : f32] : tile<4x1024xf32> -> tile<4xf32>
  (%l: tile<f32>, %r: tile<f32>) {
    %p = addf %l, %r : tile<f32>
    yield %p : tile<f32>
  }
  %s2 = reshape %s : tile<4xf32> -> tile<4x1xf32>
  %s3 = broadcast %s2 : tile<4x1xf32> -> tile<4x1024xf32>
  %o = divf %e, %s3 : tile<4x1024xf32>
  %o_y_s = store_view_tko weak %o, %y[%bx, %zero] : tile<4x1024xf32>, partition_view<tile=(4x1024), tensor_view<64x1000xf32, strides=[1000,1]>>, tile<i32> -> token
  // BEFORE: fold_rows{{.*}}4 rows of 1024
  // CHECK-NOT: fold_rows
  // CHECK: store {{.*}} from rows 4 of 1024
  // CHECK: in0 = each
  // CHECK: v0 = fold MaxF
  // CHECK: [[EXP:v[0-9]+]] = Exp
  // CHECK: fold AddF{{.*}}[[EXP]]
  // CHECK: = [[EXP]] kept
  return
}

// Only one loop: the reduction begins in the sweep, and that is all.
entry @sum(%from: tile<ptr<f32>>, %to: tile<ptr<f32>>) {
  %bx, %by, %bz = get_tile_block_id : tile<i32>
  %zero = constant <i32: 0> : tile<i32>
  %xt = make_tensor_view %from, shape = [64, 2048], strides = [2048, 1] : tensor_view<64x2048xf32, strides=[2048,1]>
  %x = make_partition_view %xt : partition_view<tile=(1x2048), tensor_view<64x2048xf32, strides=[2048,1]>>
  %yt = make_tensor_view %to, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
  %y = make_partition_view %yt : partition_view<tile=(1), tensor_view<64xf32, strides=[1]>>
  %a, %a_t = load_view_tko weak %x[%bx, %zero] : partition_view<tile=(1x2048), tensor_view<64x2048xf32, strides=[2048,1]>>, tile<i32> -> tile<1x2048xf32>, token
  %e = exp %a : tile<1x2048xf32>
  %s = reduce %e dim=1 identities=[0.0 : f32] : tile<1x2048xf32> -> tile<1xf32>
  (%l: tile<f32>, %r: tile<f32>) {
    %p = addf %l, %r : tile<f32>
    yield %p : tile<f32>
  }
  %s_y_s = store_view_tko weak %s, %y[%bx] : tile<1xf32>, partition_view<tile=(1), tensor_view<64xf32, strides=[1]>>, tile<i32> -> token
  // CHECK: fold_rows{{.*}}rows of 2048
  return
}
