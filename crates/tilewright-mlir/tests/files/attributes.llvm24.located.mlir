#distinct = distinct[0]<@f>
#distinct1 = distinct[1]<@f>
#loc2 = loc("file":1:2)
#map = affine_map<() -> ()>
#map1 = affine_map<(d0) -> (d0)>
#map2 = affine_map<(d0, d1)[s0] -> (d0 + s0 * 2, (d1 floordiv 3) mod 5)>
#set = affine_set<(d0) : (d0 - 1 >= 0, d0 == 0)>
"builtin.module"() ({
  "t.attributes"() {again = #distinct, array = [1, 2 : i32, 3.000000e+00, 4.000000e+00 : f32, "s", unit, [], {}], bf16 = 1.000260e+30 : bf16, big = 0x4CEB79A3 : f32, dictionary = {a, "b c" = true, d = {e = 2.500000e+00 : bf16}}, distinct0 = #distinct, distinct1 = distinct[2]<>, distinct2 = #distinct1, e2m1 = -6.000000e+00 : f4E2M1FN, e2m3 = 7.500000e+00 : f6E2M3FN, e3m2 = 2.800000e+01 : f6E3M2FN, e3m4 = 1.500000e+00 : f8E3M4, e4m3 = 1.500000e+00 : f8E4M3, e4m3b11fnuz = 5.000000e-01 : f8E4M3B11FNUZ, e4m3fn = 4.480000e+02 : f8E4M3FN, e4m3fnuz = 5.000000e-01 : f8E4M3FNUZ, e5m2 = 1.500000e+00 : f8E5M2, e5m2fnuz = 5.000000e-01 : f8E5M2FNUZ, e8m0 = 4.000000e+00 : f8E8M0FNU, empty = "", empty_map = #map, f128 = 1.000000e-01 : f128, f128_exact = 3.1415926535897932384626433832795028 : f128, f16 = 3.330080e-01 : f16, f32 = 1.000000e-01 : f32, f32_exact = 1.23456788 : f32, f64 = 1.000000e-01 : f64, f64_exact = 3.1415926535897931 : f64, f80 = 1.000000e-01 : f80, f80_exact = 3.14159265358979323851 : f80, flat = @f, function_of_function = () -> ((i1) -> i2), function_type = (i32) -> (), huge = 123456789012345678901234567890123456789012345678901234567890 : i256, i64_min = -9223372036854775808 : i64, i65 = -1 : i65, identity = #map1, index = -7 : index, inf = 0x7F800000 : f32, large64 = 1.000000e+300 : f64, layout = strided<[?, 1], offset: 3>, location = #loc2, map = #map2, max = 3.40282347E+38 : f32, nan = 0x7FC00000 : f32, nan8 = 0x7F : f8E4M3FN, neg = -2.500000e+00 : f64, negative_zero = -0.000000e+00 : f32, nested = @a::@"b c"::@d, no = false, odd = -1 : i3, opaque = #unknown<"some data">, pretty = #unknown.thing<1, [2], "x">, quoted = @"a b", set = #set, signed = -5 : si8, small = -128 : i8, string = "a\22b\\c\0A\E2\82\AC", sub64 = 4.940660e-324 : f64, tf32 = 9.997550e-02 : tf32, tiny = 1.401300e-45 : f32, true, type = i32, typed_string = "s" : !t.type<3>, unit, unsigned = 250 : ui8, wide = -1 : i128, wide_negative = -170141183460469231731687303715884105728 : i128, wide_unsigned = 340282366920938463463374607431768211455 : ui128, yes = true, zero128 = 0 : i128} : () -> () loc(#loc1)
  "t.dense"() {all = dense<true> : tensor<100xi1>, arrays = [array<i32: 1, -2>, array<i8>, array<i1: true, false>, array<f32: 1.500000e+00, 1.000000e-01>, array<i64: 5>, array<f64: 1.000000e+00>, array<i16: 3>, array<bf16: 2.000000e+00>], bf = dense<[1.000980e-01, 3.000000e+00]> : tensor<2xbf16>, bools = dense<[true, false, true, true, false, false, false, true, true]> : tensor<9xi1>, complexes = dense<[(1.000000e+00,2.000000e+00), (-5.000000e-01,0.000000e+00)]> : tensor<2xcomplex<f32>>, csplat = dense<(1.000000e+00,2.000000e+00)> : tensor<3xcomplex<f64>>, cube = dense<[[[1.000000e+00], [2.000000e+00]], [[3.000000e+00], [4.500000e+00]]]> : tensor<2x2x1xf64>, eight = dense<[true, true, true, true, true, true, true, false]> : tensor<8xi1>, f8s = dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf8E4M3FN>, fsplat = dense<5.000000e-01> : vector<8xf32>, halves = dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf16>, hex = dense<"0x00010203040506070809101112131415161718192021222324252627282930313233343536373839404142434445464748495051525354555657585960616263646566676869707172737475767778798081828384858687888990919293949596979899A0A1A2A3A4A5"> : tensor<106xi8>, i128s = dense<[-1, 170141183460469231731687303715884105727]> : tensor<2xi128>, icomplex = dense<(1,2)> : tensor<1xcomplex<i16>>, idx = dense<[1, 2]> : tensor<2xindex>, int4 = dense<[-8, 7]> : tensor<2xi4>, list = dense<[1, -2, 3]> : tensor<3xi16>, nested = dense<[[1, 2], [3, 4]]> : tensor<2x2xi8>, none = dense<> : tensor<0xi32>, none2 = dense<> : tensor<2x0xf32>, nothing = dense<false> : tensor<12xi1>, one = dense<true> : tensor<1xi1>, resource = dense_resource<blob1> : tensor<3xi64>, resource2 = dense_resource<"odd name"> : tensor<1xf32>, resource3 = dense_resource<missing> : tensor<1xi8>, scalar = dense<7> : tensor<i64>, sparse = sparse<[[0, 0], [1, 2]], [1, 5]> : tensor<3x4xi32>, sparse_none = sparse<> : tensor<2x2xi8>, sparse_one = sparse<0, 3.000000e+00> : tensor<2xf32>, specials = dense<[0x7F800000, 0xFFC00000]> : tensor<2xf32>, splat = dense<1> : tensor<4x4xi32>, ssplat = dense<"x"> : tensor<4x!t.string>, strings = dense<["a", "b\22c"]> : tensor<2x!t.string>, ui = dense<[200, 3]> : tensor<2xui8>} : () -> () loc(#loc3)
}) : () -> () loc(#loc)
#loc = loc("<stdin>":0:0)
#loc1 = loc("<stdin>":4:1)
#loc3 = loc("<stdin>":25:1)

{-#
  dialect_resources: {
    builtin: {
      blob1: "0x08000000010000000000000002000000000000000300000000000000",
      "odd name": "0x040000000000803F"
    }
  },
  external_resources: {
    external: {
      blob: "0x08000000010000000000000002000000000000000300000000000000",
      bool: true,
      string: "string"
    }
  }
#-}

