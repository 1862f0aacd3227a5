#loc1 = loc("x")
#loc2 = loc("y")
"builtin.module"() <{sym_name = "jit__lambda"}> ({
  "vhlo.func_v1"() <{arg_attrs = #vhlo.array_v1<[#vhlo.dict_v1<{}>, #vhlo.dict_v1<{}>]>, function_type = #vhlo.type_v1<!vhlo.func_v1<(!vhlo.tensor_v1<8x!vhlo.f32_v1>, !vhlo.tensor_v1<8x!vhlo.f32_v1>) -> !vhlo.tensor_v1<8x!vhlo.f32_v1>>>, res_attrs = #vhlo.array_v1<[#vhlo.dict_v1<{#vhlo.string_v1<"jax.result_info"> = #vhlo.string_v1<"result">}>]>, sym_name = #vhlo.string_v1<"main">, sym_visibility = #vhlo.string_v1<"public">}> ({
  ^bb0(%arg0: !vhlo.tensor_v1<8x!vhlo.f32_v1> loc("x"), %arg1: !vhlo.tensor_v1<8x!vhlo.f32_v1> loc("y")):
    %0 = "vhlo.add_v1"(%arg0, %arg1) : (!vhlo.tensor_v1<8x!vhlo.f32_v1>, !vhlo.tensor_v1<8x!vhlo.f32_v1>) -> !vhlo.tensor_v1<8x!vhlo.f32_v1> loc(#loc9)
    "vhlo.return_v1"(%0) : (!vhlo.tensor_v1<8x!vhlo.f32_v1>) -> () loc(#loc8)
  }) : () -> () loc(#loc)
}) {jax.uses_shape_polymorphism = false, mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} : () -> () loc(#loc)
#loc = loc(unknown)
#loc3 = loc("models/example.py":9:31 to :34)
#loc4 = loc("models/example.py":61:10 to :60)
#loc5 = loc("add.<locals>.<lambda>"(#loc3))
#loc6 = loc("<module>"(#loc4))
#loc7 = loc(callsite(#loc5 at #loc6))
#loc8 = loc("jit(<lambda>)"(#loc6))
#loc9 = loc("jit(<lambda>)/add"(#loc7))
