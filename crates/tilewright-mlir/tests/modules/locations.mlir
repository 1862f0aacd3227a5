// Every kind of location.
#file = loc("a file.py":10:20)
#range = loc("a.py":1:2 to 3:4)
"t.module"() ({
^bb0(%a: i32 loc("argument"), %b: i32 loc(unknown), %c: i32 loc(callsite("f"("x":1:1) at fused[#file, #range]))):
  "t.a"() : () -> () loc(unknown)
  "t.b"() : () -> () loc(#file)
  "t.c"() : () -> () loc("name"(#file))
  "t.d"() : () -> () loc("just a name")
  "t.e"() : () -> () loc(callsite(#file at callsite("g" at "h":3:4)))
  "t.f"() : () -> () loc(fused[#file, "z":1:2, unknown])
  "t.g"() : () -> () loc(fused<"metadata">[#file])
  "t.h"() : () -> () loc(fused<#t.meta<[1]>>["k":0:0])
  "t.i"() : () -> () loc(#range)
  "t.j"() : () -> () loc("b.py":5:1 to :9)
  "t.k"() {attribute = loc("attr":1:1), map = affine_map<(d0) -> (d0 + 1)>} : () -> () loc(fused<affine_map<(d0) -> (d0 + 2)>>[#file])
}) : () -> () loc("top":1:1)
