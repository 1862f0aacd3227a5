"cuda_tile.entry"() <{function_type = () -> (), sym_name = "k"}> ({
  %0 = "cuda_tile.constant"() <{value = dense<0> : !cuda_tile.tile<i64>}> : () -> !cuda_tile.tile<i64>
  %1 = "cuda_tile.int_to_ptr"(%0) : (!cuda_tile.tile<i64>) -> !cuda_tile.tile<ptr<f32, <none>>>
  %2 = "cuda_tile.constant"() <{value = dense<1> : !cuda_tile.tile<i32>}> : () -> !cuda_tile.tile<i32>
  %3 = "cuda_tile.make_tensor_view"(%1, %2, %2) <{operandSegmentSizes = array<i32: 1, 1, 1>}> : (!cuda_tile.tile<ptr<f32, <none>>>, !cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> !cuda_tile.tensor_view<?x64xf32, strides=[?,1], #cuda_tile.ptr_attr<none>>
  %4 = "cuda_tile.make_tensor_view"(%1, %2) <{operandSegmentSizes = array<i32: 1, 0, 1>}> : (!cuda_tile.tile<ptr<f32, <none>>>, !cuda_tile.tile<i32>) -> !cuda_tile.tensor_view<64xf32, strides=[?], #cuda_tile.ptr_attr<none>>
  %5 = "cuda_tile.make_tensor_view"(%1) <{operandSegmentSizes = array<i32: 1, 0, 0>}> : (!cuda_tile.tile<ptr<f32, <none>>>) -> !cuda_tile.tensor_view<f32, #cuda_tile.ptr_attr<none>>
  %6 = "cuda_tile.int_to_ptr"(%0) : (!cuda_tile.tile<i64>) -> !cuda_tile.tile<ptr<f32>>
  %7 = "cuda_tile.make_tensor_view"(%6) <{operandSegmentSizes = array<i32: 1, 0, 0>}> : (!cuda_tile.tile<ptr<f32>>) -> !cuda_tile.tensor_view<f32>
  "cuda_tile.return"() : () -> ()
}) : () -> ()
