"builtin.module"() ({
  "func.func"() <{function_type = (!torch.vtensor<[2,3],f32>) -> !torch.vtensor<[2,3],f32>, sym_name = "forward"}> ({
  ^bb0(%arg0: !torch.vtensor<[2,3],f32>):
    %0 = "torch.vtensor.literal"() <{value = dense<1.500000e+00> : tensor<3xf32>}> : () -> !torch.vtensor<[3],f32>
    %1 = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
    %2 = "torch.constant.float"() <{value = 5.000000e-01 : f64}> : () -> !torch.float
    %3 = "torch.constant.str"() <{value = "mean"}> : () -> !torch.str
    %4 = "torch.aten.add.Tensor"(%arg0, %0, %1) : (!torch.vtensor<[2,3],f32>, !torch.vtensor<[3],f32>, !torch.int) -> !torch.vtensor<[2,3],f32>
    %5 = "torch.aten.mul.Scalar"(%4, %2) : (!torch.vtensor<[2,3],f32>, !torch.float) -> !torch.vtensor<[2,3],f32>
    "func.return"(%5) : (!torch.vtensor<[2,3],f32>) -> ()
  }) : () -> ()
}) {torch.debug_module_name = "Scaled"} : () -> ()

