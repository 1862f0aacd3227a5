"builtin.module"() ({
  "spirv.module"() <{addressing_model = #spirv.addressing_model<Logical>, memory_model = #spirv.memory_model<GLSL450>, vce_triple = #spirv.vce<v1.0, [Shader], []>}> ({
    "spirv.SpecConstant"() <{default_value = 4.000000e+00 : f32, sym_name = "a"}> {spec_id = 5 : i64} : () -> ()
    "spirv.SpecConstant"() <{default_value = 5 : i32, sym_name = "b"}> : () -> ()
    "spirv.SpecConstantComposite"() <{constituents = [@a, @a], sym_name = "c", type = !spirv.array<2 x f32>}> : () -> ()
    "spirv.GlobalVariable"() <{binding = 1 : i32, descriptor_set = 0 : i32, sym_name = "g", type = !spirv.ptr<f32, Uniform>}> : () -> ()
    "spirv.func"() <{function_control = #spirv.function_control<None>, function_type = (f32) -> f32, sym_name = "f"}> ({
    ^bb0(%arg0: f32):
      "spirv.ReturnValue"(%arg0) : (f32) -> ()
    }) : () -> ()
  }) : () -> ()
  "spirv.module"() <{addressing_model = #spirv.addressing_model<Logical>, memory_model = #spirv.memory_model<GLSL450>, sym_name = "named"}> ({
    "spirv.EXT.SpecConstantCompositeReplicate"() <{constituent = @b, sym_name = "r", type = !spirv.array<2 x i32>}> : () -> ()
    "spirv.SpecConstant"() <{default_value = 5 : i32, sym_name = "b"}> : () -> ()
  }) : () -> ()
}) : () -> ()

