"builtin.module"() <{sym_name = "jit__lambda"}> ({
  "vhlo.func_v1"() <{arg_attrs = #vhlo.array_v1<[#vhlo.dict_v1<{}>, #vhlo.dict_v1<{}>, #vhlo.dict_v1<{}>]>, function_type = #vhlo.type_v1<!vhlo.func_v1<(!vhlo.tensor_v1<4x!vhlo.f32_v1>, !vhlo.tensor_v1<4x!vhlo.f16_v1>, !vhlo.tensor_v1<8x!vhlo.complex_v1<!vhlo.f32_v1>>) -> !vhlo.tensor_v1<4x!vhlo.bf16_v1>, !vhlo.tensor_v1<4x!vhlo.f8E4M3FN_v1>, !vhlo.tensor_v1<8x!vhlo.complex_v1<!vhlo.f32_v1>>, !vhlo.tensor_v1<4x!vhlo.bool_v1>, !vhlo.tensor_v1<4x!vhlo.bool_v1>>>, res_attrs = #vhlo.array_v1<[#vhlo.dict_v1<{#vhlo.string_v1<"jax.result_info"> = #vhlo.string_v1<"result[0]">}>, #vhlo.dict_v1<{#vhlo.string_v1<"jax.result_info"> = #vhlo.string_v1<"result[1]">}>, #vhlo.dict_v1<{#vhlo.string_v1<"jax.result_info"> = #vhlo.string_v1<"result[2]">}>, #vhlo.dict_v1<{#vhlo.string_v1<"jax.result_info"> = #vhlo.string_v1<"result[3]">}>, #vhlo.dict_v1<{#vhlo.string_v1<"jax.result_info"> = #vhlo.string_v1<"result[4]">}>]>, sym_name = #vhlo.string_v1<"main">, sym_visibility = #vhlo.string_v1<"public">}> ({
  ^bb0(%arg1: !vhlo.tensor_v1<4x!vhlo.f32_v1>, %arg2: !vhlo.tensor_v1<4x!vhlo.f16_v1>, %arg3: !vhlo.tensor_v1<8x!vhlo.complex_v1<!vhlo.f32_v1>>):
    %1 = "vhlo.constant_v1"() <{value = #vhlo.tensor_v1<dense<0.000000e+00> : tensor<f16>>}> : () -> !vhlo.tensor_v1<!vhlo.f16_v1>
    %2 = "vhlo.constant_v1"() <{value = #vhlo.tensor_v1<dense<1.000000e+00> : tensor<f32>>}> : () -> !vhlo.tensor_v1<!vhlo.f32_v1>
    %3 = "vhlo.constant_v1"() <{value = #vhlo.tensor_v1<dense<2.500000e+00> : tensor<bf16>>}> : () -> !vhlo.tensor_v1<!vhlo.bf16_v1>
    %4 = "vhlo.convert_v1"(%arg1) : (!vhlo.tensor_v1<4x!vhlo.f32_v1>) -> !vhlo.tensor_v1<4x!vhlo.bf16_v1>
    %5 = "vhlo.broadcast_in_dim_v1"(%3) <{broadcast_dimensions = #vhlo.tensor_v1<dense<> : tensor<0xi64>>}> : (!vhlo.tensor_v1<!vhlo.bf16_v1>) -> !vhlo.tensor_v1<4x!vhlo.bf16_v1>
    %6 = "vhlo.multiply_v1"(%4, %5) : (!vhlo.tensor_v1<4x!vhlo.bf16_v1>, !vhlo.tensor_v1<4x!vhlo.bf16_v1>) -> !vhlo.tensor_v1<4x!vhlo.bf16_v1>
    %7 = "vhlo.convert_v1"(%arg2) : (!vhlo.tensor_v1<4x!vhlo.f16_v1>) -> !vhlo.tensor_v1<4x!vhlo.f8E4M3FN_v1>
    %8 = "vhlo.call_v1"(%arg3) <{callee = #vhlo.string_v1<"fft">}> : (!vhlo.tensor_v1<8x!vhlo.complex_v1<!vhlo.f32_v1>>) -> !vhlo.tensor_v1<8x!vhlo.complex_v1<!vhlo.f32_v1>>
    %9 = "vhlo.broadcast_in_dim_v1"(%2) <{broadcast_dimensions = #vhlo.tensor_v1<dense<> : tensor<0xi64>>}> : (!vhlo.tensor_v1<!vhlo.f32_v1>) -> !vhlo.tensor_v1<4x!vhlo.f32_v1>
    %10 = "vhlo.compare_v1"(%arg1, %9) <{compare_type = #vhlo<comparison_type_v1 FLOAT>, comparison_direction = #vhlo<comparison_direction_v1 GT>}> : (!vhlo.tensor_v1<4x!vhlo.f32_v1>, !vhlo.tensor_v1<4x!vhlo.f32_v1>) -> !vhlo.tensor_v1<4x!vhlo.bool_v1>
    %11 = "vhlo.broadcast_in_dim_v1"(%1) <{broadcast_dimensions = #vhlo.tensor_v1<dense<> : tensor<0xi64>>}> : (!vhlo.tensor_v1<!vhlo.f16_v1>) -> !vhlo.tensor_v1<4x!vhlo.f16_v1>
    %12 = "vhlo.compare_v1"(%arg2, %11) <{compare_type = #vhlo<comparison_type_v1 FLOAT>, comparison_direction = #vhlo<comparison_direction_v1 GT>}> : (!vhlo.tensor_v1<4x!vhlo.f16_v1>, !vhlo.tensor_v1<4x!vhlo.f16_v1>) -> !vhlo.tensor_v1<4x!vhlo.bool_v1>
    %13 = "vhlo.not_v1"(%12) : (!vhlo.tensor_v1<4x!vhlo.bool_v1>) -> !vhlo.tensor_v1<4x!vhlo.bool_v1>
    "vhlo.return_v1"(%6, %7, %8, %10, %13) : (!vhlo.tensor_v1<4x!vhlo.bf16_v1>, !vhlo.tensor_v1<4x!vhlo.f8E4M3FN_v1>, !vhlo.tensor_v1<8x!vhlo.complex_v1<!vhlo.f32_v1>>, !vhlo.tensor_v1<4x!vhlo.bool_v1>, !vhlo.tensor_v1<4x!vhlo.bool_v1>) -> ()
  }) : () -> ()
  "vhlo.func_v1"() <{arg_attrs = #vhlo.array_v1<[#vhlo.dict_v1<{}>]>, function_type = #vhlo.type_v1<!vhlo.func_v1<(!vhlo.tensor_v1<8x!vhlo.complex_v1<!vhlo.f32_v1>>) -> !vhlo.tensor_v1<8x!vhlo.complex_v1<!vhlo.f32_v1>>>>, res_attrs = #vhlo.array_v1<[#vhlo.dict_v1<{}>]>, sym_name = #vhlo.string_v1<"fft">, sym_visibility = #vhlo.string_v1<"private">}> ({
  ^bb0(%arg0: !vhlo.tensor_v1<8x!vhlo.complex_v1<!vhlo.f32_v1>>):
    %0 = "vhlo.fft_v1"(%arg0) <{fft_length = #vhlo.tensor_v1<dense<8> : tensor<1xi64>>, fft_type = #vhlo<fft_type_v1 FFT>}> : (!vhlo.tensor_v1<8x!vhlo.complex_v1<!vhlo.f32_v1>>) -> !vhlo.tensor_v1<8x!vhlo.complex_v1<!vhlo.f32_v1>>
    "vhlo.return_v1"(%0) : (!vhlo.tensor_v1<8x!vhlo.complex_v1<!vhlo.f32_v1>>) -> ()
  }) : () -> ()
}) {jax.uses_shape_polymorphism = false, mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
