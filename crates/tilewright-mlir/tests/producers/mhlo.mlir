"builtin.module"() ({
  "func.func"() <{function_type = (tensor<4x?xf32, #mhlo.type_extensions<bounds = [?, 8]>>, tensor<4xf32>, !mhlo.token, tensor<i32>) -> tensor<4xf32>, sym_name = "main"}> ({
  ^bb0(%arg0: tensor<4x?xf32, #mhlo.type_extensions<bounds = [?, 8]>>, %arg1: tensor<4xf32>, %arg2: !mhlo.token, %arg3: tensor<i32>):
    %0 = "mhlo.compare"(%arg1, %arg1) <{compare_type = #mhlo<comparison_type FLOAT>, comparison_direction = #mhlo<comparison_direction LT>}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    %1 = "mhlo.dot_general"(%arg1, %arg1) <{dot_dimension_numbers = #mhlo.dot<lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0]>, precision_config = [#mhlo<precision HIGH>, #mhlo<precision DEFAULT>]}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<f32>
    %2 = "mhlo.custom_call"(%arg1) <{api_version = 1 : i32, call_target_name = "target", custom_call_schedule = #mhlo<custom_call_schedule NONE>, has_side_effect = true}> : (tensor<4xf32>) -> tensor<4xf32>
    %3 = "mhlo.fusion"(%2) <{fusion_kind = #mhlo<fusion_kind kLoop>}> ({
    ^bb0(%arg4: tensor<4xf32>):
      %6 = "mhlo.exponential"(%arg4) : (tensor<4xf32>) -> tensor<4xf32>
      "mhlo.return"(%6) : (tensor<4xf32>) -> ()
    }) : (tensor<4xf32>) -> tensor<4xf32>
    %4 = "stablehlo.custom_call"(%3) <{api_version = 2 : i32, backend_config = "", call_target_name = "other", has_side_effect = false, operand_layouts = [dense<0> : tensor<1xindex>], result_layouts = [dense<0> : tensor<1xindex>]}> : (tensor<4xf32>) -> tensor<4xf32>
    %5 = "t.use"(%arg2) : (!mhlo.token) -> !mhlo.async_bundle<tensor<2xf32>, tensor<f32>>
    "func.return"(%4) : (tensor<4xf32>) -> ()
  }) : () -> ()
}) {t.enumerations = [#mhlo<comparison_direction GE>, #mhlo<comparison_type TOTALORDER>, #mhlo<fft_type IRFFT>, #mhlo<precision HIGHEST>, #mhlo.rng_algorithm<PHILOX>, #mhlo.rng_distribution<NORMAL>, #mhlo<transpose ADJOINT>, #mhlo<kind sharding>, #mhlo<fusion_kind kCustom>, #mhlo.result_accuracy_mode<HIGHEST>], t.others = [#mhlo.channel_handle<handle = 7, type = 9>, #mhlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[f, b, 1, 0]>, #mhlo.dot<lhs_batching_dimensions = [1], rhs_batching_dimensions = [2], lhs_contracting_dimensions = [3], rhs_contracting_dimensions = [4]>, #mhlo.gather<offset_dims = [1], collapsed_slice_dims = [2], operand_batching_dims = [3], start_indices_batching_dims = [4], start_index_map = [5], index_vector_dim = 6>, #mhlo.scatter<update_window_dims = [1], inserted_window_dims = [2], input_batching_dims = [3], scatter_indices_batching_dims = [4], scatter_dims_to_operand_dims = [5], index_vector_dim = 6>, #mhlo.output_operand_alias<output_tuple_indices = [1], operand_index = 2, operand_tuple_indices = [3]>, #mhlo.type_extensions<bounds = [4, ?]>, #mhlo.result_alias<tuple_indices = [1], result_index = [2, 3], must_alias>, #mhlo.result_alias<result_index = [2]>, #mhlo.result_accuracy<atol = 1.500000e+00, ulps = 7, mode = #mhlo.result_accuracy_mode<TOLERANCE>>, #mhlo<custom_call_schedule LATEST>]} : () -> ()
