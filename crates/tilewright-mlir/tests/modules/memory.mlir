// Layouts that change nothing, operations whose properties are attributes in LLVM 22, and numbers without bits.
#same = affine_map<(d0)[s0] -> (d0)>
#turned = affine_map<(d0, d1)[s0, s1] -> (d1, d0)>
func.func @copies(%from: memref<100xf32>, %to: memref<100xf32, 2>, %tag: memref<1xi32>, %n: index) {
  %0 = memref.alloc(%n) : memref<?xf32, #same>
  %1 = memref.alloc()[%n, %n] : memref<4x4xf32, #turned>
  affine.for %i = 0 to 10 {
    affine.dma_start %from[%i], %to[%i], %tag[0], %n : memref<100xf32>, memref<100xf32, 2>, memref<1xi32>
    affine.dma_wait %tag[0], %n : memref<1xi32>
  }
  return
}
"t.no_bits"() {a = 0 : i0, b = 0 : si0, c = 0 : ui0, d = array<i0: 0, 0>, e = array<si0: 0>, f = dense<0> : tensor<3xi0>, g = dense<[0, 0]> : vector<2xsi0>} : () -> ()
