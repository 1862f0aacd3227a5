#extern = #ml_program.extern
#loc4 = loc("modules/names.mlir":8:22)
#map = affine_map<(d0, d1) -> (d1, d0)>
#sparse = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed) }>
#sparse1 = #sparse_tensor.encoding<{ map = (d0, d1) -> (d1 : dense, d0 : compressed), posWidth = 32 }>
#sparse2 = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed) }>
"builtin.module"() ({
  "ml_program.global"() <{sym_name = "state", sym_visibility = "private", type = tensor<4xi32>, value = #extern}> : () -> () loc(#loc1)
  "ml_program.global"() <{is_mutable, sym_name = "other", sym_visibility = "private", type = tensor<?xi32>, value = #extern}> : () -> () loc(#loc2)
  "func.func"() <{function_type = (tensor<8x8xf32, #sparse>) -> tensor<8x8xf32, #sparse1>, sym_name = "convert"}> ({
  ^bb0(%arg0: tensor<8x8xf32, #sparse> loc("modules/names.mlir":8:22)):
    %0 = "sparse_tensor.convert"(%arg0) : (tensor<8x8xf32, #sparse>) -> tensor<8x8xf32, #sparse1> loc(#loc5)
    "func.return"(%0) : (tensor<8x8xf32, #sparse1>) -> () loc(#loc6)
  }) {encodings = {csr = #sparse, vector = #sparse2}} : () -> () loc(#loc3)
}) {test.outer = [#sparse1, #map]} : () -> () loc(#loc)
#loc = loc("modules/names.mlir":5:1)
#loc1 = loc("modules/names.mlir":6:3)
#loc2 = loc("modules/names.mlir":7:3)
#loc3 = loc("modules/names.mlir":8:3)
#loc5 = loc("modules/names.mlir":9:10)
#loc6 = loc("modules/names.mlir":10:5)

