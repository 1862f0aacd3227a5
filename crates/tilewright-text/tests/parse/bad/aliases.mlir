#a = #b
#b = #a
#twice = loc("f":1:2)
#twice = loc("f":1:3)
#file = #cuda_tile.di_file<"f" in "d">
#sub = #cuda_tile.di_subprogram<file = #file, lyne = 3>
#bad = #cuda_tile.di_loc<#twice in #file>
#fused = loc(fused["f":1:2])
entry @k() {
  return loc(#nowhere)
} loc(#file)
entry @l(%a: !t) {
  return loc(#file)
}
