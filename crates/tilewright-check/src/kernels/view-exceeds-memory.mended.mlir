// tilewright check view-exceeds-memory.mended.mlir --grid 1 'f32[32]'
entry @k(%p: tile<ptr<f32>>) {
  %tv = make_tensor_view %p, shape = [4, 8], strides = [8, 1] : tile<ptr<f32>> -> tensor_view<4x8xf32, strides=[8,1]>
  return
}
