// Every attribute of the builtin dialect.
#map = affine_map<(d0, d1)[s0] -> (d0 + s0 * 2, d1 floordiv 3 mod 5)>
#set = affine_set<(d0) : (d0 - 1 >= 0, d0 == 0)>
"t.attributes"() {
  array = [1 : i64, 2 : i32, 3.0 : f64, 4.0 : f32, "s", unit, [], {}],
  dictionary = {a, "b c" = 1 : i1, d = {e = 2.5 : bf16}},
  string = "a\"b\\c\0A\E2\82\AC", typed_string = "s" : !t.type<3>, empty = "",
  flat = @f, quoted = @"a b", nested = @a::@"b c"::@d,
  type = i32, function_type = (i32) -> (), function_of_function = () -> ((i1) -> i2), unit,
  true, yes = true, no = false,
  signed = -5 : si8, unsigned = 250 : ui8, odd = -1 : i3, small = -128 : i8, index = -7 : index, i64_min = -9223372036854775808 : i64,
  wide = 340282366920938463463374607431768211455 : i128, wide_negative = -170141183460469231731687303715884105728 : i128,
  wide_unsigned = 340282366920938463463374607431768211455 : ui128, i65 = -1 : i65, zero128 = 0 : i128,
  huge = 123456789012345678901234567890123456789012345678901234567890 : i256,
  f16 = 0.333 : f16, bf16 = 1.0e30 : bf16, f32 = 0.1 : f32, f64 = 0.1 : f64, f80 = 0.1 : f80, f128 = 0.1 : f128, tf32 = 0.1 : tf32,
  f32_exact = 1.23456788 : f32, f64_exact = 3.141592653589793 : f64, f80_exact = 3.14159265358979323846 : f80,
  f128_exact = 3.14159265358979323846264338327950288 : f128, big = 123456789.0 : f32, tiny = 1.0e-45 : f32, max = 3.4028234e38 : f32,
  inf = 0x7F800000 : f32, nan = 0x7FC00000 : f32, negative_zero = -0.0 : f32, neg = -2.5 : f64, large64 = 1.0e300 : f64, sub64 = 5.0e-324 : f64,
  e5m2 = 1.5 : f8E5M2, e4m3 = 1.5 : f8E4M3, e3m4 = 1.5 : f8E3M4, e4m3fn = 448.0 : f8E4M3FN, e5m2fnuz = 0.5 : f8E5M2FNUZ, e4m3fnuz = 0.5 : f8E4M3FNUZ,
  e4m3b11fnuz = 0.5 : f8E4M3B11FNUZ, e8m0 = 4.0 : f8E8M0FNU, e2m1 = -6.0 : f4E2M1FN, e2m3 = 7.5 : f6E2M3FN, e3m2 = 28.0 : f6E3M2FN,
  nan8 = 0x7F : f8E4M3FN, map = #map, identity = affine_map<(d0) -> (d0)>, empty_map = affine_map<() -> ()>, set = #set, layout = strided<[?, 1], offset: 3>,
  distinct0 = distinct[0]<@f>, distinct1 = distinct[1]<>, distinct2 = distinct[2]<@f>, again = distinct[0]<@f>,
  opaque = #unknown<"some data">, pretty = #unknown.thing<1, [2], "x">, location = loc("file":1:2)
} : () -> ()
"t.dense"() {
  splat = dense<1> : tensor<4x4xi32>, fsplat = dense<0.5> : vector<8xf32>, scalar = dense<7> : tensor<i64>, none = dense<> : tensor<0xi32>, none2 = dense<> : tensor<2x0xf32>,
  list = dense<[1, -2, 3]> : tensor<3xi16>, nested = dense<[[1, 2], [3, 4]]> : tensor<2x2xi8>, cube = dense<[[[1.0], [2.0]], [[3.0], [4.5]]]> : tensor<2x2x1xf64>,
  bools = dense<[true, false, true, true, false, false, false, true, true]> : tensor<9xi1>, all = dense<true> : tensor<100xi1>, nothing = dense<false> : tensor<12xi1>, one = dense<true> : tensor<1xi1>,
  eight = dense<[true, true, true, true, true, true, true, false]> : tensor<8xi1>, int4 = dense<[-8, 7]> : tensor<2xi4>, ui = dense<[200, 3]> : tensor<2xui8>, idx = dense<[1, 2]> : tensor<2xindex>,
  complexes = dense<[(1.0, 2.0), (-0.5, 0.0)]> : tensor<2xcomplex<f32>>, icomplex = dense<[(1, 2)]> : tensor<1xcomplex<i16>>, csplat = dense<(1.0, 2.0)> : tensor<3xcomplex<f64>>,
  i128s = dense<[-1, 170141183460469231731687303715884105727]> : tensor<2xi128>, strings = dense<["a", "b\22c"]> : tensor<2x!t.string>, ssplat = dense<"x"> : tensor<4x!t.string>,
  halves = dense<[1.0, 2.0]> : tensor<2xf16>, f8s = dense<[1.0, 2.0]> : tensor<2xf8E4M3FN>, bf = dense<[0.1, 3.0]> : tensor<2xbf16>, specials = dense<[0x7F800000, 0xFFC00000]> : tensor<2xf32>,
  sparse = sparse<[[0, 0], [1, 2]], [1, 5]> : tensor<3x4xi32>, sparse_one = sparse<0, 3.0> : tensor<2xf32>, sparse_none = sparse<> : tensor<2x2xi8>,
  hex = dense<"0x00010203040506070809101112131415161718192021222324252627282930313233343536373839404142434445464748495051525354555657585960616263646566676869707172737475767778798081828384858687888990919293949596979899A0A1A2A3A4A5"> : tensor<106xi8>,
  arrays = [array<i32: 1, -2>, array<i8>, array<i1: true, false>, array<f32: 1.5, 0.1>, array<i64: 5>, array<f64: 1.0>, array<i16: 3>, array<bf16: 2.0>],
  resource = dense_resource<blob1> : tensor<3xi64>, resource2 = dense_resource<"odd name"> : tensor<1xf32>, resource3 = dense_resource<missing> : tensor<1xi8>
} : () -> ()
{-#
  dialect_resources: {
    builtin: {
      blob1: "0x08000000010000000000000002000000000000000300000000000000",
      "odd name": "0x040000000000803F",
      unused: "0x0400000000"
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
