#extern = #ml_program.extern
#map = affine_map<(d0, d1) -> (d1, d0)>
#sparse = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed) }>
#sparse1 = #sparse_tensor.encoding<{ map = (d0, d1) -> (d1 : dense, d0 : compressed), posWidth = 32 }>
#sparse2 = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed) }>
"builtin.module"() ({
  "ml_program.global"() <{sym_name = "state", sym_visibility = "private", type = tensor<4xi32>, value = #extern}> : () -> ()
  "ml_program.global"() <{is_mutable, sym_name = "other", sym_visibility = "private", type = tensor<?xi32>, value = #extern}> : () -> ()
  "func.func"() <{function_type = (tensor<8x8xf32, #sparse>) -> tensor<8x8xf32, #sparse1>, sym_name = "convert"}> ({
  ^bb0(%arg0: tensor<8x8xf32, #sparse>):
    %0 = "sparse_tensor.convert"(%arg0) : (tensor<8x8xf32, #sparse>) -> tensor<8x8xf32, #sparse1>
    "func.return"(%0) : (tensor<8x8xf32, #sparse1>) -> ()
  }) {encodings = {csr = #sparse, vector = #sparse2}} : () -> ()
}) {test.outer = [#sparse1, #map]} : () -> ()

