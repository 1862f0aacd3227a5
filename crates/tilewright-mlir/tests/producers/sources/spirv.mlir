// Symbols of SPIR-V, which have a property more in LLVM 24.
spirv.module Logical GLSL450 requires #spirv.vce<v1.0, [Shader], []> {
  spirv.SpecConstant @a spec_id(5) = 4.0 : f32
  spirv.SpecConstant @b = 5 : i32
  spirv.SpecConstantComposite @c (@a, @a) : !spirv.array<2 x f32>
  spirv.GlobalVariable @g bind(0, 1) : !spirv.ptr<f32, Uniform>
  spirv.func @f(%x: f32) -> f32 "None" { spirv.ReturnValue %x : f32 }
}
spirv.module @named Logical GLSL450 {
  spirv.EXT.SpecConstantCompositeReplicate @r (@b) : !spirv.array<2 x i32>
  spirv.SpecConstant @b = 5 : i32
}
