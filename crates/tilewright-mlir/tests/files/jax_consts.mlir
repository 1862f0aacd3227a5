"builtin.module"() <{sym_name = "jit__lambda"}> ({
  "vhlo.func_v1"() <{arg_attrs = #vhlo.array_v1<[#vhlo.dict_v1<{}>]>, function_type = #vhlo.type_v1<!vhlo.func_v1<(!vhlo.tensor_v1<11x!vhlo.f32_v1>) -> !vhlo.tensor_v1<11x!vhlo.f32_v1>, !vhlo.tensor_v1<11x!vhlo.f32_v1>, !vhlo.tensor_v1<11x!vhlo.f32_v1>, !vhlo.tensor_v1<2x!vhlo.complex_v1<!vhlo.f32_v1>>, !vhlo.tensor_v1<7x!vhlo.f32_v1>, !vhlo.tensor_v1<11x!vhlo.bool_v1>>>, res_attrs = #vhlo.array_v1<[#vhlo.dict_v1<{#vhlo.string_v1<"jax.result_info"> = #vhlo.string_v1<"result[0]">}>, #vhlo.dict_v1<{#vhlo.string_v1<"jax.result_info"> = #vhlo.string_v1<"result[1]">}>, #vhlo.dict_v1<{#vhlo.string_v1<"jax.result_info"> = #vhlo.string_v1<"result[2]">}>, #vhlo.dict_v1<{#vhlo.string_v1<"jax.result_info"> = #vhlo.string_v1<"result[3]">}>, #vhlo.dict_v1<{#vhlo.string_v1<"jax.result_info"> = #vhlo.string_v1<"result[4]">}>, #vhlo.dict_v1<{#vhlo.string_v1<"jax.result_info"> = #vhlo.string_v1<"result[5]">}>]>, sym_name = #vhlo.string_v1<"main">, sym_visibility = #vhlo.string_v1<"public">}> ({
  ^bb0(%arg3: !vhlo.tensor_v1<11x!vhlo.f32_v1>):
    %3 = "vhlo.constant_v1"() <{value = #vhlo.tensor_v1<dense<[true, false, true, true, false, false, true, false, true, true, true]> : tensor<11xi1>>}> : () -> !vhlo.tensor_v1<11x!vhlo.bool_v1>
    %4 = "vhlo.constant_v1"() <{value = #vhlo.tensor_v1<dense<[-5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5]> : tensor<11xi8>>}> : () -> !vhlo.tensor_v1<11x!vhlo.i8_v1>
    %5 = "vhlo.constant_v1"() <{value = #vhlo.tensor_v1<dense<true> : tensor<11xi1>>}> : () -> !vhlo.tensor_v1<11x!vhlo.bool_v1>
    %6 = "vhlo.constant_v1"() <{value = #vhlo.tensor_v1<dense<[0.000000e+00, 1.000000e+00, 2.000000e+00, 3.000000e+00, 4.000000e+00, 5.000000e+00, 6.000000e+00, 7.000000e+00, 8.000000e+00, 9.000000e+00, 1.000000e+01]> : tensor<11xf32>>}> : () -> !vhlo.tensor_v1<11x!vhlo.f32_v1>
    %7 = "vhlo.constant_v1"() <{value = #vhlo.tensor_v1<dense<[(1.000000e+00,2.000000e+00), (3.000000e+00,-4.000000e+00)]> : tensor<2xcomplex<f32>>>}> : () -> !vhlo.tensor_v1<2x!vhlo.complex_v1<!vhlo.f32_v1>>
    %8 = "vhlo.constant_v1"() <{value = #vhlo.tensor_v1<dense<[0x7FC00000, 0x7F800000, 0xFF800000, -0.000000e+00, 1.401300e-45, 3.400000e+38, 1.000000e-01]> : tensor<7xf32>>}> : () -> !vhlo.tensor_v1<7x!vhlo.f32_v1>
    %9 = "vhlo.constant_v1"() <{value = #vhlo.tensor_v1<dense<0> : tensor<i32>>}> : () -> !vhlo.tensor_v1<!vhlo.i32_v1>
    %10 = "vhlo.call_v1"(%3, %arg3, %9) <{callee = #vhlo.string_v1<"_where">}> : (!vhlo.tensor_v1<11x!vhlo.bool_v1>, !vhlo.tensor_v1<11x!vhlo.f32_v1>, !vhlo.tensor_v1<!vhlo.i32_v1>) -> !vhlo.tensor_v1<11x!vhlo.f32_v1>
    %11 = "vhlo.convert_v1"(%4) : (!vhlo.tensor_v1<11x!vhlo.i8_v1>) -> !vhlo.tensor_v1<11x!vhlo.f32_v1>
    %12 = "vhlo.multiply_v1"(%arg3, %11) : (!vhlo.tensor_v1<11x!vhlo.f32_v1>, !vhlo.tensor_v1<11x!vhlo.f32_v1>) -> !vhlo.tensor_v1<11x!vhlo.f32_v1>
    %13 = "vhlo.or_v1"(%5, %3) : (!vhlo.tensor_v1<11x!vhlo.bool_v1>, !vhlo.tensor_v1<11x!vhlo.bool_v1>) -> !vhlo.tensor_v1<11x!vhlo.bool_v1>
    "vhlo.return_v1"(%10, %12, %6, %7, %8, %13) : (!vhlo.tensor_v1<11x!vhlo.f32_v1>, !vhlo.tensor_v1<11x!vhlo.f32_v1>, !vhlo.tensor_v1<11x!vhlo.f32_v1>, !vhlo.tensor_v1<2x!vhlo.complex_v1<!vhlo.f32_v1>>, !vhlo.tensor_v1<7x!vhlo.f32_v1>, !vhlo.tensor_v1<11x!vhlo.bool_v1>) -> ()
  }) : () -> ()
  "vhlo.func_v1"() <{arg_attrs = #vhlo.array_v1<[#vhlo.dict_v1<{}>, #vhlo.dict_v1<{}>, #vhlo.dict_v1<{}>]>, function_type = #vhlo.type_v1<!vhlo.func_v1<(!vhlo.tensor_v1<11x!vhlo.bool_v1>, !vhlo.tensor_v1<11x!vhlo.f32_v1>, !vhlo.tensor_v1<!vhlo.i32_v1>) -> !vhlo.tensor_v1<11x!vhlo.f32_v1>>>, res_attrs = #vhlo.array_v1<[#vhlo.dict_v1<{}>]>, sym_name = #vhlo.string_v1<"_where">, sym_visibility = #vhlo.string_v1<"private">}> ({
  ^bb0(%arg0: !vhlo.tensor_v1<11x!vhlo.bool_v1>, %arg1: !vhlo.tensor_v1<11x!vhlo.f32_v1>, %arg2: !vhlo.tensor_v1<!vhlo.i32_v1>):
    %0 = "vhlo.convert_v1"(%arg2) : (!vhlo.tensor_v1<!vhlo.i32_v1>) -> !vhlo.tensor_v1<!vhlo.f32_v1>
    %1 = "vhlo.broadcast_in_dim_v1"(%0) <{broadcast_dimensions = #vhlo.tensor_v1<dense<> : tensor<0xi64>>}> : (!vhlo.tensor_v1<!vhlo.f32_v1>) -> !vhlo.tensor_v1<11x!vhlo.f32_v1>
    %2 = "vhlo.select_v1"(%arg0, %arg1, %1) : (!vhlo.tensor_v1<11x!vhlo.bool_v1>, !vhlo.tensor_v1<11x!vhlo.f32_v1>, !vhlo.tensor_v1<11x!vhlo.f32_v1>) -> !vhlo.tensor_v1<11x!vhlo.f32_v1>
    "vhlo.return_v1"(%2) : (!vhlo.tensor_v1<11x!vhlo.f32_v1>) -> ()
  }) : () -> ()
}) {jax.uses_shape_polymorphism = false, mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
