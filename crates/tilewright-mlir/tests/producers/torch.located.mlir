#loc2 = loc("sources/torch.mlir":2:22)
"builtin.module"() ({
  "func.func"() <{function_type = (!torch.vtensor<[2,3],f32>) -> !torch.vtensor<[2,3],f32>, sym_name = "forward"}> ({
  ^bb0(%arg0: !torch.vtensor<[2,3],f32> loc("sources/torch.mlir":2:22)):
    %0 = "torch.vtensor.literal"() <{value = dense<1.500000e+00> : tensor<3xf32>}> : () -> !torch.vtensor<[3],f32> loc(#loc3)
    %1 = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int loc(#loc4)
    %2 = "torch.constant.float"() <{value = 5.000000e-01 : f64}> : () -> !torch.float loc(#loc5)
    %3 = "torch.constant.str"() <{value = "mean"}> : () -> !torch.str loc(#loc6)
    %4 = "torch.aten.add.Tensor"(%arg0, %0, %1) : (!torch.vtensor<[2,3],f32>, !torch.vtensor<[3],f32>, !torch.int) -> !torch.vtensor<[2,3],f32> loc(#loc7)
    %5 = "torch.aten.mul.Scalar"(%4, %2) : (!torch.vtensor<[2,3],f32>, !torch.float) -> !torch.vtensor<[2,3],f32> loc(#loc8)
    "func.return"(%5) : (!torch.vtensor<[2,3],f32>) -> () loc(#loc9)
  }) : () -> () loc(#loc1)
}) {torch.debug_module_name = "Scaled"} : () -> () loc(#loc)
#loc = loc("sources/torch.mlir":1:1)
#loc1 = loc("sources/torch.mlir":2:3)
#loc3 = loc("sources/torch.mlir":3:13)
#loc4 = loc("sources/torch.mlir":4:12)
#loc5 = loc("sources/torch.mlir":5:13)
#loc6 = loc("sources/torch.mlir":6:13)
#loc7 = loc("sources/torch.mlir":7:12)
#loc8 = loc("sources/torch.mlir":8:12)
#loc9 = loc("sources/torch.mlir":9:5)

