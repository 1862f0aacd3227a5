entry @k() optimization_hints=<a b = {x = 3}, default = {a64 = 7, arr = [1, 2 : i32, "x"], arr2 = [[1], []], arrf = [1.000000e+00, 1.000000e+00 : f32], b1 = true, bnd = #cuda_tile.bounded<-3, ?>, d = {a = 4 : i32, "k 1" = 3 : i64}, div = #cuda_tile.div_by<16, every 4 along 1>, emp = [], fd = 1.000000e+00, fl = 1.000000e+00, flag = false, hint = #cuda_tile.optimization_hints<default = {}>, mm = #cuda_tile.multimem_reduction_kind<max>, neg8 = -128, same = #cuda_tile.same_elements<[2, 4]>, st = "a\22b\0A", ty = !cuda_tile.tile<4xf32>, tyi = i32, weird key = 3, z_int32 = 5}, sm_100 = {}> {
  return
}
entry @k2(%arg0: tile<i32> {cuda_tile.x = 3 : i64, cuda_tile.y = "q"}, %arg1: tile<i32>) {
  return
}
entry @k3(%arg0: tile<i32>) {
  return
}
