#map = affine_map<(d0, d1) -> (-d0 + d1 * 2 - 3, (d0 + d1) * 4, d0 - d1 * 2, -(d0 floordiv 2))>
#map1 = affine_map<(d0, d1)[s0] -> (d1 * s0 + d0 ceildiv 3, d0)>
#map2 = affine_map<(d0, d1) -> (d0 - (d1 - 5), (d0 mod 7) floordiv 2 - 1)>
#set = affine_set<(d0)[s0] : (d0 - s0 * 3 + 1 >= 0, (d0 mod 2) * 5 == 0)>
"builtin.module"() ({
  "t.a"() {a = #map, b = #set, m = memref<4x?xf32, #map1>, n = memref<2x3xi8>, o = #map2} : () -> ()
}) : () -> ()

