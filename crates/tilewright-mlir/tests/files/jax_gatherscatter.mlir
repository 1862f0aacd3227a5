"builtin.module"() <{sym_name = "jit__lambda"}> ({
  "vhlo.func_v1"() <{arg_attrs = #vhlo.array_v1<[#vhlo.dict_v1<{}>, #vhlo.dict_v1<{}>]>, function_type = #vhlo.type_v1<!vhlo.func_v1<(!vhlo.tensor_v1<16x4x!vhlo.f32_v1>, !vhlo.tensor_v1<5x!vhlo.i32_v1>) -> !vhlo.tensor_v1<16x4x!vhlo.f32_v1>>>, res_attrs = #vhlo.array_v1<[#vhlo.dict_v1<{#vhlo.string_v1<"jax.result_info"> = #vhlo.string_v1<"result">}>]>, sym_name = #vhlo.string_v1<"main">, sym_visibility = #vhlo.string_v1<"public">}> ({
  ^bb0(%arg0: !vhlo.tensor_v1<16x4x!vhlo.f32_v1>, %arg1: !vhlo.tensor_v1<5x!vhlo.i32_v1>):
    %0 = "vhlo.constant_v1"() <{value = #vhlo.tensor_v1<dense<16> : tensor<i32>>}> : () -> !vhlo.tensor_v1<!vhlo.i32_v1>
    %1 = "vhlo.constant_v1"() <{value = #vhlo.tensor_v1<dense<0> : tensor<i32>>}> : () -> !vhlo.tensor_v1<!vhlo.i32_v1>
    %2 = "vhlo.broadcast_in_dim_v1"(%1) <{broadcast_dimensions = #vhlo.tensor_v1<dense<> : tensor<0xi64>>}> : (!vhlo.tensor_v1<!vhlo.i32_v1>) -> !vhlo.tensor_v1<5x!vhlo.i32_v1>
    %3 = "vhlo.compare_v1"(%arg1, %2) <{compare_type = #vhlo<comparison_type_v1 SIGNED>, comparison_direction = #vhlo<comparison_direction_v1 LT>}> : (!vhlo.tensor_v1<5x!vhlo.i32_v1>, !vhlo.tensor_v1<5x!vhlo.i32_v1>) -> !vhlo.tensor_v1<5x!vhlo.bool_v1>
    %4 = "vhlo.broadcast_in_dim_v1"(%0) <{broadcast_dimensions = #vhlo.tensor_v1<dense<> : tensor<0xi64>>}> : (!vhlo.tensor_v1<!vhlo.i32_v1>) -> !vhlo.tensor_v1<5x!vhlo.i32_v1>
    %5 = "vhlo.add_v1"(%arg1, %4) : (!vhlo.tensor_v1<5x!vhlo.i32_v1>, !vhlo.tensor_v1<5x!vhlo.i32_v1>) -> !vhlo.tensor_v1<5x!vhlo.i32_v1>
    %6 = "vhlo.select_v1"(%3, %5, %arg1) : (!vhlo.tensor_v1<5x!vhlo.bool_v1>, !vhlo.tensor_v1<5x!vhlo.i32_v1>, !vhlo.tensor_v1<5x!vhlo.i32_v1>) -> !vhlo.tensor_v1<5x!vhlo.i32_v1>
    %7 = "vhlo.broadcast_in_dim_v1"(%6) <{broadcast_dimensions = #vhlo.tensor_v1<dense<0> : tensor<1xi64>>}> : (!vhlo.tensor_v1<5x!vhlo.i32_v1>) -> !vhlo.tensor_v1<5x1x!vhlo.i32_v1>
    %8 = "vhlo.gather_v2"(%arg0, %7) <{collapsed_slice_dims = #vhlo.tensor_v1<dense<0> : tensor<1xi64>>, index_vector_dim = #vhlo.integer_v1<1 : i64>, indices_are_sorted = #vhlo.bool_v1<false>, offset_dims = #vhlo.tensor_v1<dense<1> : tensor<1xi64>>, operand_batching_dims = #vhlo.tensor_v1<dense<> : tensor<0xi64>>, slice_sizes = #vhlo.tensor_v1<dense<[1, 4]> : tensor<2xi64>>, start_index_map = #vhlo.tensor_v1<dense<0> : tensor<1xi64>>, start_indices_batching_dims = #vhlo.tensor_v1<dense<> : tensor<0xi64>>}> : (!vhlo.tensor_v1<16x4x!vhlo.f32_v1>, !vhlo.tensor_v1<5x1x!vhlo.i32_v1>) -> !vhlo.tensor_v1<5x4x!vhlo.f32_v1>
    %9 = "vhlo.broadcast_in_dim_v1"(%1) <{broadcast_dimensions = #vhlo.tensor_v1<dense<> : tensor<0xi64>>}> : (!vhlo.tensor_v1<!vhlo.i32_v1>) -> !vhlo.tensor_v1<5x!vhlo.i32_v1>
    %10 = "vhlo.compare_v1"(%arg1, %9) <{compare_type = #vhlo<comparison_type_v1 SIGNED>, comparison_direction = #vhlo<comparison_direction_v1 LT>}> : (!vhlo.tensor_v1<5x!vhlo.i32_v1>, !vhlo.tensor_v1<5x!vhlo.i32_v1>) -> !vhlo.tensor_v1<5x!vhlo.bool_v1>
    %11 = "vhlo.broadcast_in_dim_v1"(%0) <{broadcast_dimensions = #vhlo.tensor_v1<dense<> : tensor<0xi64>>}> : (!vhlo.tensor_v1<!vhlo.i32_v1>) -> !vhlo.tensor_v1<5x!vhlo.i32_v1>
    %12 = "vhlo.add_v1"(%arg1, %11) : (!vhlo.tensor_v1<5x!vhlo.i32_v1>, !vhlo.tensor_v1<5x!vhlo.i32_v1>) -> !vhlo.tensor_v1<5x!vhlo.i32_v1>
    %13 = "vhlo.select_v1"(%10, %12, %arg1) : (!vhlo.tensor_v1<5x!vhlo.bool_v1>, !vhlo.tensor_v1<5x!vhlo.i32_v1>, !vhlo.tensor_v1<5x!vhlo.i32_v1>) -> !vhlo.tensor_v1<5x!vhlo.i32_v1>
    %14 = "vhlo.broadcast_in_dim_v1"(%13) <{broadcast_dimensions = #vhlo.tensor_v1<dense<0> : tensor<1xi64>>}> : (!vhlo.tensor_v1<5x!vhlo.i32_v1>) -> !vhlo.tensor_v1<5x1x!vhlo.i32_v1>
    %15 = "vhlo.scatter_v2"(%arg0, %14, %8) <{index_vector_dim = #vhlo.integer_v1<1 : i64>, indices_are_sorted = #vhlo.bool_v1<false>, input_batching_dims = #vhlo.tensor_v1<dense<> : tensor<0xi64>>, inserted_window_dims = #vhlo.tensor_v1<dense<0> : tensor<1xi64>>, scatter_dims_to_operand_dims = #vhlo.tensor_v1<dense<0> : tensor<1xi64>>, scatter_indices_batching_dims = #vhlo.tensor_v1<dense<> : tensor<0xi64>>, unique_indices = #vhlo.bool_v1<false>, update_window_dims = #vhlo.tensor_v1<dense<1> : tensor<1xi64>>}> ({
    ^bb0(%arg2: !vhlo.tensor_v1<!vhlo.f32_v1>, %arg3: !vhlo.tensor_v1<!vhlo.f32_v1>):
      %16 = "vhlo.add_v1"(%arg2, %arg3) : (!vhlo.tensor_v1<!vhlo.f32_v1>, !vhlo.tensor_v1<!vhlo.f32_v1>) -> !vhlo.tensor_v1<!vhlo.f32_v1>
      "vhlo.return_v1"(%16) : (!vhlo.tensor_v1<!vhlo.f32_v1>) -> ()
    }) : (!vhlo.tensor_v1<16x4x!vhlo.f32_v1>, !vhlo.tensor_v1<5x1x!vhlo.i32_v1>, !vhlo.tensor_v1<5x4x!vhlo.f32_v1>) -> !vhlo.tensor_v1<16x4x!vhlo.f32_v1>
    "vhlo.return_v1"(%15) : (!vhlo.tensor_v1<16x4x!vhlo.f32_v1>) -> ()
  }) : () -> ()
}) {jax.uses_shape_polymorphism = false, mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
