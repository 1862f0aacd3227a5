"cuda_tile.entry"() <{function_type = () -> (), optimization_hints = #cuda_tile.optimization_hints<a b = {x = 3}, default = {a64 = 7, arr = [1, 2 : i32, "x"], arr2 = [[1], []], arrf = [1.000000e+00, 1.000000e+00 : f32], b1 = true, bnd = #cuda_tile.bounded<-3, ?>, d = {a = 4 : i32, "k 1" = 3 : i64}, div = #cuda_tile.div_by<16, every 4 along 1>, emp = [], fd = 1.000000e+00, fl = 1.000000e+00 : f32, flag = false, hint = #cuda_tile.optimization_hints<default = {}>, mm = #cuda_tile.multimem_reduction_kind<max>, neg8 = -128 : i8, same = #cuda_tile.same_elements<[2, 4]>, st = "a\22b\0A", ty = !cuda_tile.tile<4xf32>, tyi = i32, weird key = 3, z_int32 = 5 : i32}, sm_100 = {}>, sym_name = "k"}> ({
  "cuda_tile.return"() : () -> ()
}) : () -> ()
"cuda_tile.entry"() <{arg_attrs = [{cuda_tile.x = 3 : i64, cuda_tile.y = "q"}, {}], function_type = (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> (), sym_name = "k2"}> ({
^bb0(%arg0: !cuda_tile.tile<i32>, %arg1: !cuda_tile.tile<i32>):
  "cuda_tile.return"() : () -> ()
}) : () -> ()
"cuda_tile.entry"() <{function_type = (!cuda_tile.tile<i32>) -> (), sym_name = "k3"}> ({
^bb0(%arg0: !cuda_tile.tile<i32>):
  "cuda_tile.return"() : () -> ()
}) : () -> ()
