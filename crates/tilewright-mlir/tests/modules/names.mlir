// Attributes to which their dialects give names.
#csr = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed) }>
#csc = #sparse_tensor.encoding<{ map = (d0, d1) -> (d1 : dense, d0 : compressed), posWidth = 32 }>
#map = affine_map<(d0, d1) -> (d1, d0)>
module attributes {test.outer = [#csc, #map]} {
  ml_program.global private @state(#ml_program.extern<tensor<4xi32>>) : tensor<4xi32>
  ml_program.global private mutable @other(#ml_program.extern<tensor<?xi32>>) : tensor<?xi32>
  func.func @convert(%a: tensor<8x8xf32, #csr>) -> tensor<8x8xf32, #csc> attributes {encodings = {csr = #csr, vector = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed) }>}} {
    %0 = sparse_tensor.convert %a : tensor<8x8xf32, #csr> to tensor<8x8xf32, #csc>
    return %0 : tensor<8x8xf32, #csc>
  }
}
