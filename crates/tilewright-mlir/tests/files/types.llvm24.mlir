!tuple = tuple<i1, i2, i3, i4, i5, i6, i7, i8, i9, i10, i11, i12, i13, i14, i15, i16, i17>
#map = affine_map<(d0, d1) -> (d1, d0)>
#map1 = affine_map<(d0) -> (d0 + 1)>
"builtin.module"() ({
  "t.types"() ({
  ^bb0(%arg0: i1, %arg1: si32, %arg2: ui64, %arg3: index, %arg4: none, %arg5: bf16, %arg6: f16, %arg7: f32, %arg8: f64, %arg9: f80, %arg10: f128, %arg11: tf32, %arg12: f8E5M2, %arg13: f8E4M3FN, %arg14: f8E5M2FNUZ, %arg15: f8E4M3FNUZ, %arg16: f8E4M3B11FNUZ, %arg17: f8E8M0FNU, %arg18: f4E2M1FN, %arg19: f6E2M3FN, %arg20: f6E3M2FN, %arg21: f8E4M3, %arg22: f8E3M4, %arg23: complex<f32>, %arg24: complex<i8>, %arg25: tuple<>, %arg26: tuple<i32, tuple<f32>>, %arg27: i1000000, %arg28: !tuple, %arg29: tuple<!tuple, i1>, %arg30: tensor<i32>, %arg31: tensor<?x4x?xf32>, %arg32: tensor<*xf16>, %arg33: tensor<2xf32, "encoding">, %arg34: tensor<2x0xf32, #t.enc<3>>, %arg35: tensor<4x!t.ptr>, %arg36: vector<f32>, %arg37: vector<4x8xi1>, %arg38: vector<[4]xf32>, %arg39: vector<2x[4]x8xi8>, %arg40: memref<i32>, %arg41: memref<?x4xf32>, %arg42: memref<4x4xf32, #map>, %arg43: memref<4xf32, 3>, %arg44: memref<4xf32, strided<[2], offset: ?>, 1 : i32>, %arg45: memref<*xf32>, %arg46: memref<*xf32, 5>, %arg47: memref<4x4xf32>, %arg48: memref<4xf32, "space">, %arg49: memref<4xf32, #map1, 2>, %arg50: (i32, f32) -> (i1, i2), %arg51: () -> (), %arg52: () -> (() -> i32), %arg53: !t.opaque<"x y", [1]>, %arg54: !t<"weird stuff">, %arg55: !quant.uniform<i8:f32, 5.000000e-01:10>, %arg56: !quant.uniform<u8<1:255>:f32, 2.000000e+00>, %arg57: !quant.uniform<i8:f32:1, {2.000000e+00,3.000000e+00:1}>, %arg58: !quant.any<i8:f32>, %arg59: !quant.any<i4<-7:7>>, %arg60: !quant.calibrated<f32<-0.998:1.232100e+00>>, %arg61: !quant.uniform<i8:f32:{0:1, 1:2}, {{2.000000e+00:20, 3.000000e+00:30}, {3.000000e+00:30, 5.000000e+00:50}}>, %arg62: !quant.uniform<i8:f32, 1.000000e-01>, %arg63: !quant.uniform<u16:f16, 1.23456789E-5:3>):
    "t.end"() : () -> ()
  }) : () -> ()
}) : () -> ()

