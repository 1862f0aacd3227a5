entry @k() {
  %cst_0_i64 = constant <i64: 0> : tile<i64>
  %0 = int_to_ptr %cst_0_i64 : tile<i64> -> tile<ptr<f32, <none>>>
  %cst_1_i32 = constant <i32: 1> : tile<i32>
  %tview = make_tensor_view %0, shape = [%cst_1_i32, 64], strides = [%cst_1_i32, 1] : tile<ptr<f32, <none>>>, tile<i32> -> tensor_view<?x64xf32, strides=[?,1], #cuda_tile.ptr_attr<none>>
  %tview_0 = make_tensor_view %0, shape = [64], strides = [%cst_1_i32] : tile<ptr<f32, <none>>>, tile<i32> -> tensor_view<64xf32, strides=[?], #cuda_tile.ptr_attr<none>>
  %tview_1 = make_tensor_view %0, shape = [], strides = [] : tile<ptr<f32, <none>>> -> tensor_view<f32, #cuda_tile.ptr_attr<none>>
  %1 = int_to_ptr %cst_0_i64 : tile<i64> -> tile<ptr<f32>>
  %tview_2 = make_tensor_view %1, shape = [], strides = [] : tensor_view<f32>
  return
}
