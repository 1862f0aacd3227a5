"builtin.module"() <{sym_name = "jit_f"}> ({
  "vhlo.func_v1"() <{arg_attrs = #vhlo.array_v1<[#vhlo.dict_v1<{}>, #vhlo.dict_v1<{}>]>, function_type = #vhlo.type_v1<!vhlo.func_v1<(!vhlo.tensor_v1<4x!vhlo.f32_v1>, !vhlo.tensor_v1<10x4x!vhlo.f32_v1>) -> !vhlo.tensor_v1<4x!vhlo.f32_v1>, !vhlo.tensor_v1<10x!vhlo.f32_v1>>>, res_attrs = #vhlo.array_v1<[#vhlo.dict_v1<{#vhlo.string_v1<"jax.result_info"> = #vhlo.string_v1<"result[0]">}>, #vhlo.dict_v1<{#vhlo.string_v1<"jax.result_info"> = #vhlo.string_v1<"result[1]">}>]>, sym_name = #vhlo.string_v1<"main">, sym_visibility = #vhlo.string_v1<"public">}> ({
  ^bb0(%arg9: !vhlo.tensor_v1<4x!vhlo.f32_v1>, %arg10: !vhlo.tensor_v1<10x4x!vhlo.f32_v1>):
    %12 = "vhlo.constant_v1"() <{value = #vhlo.tensor_v1<dense<1> : tensor<i32>>}> : () -> !vhlo.tensor_v1<!vhlo.i32_v1>
    %13 = "vhlo.constant_v1"() <{value = #vhlo.tensor_v1<dense<10> : tensor<i32>>}> : () -> !vhlo.tensor_v1<!vhlo.i32_v1>
    %14 = "vhlo.constant_v1"() <{value = #vhlo.tensor_v1<dense<0> : tensor<i32>>}> : () -> !vhlo.tensor_v1<!vhlo.i32_v1>
    %15 = "vhlo.constant_v1"() <{value = #vhlo.tensor_v1<dense<0.000000e+00> : tensor<f32>>}> : () -> !vhlo.tensor_v1<!vhlo.f32_v1>
    %16 = "vhlo.broadcast_in_dim_v1"(%15) <{broadcast_dimensions = #vhlo.tensor_v1<dense<> : tensor<0xi64>>}> : (!vhlo.tensor_v1<!vhlo.f32_v1>) -> !vhlo.tensor_v1<10x!vhlo.f32_v1>
    %17:4 = "vhlo.while_v1"(%arg10, %14, %arg9, %16) ({
    ^bb0(%arg15: !vhlo.tensor_v1<10x4x!vhlo.f32_v1>, %arg16: !vhlo.tensor_v1<!vhlo.i32_v1>, %arg17: !vhlo.tensor_v1<4x!vhlo.f32_v1>, %arg18: !vhlo.tensor_v1<10x!vhlo.f32_v1>):
      %22 = "vhlo.compare_v1"(%arg16, %13) <{compare_type = #vhlo<comparison_type_v1 SIGNED>, comparison_direction = #vhlo<comparison_direction_v1 LT>}> : (!vhlo.tensor_v1<!vhlo.i32_v1>, !vhlo.tensor_v1<!vhlo.i32_v1>) -> !vhlo.tensor_v1<!vhlo.bool_v1>
      "vhlo.return_v1"(%22) : (!vhlo.tensor_v1<!vhlo.bool_v1>) -> ()
    }, {
    ^bb0(%arg11: !vhlo.tensor_v1<10x4x!vhlo.f32_v1>, %arg12: !vhlo.tensor_v1<!vhlo.i32_v1>, %arg13: !vhlo.tensor_v1<4x!vhlo.f32_v1>, %arg14: !vhlo.tensor_v1<10x!vhlo.f32_v1>):
      %18 = "vhlo.call_v1"(%arg11, %arg12) <{callee = #vhlo.string_v1<"dynamic_index_in_dim">}> : (!vhlo.tensor_v1<10x4x!vhlo.f32_v1>, !vhlo.tensor_v1<!vhlo.i32_v1>) -> !vhlo.tensor_v1<4x!vhlo.f32_v1>
      %19:2 = "vhlo.call_v1"(%arg13, %18) <{callee = #vhlo.string_v1<"closed_call">}> : (!vhlo.tensor_v1<4x!vhlo.f32_v1>, !vhlo.tensor_v1<4x!vhlo.f32_v1>) -> (!vhlo.tensor_v1<4x!vhlo.f32_v1>, !vhlo.tensor_v1<!vhlo.f32_v1>)
      %20 = "vhlo.call_v1"(%arg14, %19#1, %arg12) <{callee = #vhlo.string_v1<"dynamic_update_index_in_dim">}> : (!vhlo.tensor_v1<10x!vhlo.f32_v1>, !vhlo.tensor_v1<!vhlo.f32_v1>, !vhlo.tensor_v1<!vhlo.i32_v1>) -> !vhlo.tensor_v1<10x!vhlo.f32_v1>
      %21 = "vhlo.add_v1"(%arg12, %12) : (!vhlo.tensor_v1<!vhlo.i32_v1>, !vhlo.tensor_v1<!vhlo.i32_v1>) -> !vhlo.tensor_v1<!vhlo.i32_v1>
      "vhlo.return_v1"(%arg11, %21, %19#0, %20) : (!vhlo.tensor_v1<10x4x!vhlo.f32_v1>, !vhlo.tensor_v1<!vhlo.i32_v1>, !vhlo.tensor_v1<4x!vhlo.f32_v1>, !vhlo.tensor_v1<10x!vhlo.f32_v1>) -> ()
    }) : (!vhlo.tensor_v1<10x4x!vhlo.f32_v1>, !vhlo.tensor_v1<!vhlo.i32_v1>, !vhlo.tensor_v1<4x!vhlo.f32_v1>, !vhlo.tensor_v1<10x!vhlo.f32_v1>) -> (!vhlo.tensor_v1<10x4x!vhlo.f32_v1>, !vhlo.tensor_v1<!vhlo.i32_v1>, !vhlo.tensor_v1<4x!vhlo.f32_v1>, !vhlo.tensor_v1<10x!vhlo.f32_v1>)
    "vhlo.return_v1"(%17#2, %17#3) : (!vhlo.tensor_v1<4x!vhlo.f32_v1>, !vhlo.tensor_v1<10x!vhlo.f32_v1>) -> ()
  }) : () -> ()
  "vhlo.func_v1"() <{arg_attrs = #vhlo.array_v1<[#vhlo.dict_v1<{}>, #vhlo.dict_v1<{}>]>, function_type = #vhlo.type_v1<!vhlo.func_v1<(!vhlo.tensor_v1<10x4x!vhlo.f32_v1>, !vhlo.tensor_v1<!vhlo.i32_v1>) -> !vhlo.tensor_v1<4x!vhlo.f32_v1>>>, res_attrs = #vhlo.array_v1<[#vhlo.dict_v1<{}>]>, sym_name = #vhlo.string_v1<"dynamic_index_in_dim">, sym_visibility = #vhlo.string_v1<"private">}> ({
  ^bb0(%arg7: !vhlo.tensor_v1<10x4x!vhlo.f32_v1>, %arg8: !vhlo.tensor_v1<!vhlo.i32_v1>):
    %9 = "vhlo.constant_v1"() <{value = #vhlo.tensor_v1<dense<0> : tensor<i32>>}> : () -> !vhlo.tensor_v1<!vhlo.i32_v1>
    %10 = "vhlo.dynamic_slice_v1"(%arg7, %arg8, %9) <{slice_sizes = #vhlo.tensor_v1<dense<[1, 4]> : tensor<2xi64>>}> : (!vhlo.tensor_v1<10x4x!vhlo.f32_v1>, !vhlo.tensor_v1<!vhlo.i32_v1>, !vhlo.tensor_v1<!vhlo.i32_v1>) -> !vhlo.tensor_v1<1x4x!vhlo.f32_v1>
    %11 = "vhlo.reshape_v1"(%10) : (!vhlo.tensor_v1<1x4x!vhlo.f32_v1>) -> !vhlo.tensor_v1<4x!vhlo.f32_v1>
    "vhlo.return_v1"(%11) : (!vhlo.tensor_v1<4x!vhlo.f32_v1>) -> ()
  }) : () -> ()
  "vhlo.func_v1"() <{arg_attrs = #vhlo.array_v1<[]>, function_type = #vhlo.type_v1<!vhlo.func_v1<(!vhlo.tensor_v1<4x!vhlo.f32_v1>, !vhlo.tensor_v1<4x!vhlo.f32_v1>) -> !vhlo.tensor_v1<4x!vhlo.f32_v1>, !vhlo.tensor_v1<!vhlo.f32_v1>>>, res_attrs = #vhlo.array_v1<[#vhlo.dict_v1<{}>, #vhlo.dict_v1<{}>]>, sym_name = #vhlo.string_v1<"closed_call">, sym_visibility = #vhlo.string_v1<"private">}> ({
  ^bb0(%arg3: !vhlo.tensor_v1<4x!vhlo.f32_v1>, %arg4: !vhlo.tensor_v1<4x!vhlo.f32_v1>):
    %2 = "vhlo.constant_v1"() <{value = #vhlo.tensor_v1<dense<0.000000e+00> : tensor<f32>>}> : () -> !vhlo.tensor_v1<!vhlo.f32_v1>
    %3 = "vhlo.constant_v1"() <{value = #vhlo.tensor_v1<dense<0.899999976> : tensor<f32>>}> : () -> !vhlo.tensor_v1<!vhlo.f32_v1>
    %4 = "vhlo.broadcast_in_dim_v1"(%3) <{broadcast_dimensions = #vhlo.tensor_v1<dense<> : tensor<0xi64>>}> : (!vhlo.tensor_v1<!vhlo.f32_v1>) -> !vhlo.tensor_v1<4x!vhlo.f32_v1>
    %5 = "vhlo.multiply_v1"(%arg3, %4) : (!vhlo.tensor_v1<4x!vhlo.f32_v1>, !vhlo.tensor_v1<4x!vhlo.f32_v1>) -> !vhlo.tensor_v1<4x!vhlo.f32_v1>
    %6 = "vhlo.add_v1"(%5, %arg4) : (!vhlo.tensor_v1<4x!vhlo.f32_v1>, !vhlo.tensor_v1<4x!vhlo.f32_v1>) -> !vhlo.tensor_v1<4x!vhlo.f32_v1>
    %7 = "vhlo.reduce_v1"(%arg3, %2) <{dimensions = #vhlo.tensor_v1<dense<0> : tensor<1xi64>>}> ({
    ^bb0(%arg5: !vhlo.tensor_v1<!vhlo.f32_v1>, %arg6: !vhlo.tensor_v1<!vhlo.f32_v1>):
      %8 = "vhlo.add_v1"(%arg5, %arg6) : (!vhlo.tensor_v1<!vhlo.f32_v1>, !vhlo.tensor_v1<!vhlo.f32_v1>) -> !vhlo.tensor_v1<!vhlo.f32_v1>
      "vhlo.return_v1"(%8) : (!vhlo.tensor_v1<!vhlo.f32_v1>) -> ()
    }) : (!vhlo.tensor_v1<4x!vhlo.f32_v1>, !vhlo.tensor_v1<!vhlo.f32_v1>) -> !vhlo.tensor_v1<!vhlo.f32_v1>
    "vhlo.return_v1"(%6, %7) : (!vhlo.tensor_v1<4x!vhlo.f32_v1>, !vhlo.tensor_v1<!vhlo.f32_v1>) -> ()
  }) : () -> ()
  "vhlo.func_v1"() <{arg_attrs = #vhlo.array_v1<[#vhlo.dict_v1<{}>, #vhlo.dict_v1<{}>, #vhlo.dict_v1<{}>]>, function_type = #vhlo.type_v1<!vhlo.func_v1<(!vhlo.tensor_v1<10x!vhlo.f32_v1>, !vhlo.tensor_v1<!vhlo.f32_v1>, !vhlo.tensor_v1<!vhlo.i32_v1>) -> !vhlo.tensor_v1<10x!vhlo.f32_v1>>>, res_attrs = #vhlo.array_v1<[#vhlo.dict_v1<{}>]>, sym_name = #vhlo.string_v1<"dynamic_update_index_in_dim">, sym_visibility = #vhlo.string_v1<"private">}> ({
  ^bb0(%arg0: !vhlo.tensor_v1<10x!vhlo.f32_v1>, %arg1: !vhlo.tensor_v1<!vhlo.f32_v1>, %arg2: !vhlo.tensor_v1<!vhlo.i32_v1>):
    %0 = "vhlo.broadcast_in_dim_v1"(%arg1) <{broadcast_dimensions = #vhlo.tensor_v1<dense<> : tensor<0xi64>>}> : (!vhlo.tensor_v1<!vhlo.f32_v1>) -> !vhlo.tensor_v1<1x!vhlo.f32_v1>
    %1 = "vhlo.dynamic_update_slice_v1"(%arg0, %0, %arg2) : (!vhlo.tensor_v1<10x!vhlo.f32_v1>, !vhlo.tensor_v1<1x!vhlo.f32_v1>, !vhlo.tensor_v1<!vhlo.i32_v1>) -> !vhlo.tensor_v1<10x!vhlo.f32_v1>
    "vhlo.return_v1"(%1) : (!vhlo.tensor_v1<10x!vhlo.f32_v1>) -> ()
  }) : () -> ()
}) {jax.uses_shape_polymorphism = false, mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
