#loc = loc("attr":1:1)
#map = affine_map<(d0) -> (d0 + 1)>
"builtin.module"() ({
  "t.module"() ({
  ^bb0(%arg0: i32, %arg1: i32, %arg2: i32):
    "t.a"() : () -> ()
    "t.b"() : () -> ()
    "t.c"() : () -> ()
    "t.d"() : () -> ()
    "t.e"() : () -> ()
    "t.f"() : () -> ()
    "t.g"() : () -> ()
    "t.h"() : () -> ()
    "t.i"() : () -> ()
    "t.j"() : () -> ()
    "t.k"() {attribute = #loc, map = #map} : () -> ()
  }) : () -> ()
}) : () -> ()

