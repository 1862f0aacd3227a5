"builtin.module"() ({
  "func.func"() <{function_type = (tensor<1x8x8x3xf32>, tensor<4x3x3x3xf32>, tensor<4xf32>) -> tensor<1x8x8x4xf32>, sym_name = "model"}> ({
  ^bb0(%arg0: tensor<1x8x8x3xf32>, %arg1: tensor<4x3x3x3xf32>, %arg2: tensor<4xf32>):
    %0 = "tfl.conv_2d"(%arg0, %arg1, %arg2) <{dilation_h_factor = 1 : i32, dilation_w_factor = 1 : i32, fused_activation_function = "RELU6", padding = "SAME", stride_h = 1 : i32, stride_w = 1 : i32}> : (tensor<1x8x8x3xf32>, tensor<4x3x3x3xf32>, tensor<4xf32>) -> tensor<1x8x8x4xf32>
    %1 = "tfl.add"(%0, %0) <{fused_activation_function = "NONE"}> : (tensor<1x8x8x4xf32>, tensor<1x8x8x4xf32>) -> tensor<1x8x8x4xf32>
    %2 = "tfl.quantize"(%1) <{qtype = tensor<1x8x8x4x!quant.uniform<u8:f32, 2.500000e-01:128>>}> : (tensor<1x8x8x4xf32>) -> tensor<1x8x8x4x!quant.uniform<u8:f32, 2.500000e-01:128>>
    %3 = "tfl.dequantize"(%2) : (tensor<1x8x8x4x!quant.uniform<u8:f32, 2.500000e-01:128>>) -> tensor<1x8x8x4xf32>
    %4 = "tfl.pseudo_const"() <{value = dense<[1, 2]> : tensor<2xi32>}> : () -> tensor<2xi32>
    %5 = "tfl.mean"(%3, %4) <{keep_dims = true}> : (tensor<1x8x8x4xf32>, tensor<2xi32>) -> tensor<1x1x1x4xf32>
    %6 = "tfl.no_value"() <{value}> : () -> none
    %7 = "tfl.squeeze"(%5) <{squeeze_dims = [1, 2]}> : (tensor<1x1x1x4xf32>) -> tensor<1x4xf32>
    %8 = "tfl.softmax"(%7) <{beta = 1.000000e+00 : f32}> : (tensor<1x4xf32>) -> tensor<1x4xf32>
    %9 = "tfl.custom"(%8) <{custom_code = "Own", custom_option = #tfl<const_bytes : "0x0102FF">}> : (tensor<1x4xf32>) -> tensor<1x4xf32>
    "func.return"(%3) : (tensor<1x8x8x4xf32>) -> ()
  }) : () -> ()
  "t.types"() {t.storage = [!quant.uniform<ui16:f32, 3.000000e+00:127>, !quant.uniform<u16:f32, 3.000000e+00:127>, !quant.uniform<ui8<1:255>:f32, 3.000000e+00>, !quant.uniform<si8<-5:127>:f32:0, {3.000000e+00:127}>, !quant.uniform<si4:f32, 3.000000e+00:7>, !quant.uniform<i4:f32, 3.000000e+00:7>, !quant.uniform<f8E4M3FN:f32, 3.000000e+00:7>, !quant.uniform<f8E4M3FN<-100:100>:f32, 3.000000e+00>, !quant.uniform<f8E5M2:f32, 5.000000e-01>, !quant.uniform<f4E2M1FN<0:6>:f32, 5.000000e-01>]} : () -> ()
}) : () -> ()
