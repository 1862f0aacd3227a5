// Operations whose properties LLVM 22 encodes in another way than LLVM 19, from which this file comes.
func.func private @callee(i32) -> i32
func.func @main(%c: i1, %m: memref<4xf32>, %i: index, %v: vector<4xf32>, %x: i32, %t: tensor<2x3xf32>) -> i32 {
  %0 = func.call @callee(%x) : (i32) -> i32
  %1 = memref.load %m[%i] : memref<4xf32>
  memref.store %1, %m[%i] : memref<4xf32>
  cf.cond_br %c, ^first(%0 : i32), ^second
^first(%2: i32):
  %3 = bufferization.to_memref %t : memref<2x3xf32>
  %4 = llvm.add %2, %2 overflow<nsw, nuw> : i32
  %5 = llvm.add %4, %2 overflow<nuw> : i32
  %6 = llvm.mul %5, %2 : i32
  return %6 : i32
^second:
  return %x : i32
}
#set = affine_set<(d0) : (d0 - 1 >= 0)>
func.func @conditional(%i: index) {
  affine.if #set(%i) {
  }
  return
}
gpu.module @kernels {
  gpu.func @kernel(%a: memref<4xf32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    gpu.return
  }
}
llvm.mlir.global internal constant @data(7 : i32) : i32
