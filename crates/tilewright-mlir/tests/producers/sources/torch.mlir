module attributes {torch.debug_module_name = "Scaled"} {
  func.func @forward(%x: !torch.vtensor<[2,3],f32>) -> !torch.vtensor<[2,3],f32> {
    %bias = torch.vtensor.literal(dense<1.5> : tensor<3xf32>) : !torch.vtensor<[3],f32>
    %one = torch.constant.int 1
    %half = torch.constant.float 5.000000e-01
    %name = torch.constant.str "mean"
    %sum = torch.aten.add.Tensor %x, %bias, %one : !torch.vtensor<[2,3],f32>, !torch.vtensor<[3],f32>, !torch.int -> !torch.vtensor<[2,3],f32>
    %out = torch.aten.mul.Scalar %sum, %half : !torch.vtensor<[2,3],f32>, !torch.float -> !torch.vtensor<[2,3],f32>
    return %out : !torch.vtensor<[2,3],f32>
  }
}
