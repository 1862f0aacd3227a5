// Operations of MHLO, each of its attributes and types that has an encoding, and an operation of StableHLO in the form before its last one.
module attributes {
  t.enumerations = [
    #mhlo<comparison_direction GE>, #mhlo<comparison_type TOTALORDER>, #mhlo<fft_type IRFFT>, #mhlo<precision HIGHEST>, #mhlo.rng_algorithm<PHILOX>,
    #mhlo.rng_distribution<NORMAL>, #mhlo<transpose ADJOINT>, #mhlo<kind sharding>, #mhlo<fusion_kind kCustom>, #mhlo.result_accuracy_mode<HIGHEST>
  ],
  t.others = [
    #mhlo.channel_handle<handle = 7, type = 9>, #mhlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[f, b, 1, 0]>,
    #mhlo.dot<lhs_batching_dimensions = [1], rhs_batching_dimensions = [2], lhs_contracting_dimensions = [3], rhs_contracting_dimensions = [4]>,
    #mhlo.gather<offset_dims = [1], collapsed_slice_dims = [2], operand_batching_dims = [3], start_indices_batching_dims = [4], start_index_map = [5], index_vector_dim = 6>,
    #mhlo.scatter<update_window_dims = [1], inserted_window_dims = [2], input_batching_dims = [3], scatter_indices_batching_dims = [4], scatter_dims_to_operand_dims = [5], index_vector_dim = 6>,
    #mhlo.output_operand_alias<output_tuple_indices = [1], operand_index = 2, operand_tuple_indices = [3]>, #mhlo.type_extensions<bounds = [4, ?]>,
    #mhlo.result_alias<tuple_indices = [1], result_index = [2, 3], must_alias>, #mhlo.result_alias<result_index = [2]>,
    #mhlo.result_accuracy<atol = 1.5, ulps = 7, mode = #mhlo.result_accuracy_mode<TOLERANCE>>, #mhlo<custom_call_schedule LATEST>
  ]
} {
  func.func @main(%a: tensor<4x?xf32, #mhlo.type_extensions<bounds = [?, 8]>>, %x: tensor<4xf32>, %t: !mhlo.token, %p: tensor<i32>) -> tensor<4xf32> {
    %0 = "mhlo.compare"(%x, %x) <{compare_type = #mhlo<comparison_type FLOAT>, comparison_direction = #mhlo<comparison_direction LT>}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    %1 = "mhlo.dot_general"(%x, %x) <{dot_dimension_numbers = #mhlo.dot<lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0]>, precision_config = [#mhlo<precision HIGH>, #mhlo<precision DEFAULT>]}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<f32>
    %2 = "mhlo.custom_call"(%x) <{api_version = 1 : i32, call_target_name = "target", custom_call_schedule = #mhlo<custom_call_schedule NONE>, has_side_effect = true}> : (tensor<4xf32>) -> tensor<4xf32>
    %3 = "mhlo.fusion"(%2) <{fusion_kind = #mhlo<fusion_kind kLoop>}> ({
    ^bb0(%b: tensor<4xf32>):
      %5 = "mhlo.exponential"(%b) : (tensor<4xf32>) -> tensor<4xf32>
      "mhlo.return"(%5) : (tensor<4xf32>) -> ()
    }) : (tensor<4xf32>) -> tensor<4xf32>
    %4 = "stablehlo.custom_call"(%3) <{api_version = 2 : i32, backend_config = "", call_target_name = "other", has_side_effect = false, operand_layouts = [dense<0> : tensor<1xindex>], result_layouts = [dense<0> : tensor<1xindex>]}> : (tensor<4xf32>) -> tensor<4xf32>
    %6 = "t.use"(%t) : (!mhlo.token) -> !mhlo.async_bundle<tensor<2xf32>, tensor<f32>>
    return %4 : tensor<4xf32>
  }
}
