// Aliases before and after their use, one for another, and locations written in place.
#file = #cuda_tile.di_file<"foo.py" in "/tmp/">
#unit = #cuda_tile.di_compile_unit<
  file = #file
>
#func = #cuda_tile.di_subprogram<scopeLine = 2, file = #file, line = 1, name = "test",
  linkageName = "test", compileUnit = #unit>
#block = #cuda_tile.di_lexical_block<scope = #func, file = #file, line = 3, column = 4>
!tile = !cuda_tile.tile<4xi32>
#hint = 3 : i32
cuda_tile.module @kernels {
  entry @test(%a: !tile loc("foo.py":1:2)) optimization_hints=<default = {latency = #hint}> {
    %0 = addi %a, %a : !tile loc(#later)
    %1 = addi %0, %a : !tile loc(callsite(#later at #same))
    %2 = addi %1, %a : !tile loc(#cuda_tile.di_loc<"foo.py":9:9 in #block>)
    %3 = addi %2, %a : !tile loc("plain.py":7:8)
    %4 = "cuda_tile.loop"() ({
      "cuda_tile.break"(%3) : (!tile) -> () loc("in.py":1:1)
    }) : () -> !tile loc(unknown)
    return loc(unknown)
  } loc(#here)
} loc(unknown)
#same = #later
#later = #cuda_tile.di_loc<#place in #block>
#here = #cuda_tile.di_loc<loc("foo.py":1:0) in #func>
#place = loc("foo.py":11:12)
