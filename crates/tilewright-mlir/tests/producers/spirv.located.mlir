#loc7 = loc("<stdin>":7:17)
"builtin.module"() ({
  "spirv.module"() <{addressing_model = #spirv.addressing_model<Logical>, memory_model = #spirv.memory_model<GLSL450>, vce_triple = #spirv.vce<v1.0, [Shader], []>}> ({
    "spirv.SpecConstant"() <{default_value = 4.000000e+00 : f32, sym_name = "a"}> {spec_id = 5 : i64} : () -> () loc(#loc2)
    "spirv.SpecConstant"() <{default_value = 5 : i32, sym_name = "b"}> : () -> () loc(#loc3)
    "spirv.SpecConstantComposite"() <{constituents = [@a, @a], sym_name = "c", type = !spirv.array<2 x f32>}> : () -> () loc(#loc4)
    "spirv.GlobalVariable"() <{binding = 1 : i32, descriptor_set = 0 : i32, sym_name = "g", type = !spirv.ptr<f32, Uniform>}> : () -> () loc(#loc5)
    "spirv.func"() <{function_control = #spirv.function_control<None>, function_type = (f32) -> f32, sym_name = "f"}> ({
    ^bb0(%arg0: f32 loc("<stdin>":7:17)):
      "spirv.ReturnValue"(%arg0) : (f32) -> () loc(#loc8)
    }) : () -> () loc(#loc6)
  }) : () -> () loc(#loc1)
  "spirv.module"() <{addressing_model = #spirv.addressing_model<Logical>, memory_model = #spirv.memory_model<GLSL450>, sym_name = "named"}> ({
    "spirv.EXT.SpecConstantCompositeReplicate"() <{constituent = @b, sym_name = "r", type = !spirv.array<2 x i32>}> : () -> () loc(#loc10)
    "spirv.SpecConstant"() <{default_value = 5 : i32, sym_name = "b"}> : () -> () loc(#loc11)
  }) : () -> () loc(#loc9)
}) : () -> () loc(#loc)
#loc = loc("<stdin>":0:0)
#loc1 = loc("<stdin>":2:1)
#loc2 = loc("<stdin>":3:3)
#loc3 = loc("<stdin>":4:3)
#loc4 = loc("<stdin>":5:3)
#loc5 = loc("<stdin>":6:3)
#loc6 = loc("<stdin>":7:3)
#loc8 = loc("<stdin>":7:42)
#loc9 = loc("<stdin>":9:1)
#loc10 = loc("<stdin>":10:3)
#loc11 = loc("<stdin>":11:3)

