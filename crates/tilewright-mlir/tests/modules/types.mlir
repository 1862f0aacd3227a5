// Every type of the builtin dialect, and some of others.
"t.types"() ({
^bb0(%0: i1, %1: si32, %2: ui64, %3: index, %4: none, %5: bf16, %6: f16, %7: f32, %8: f64, %9: f80, %10: f128, %11: tf32,
     %12: f8E5M2, %13: f8E4M3FN, %14: f8E5M2FNUZ, %15: f8E4M3FNUZ, %16: f8E4M3B11FNUZ, %17: f8E8M0FNU, %18: f4E2M1FN, %19: f6E2M3FN, %20: f6E3M2FN, %21: f8E4M3, %22: f8E3M4,
     %23: complex<f32>, %24: complex<i8>, %25: tuple<>, %26: tuple<i32, tuple<f32>>, %27: i1000000,
     %28: tuple<i1, i2, i3, i4, i5, i6, i7, i8, i9, i10, i11, i12, i13, i14, i15, i16, i17>,
     %29: tuple<tuple<i1, i2, i3, i4, i5, i6, i7, i8, i9, i10, i11, i12, i13, i14, i15, i16, i17>, i1>,
     %30: tensor<i32>, %31: tensor<?x4x?xf32>, %32: tensor<*xf16>, %33: tensor<2xf32, "encoding">, %34: tensor<2x0xf32, #t.enc<3>>, %35: tensor<4x!t.ptr>,
     %36: vector<f32>, %37: vector<4x8xi1>, %38: vector<[4]xf32>, %39: vector<2x[4]x8xi8>,
     %40: memref<i32>, %41: memref<?x4xf32>, %42: memref<4x4xf32, affine_map<(d0, d1) -> (d1, d0)>>, %43: memref<4xf32, 3>, %44: memref<4xf32, strided<[2], offset: ?>, 1 : i32>,
     %45: memref<*xf32>, %46: memref<*xf32, 5>, %47: memref<4x4xf32, affine_map<(d0, d1) -> (d0, d1)>>, %48: memref<4xf32, "space">, %49: memref<4xf32, affine_map<(d0) -> (d0 + 1)>, 2 : i64>,
     %50: (i32, f32) -> (i1, i2), %51: () -> (), %52: () -> (() -> i32), %53: !t.opaque<"x y", [1]>, %54: !t<"weird stuff">,
     %55: !quant.uniform<i8:f32, 0.5:10>, %56: !quant.uniform<u8<1:255>:f32, 2.0>, %57: !quant.uniform<i8:f32:1, {2.0, 3.0:1}>, %58: !quant.any<i8:f32>, %59: !quant.any<i4<-7:7>>,
     %60: !quant.calibrated<f32<-0.998:1.2321>>, %61: !quant.uniform<i8:f32:{0:1, 1:2}, {{2.0:20, 3.0:30}, {3.0:30, 5.0:50}}>, %62: !quant.uniform<i8:f32, 0.1>, %63: !quant.uniform<u16:f16, 1.23456789e-5:3>,
     %64: !quant.uniform<i4:f32:{0:1}, {2.0, 2.0}>, %65: !quant.uniform<i4:f32:{0:1, 1:1}, {{2.0:3, 1.0:3}, {2.0:3, 2.0:3}}>, %66: !quant.uniform<i4:f32:{0:2}, {2.0}>,
     %67: !quant.uniform<i4:f32:{0:1, 1:1}, {{2.0:3, 2.0:1}, {2.0, 2.0}}>):
  "t.end"() : () -> ()
}) : () -> ()
