// Operations of many dialects.
#map = affine_map<(d0, d1, d2) -> (d0, d2)>
#map1 = affine_map<(d0, d1, d2) -> (d2, d1)>
#map2 = affine_map<(d0, d1, d2) -> (d0, d1)>
module attributes {gpu.container_module, transform.with_named_sequence} {
  memref.global "private" constant @table : memref<4xf32> = dense<[0.0, 1.0, 2.0, 3.0]>
  ml_program.global private mutable @state(dense<0> : tensor<4xi32>) : tensor<4xi32>
  llvm.mlir.global internal constant @str("hello\00") {addr_space = 0 : i32}
  llvm.func @printf(!llvm.ptr, ...) -> i32
  llvm.func @main(%arg0: i32, %arg1: !llvm.ptr) -> i32 attributes {passthrough = ["noinline", ["alignstack", "4"]]} {
    %0 = llvm.mlir.addressof @str : !llvm.ptr
    %1 = llvm.getelementptr inbounds %0[0, 1] : (!llvm.ptr) -> !llvm.ptr, !llvm.array<6 x i8>
    %2 = llvm.call @printf(%1, %arg0) vararg(!llvm.func<i32 (ptr, ...)>) {fastmathFlags = #llvm.fastmath<fast>} : (!llvm.ptr, i32) -> i32
    %3 = llvm.load volatile %arg1 {alignment = 4 : i64} : !llvm.ptr -> !llvm.struct<"pair", (i32, ptr)>
    %4 = llvm.extractvalue %3[0] : !llvm.struct<"pair", (i32, ptr)>
    %5 = llvm.add %4, %arg0 overflow<nsw> : i32
    %6 = llvm.mlir.constant(1.000000e+00 : f32) : f32
    %7 = llvm.intr.fmuladd(%6, %6, %6) : (f32, f32, f32) -> f32
    llvm.return %5 : i32
  }
  gpu.module @kernels {
    gpu.func @kernel(%a: memref<?xf32>, %n: index) workgroup(%w: memref<32xf32, 3>) kernel attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
      %i = gpu.thread_id x
      %v = memref.load %a[%i] : memref<?xf32>
      %s = gpu.all_reduce add %v {} : (f32) -> f32
      gpu.barrier
      memref.store %s, %w[%i] : memref<32xf32, 3>
      gpu.return
    }
  }
  func.func @host(%m: memref<?xf32>, %n: index) {
    %t = gpu.wait async
    %b, %u = gpu.alloc async [%t] (%n) : memref<?xf32>
    gpu.launch_func @kernels::@kernel blocks in (%n, %n, %n) threads in (%n, %n, %n) args(%m : memref<?xf32>, %n : index)
    return
  }
  func.func @tensors(%a: tensor<4x8xf32>, %b: tensor<8x16xf32>, %c: tensor<4x16xf32>, %i: index) -> tensor<4x16xf32> {
    %0 = linalg.matmul ins(%a, %b : tensor<4x8xf32>, tensor<8x16xf32>) outs(%c : tensor<4x16xf32>) -> tensor<4x16xf32>
    %1 = linalg.generic {indexing_maps = [#map, #map1, #map2], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<4x8xf32>, tensor<8x16xf32>) outs(%0 : tensor<4x16xf32>) {
    ^bb0(%x: f32, %y: f32, %z: f32):
      %p = arith.mulf %x, %y : f32
      %q = arith.addf %z, %p : f32
      linalg.yield %q : f32
    } -> tensor<4x16xf32>
    %2 = tensor.extract_slice %1[%i, 0] [2, 16] [1, 1] : tensor<4x16xf32> to tensor<2x16xf32>
    %3 = tensor.insert_slice %2 into %1[0, 0] [2, 16] [1, 1] : tensor<2x16xf32> into tensor<4x16xf32>
    %4 = tensor.collapse_shape %3 [[0, 1]] : tensor<4x16xf32> into tensor<64xf32>
    %5 = tensor.expand_shape %4 [[0, 1]] output_shape [4, 16] : tensor<64xf32> into tensor<4x16xf32>
    %6 = tensor.pad %5 low[0, %i] high[0, 0] {
    ^bb0(%p0: index, %p1: index):
      %f = arith.constant 0.0 : f32
      tensor.yield %f : f32
    } : tensor<4x16xf32> to tensor<4x?xf32>
    return %3 : tensor<4x16xf32>
  }
  func.func @vectors(%m: memref<64x64xf32>, %i: index, %v: vector<4xf32>, %w: vector<[4]xf32>) -> vector<4xf32> {
    %pad = arith.constant 0.0 : f32
    %0 = vector.transfer_read %m[%i, %i], %pad {in_bounds = [true], permutation_map = affine_map<(d0, d1) -> (d0)>} : memref<64x64xf32>, vector<4xf32>
    %1 = vector.shuffle %0, %v [0, 5, 2, 7] : vector<4xf32>, vector<4xf32>
    %2 = vector.reduction <add>, %1 : vector<4xf32> into f32
    %3 = vector.broadcast %2 : f32 to vector<4xf32>
    %4 = vector.multi_reduction <mul>, %3, %2 [0] : vector<4xf32> to f32
    %5 = vector.extract %3[2] : f32 from vector<4xf32>
    return %3 : vector<4xf32>
  }
  func.func @loops(%m: memref<64x64xf32>, %n: index) {
    affine.for %i = 0 to 64 step 2 {
      affine.for %j = affine_map<(d0) -> (d0)>(%i) to min affine_map<(d0)[s0] -> (d0 + 8, s0)>(%i)[%n] {
        %v = affine.load %m[%i, %j + 1] : memref<64x64xf32>
        affine.if affine_set<(d0, d1) : (d0 - d1 >= 0)>(%i, %j) {
          affine.store %v, %m[%j, %i] : memref<64x64xf32>
        }
      }
    }
    affine.parallel (%i, %j) = (0, 0) to (%n, 64) {
      affine.yield
    }
    scf.parallel (%i) = (%n) to (%n) step (%n) {
      scf.reduce
    }
    %x:2 = affine.delinearize_index %n into (4, 16) : index, index
    %y = affine.linearize_index disjoint [%x#0, %x#1] by (4, 16) : index
    memref.dealloc %m : memref<64x64xf32>
    return
  }
  pdl.pattern @pattern : benefit(1) {
    %t = pdl.type : i32
    %a = pdl.attribute = 3 : i32
    %v = pdl.operand : %t
    %o = pdl.operation "t.op"(%v : !pdl.value) {"a" = %a} -> (%t : !pdl.type)
    pdl.rewrite %o {
      pdl.replace %o with (%v : !pdl.value)
    }
  }
  spirv.module Logical GLSL450 requires #spirv.vce<v1.0, [Shader], []> {
    spirv.GlobalVariable @g built_in("GlobalInvocationId") : !spirv.ptr<vector<3xi32>, Input>
    spirv.func @f(%x: f32) -> f32 "None" {
      %y = spirv.GL.Exp %x : f32
      spirv.ReturnValue %y : f32
    }
  }
  func.func @others(%c: complex<f32>, %q: !quant.uniform<i8:f32, 0.5>, %s: tensor<?xindex>, %f: f32, %p: !llvm.ptr) {
    %0 = complex.abs %c : complex<f32>
    %1 = quant.scast %q : !quant.uniform<i8:f32, 0.5> to i8
    %2 = math.exp %f fastmath<contract> : f32
    %3 = shape.shape_of %s : tensor<?xindex> -> tensor<1xindex>
    %4, %token = async.execute -> !async.value<f32> { async.yield %f : f32 }
    %5 = ub.poison : i32
    %6 = index.constant 4
    %7 = bufferization.alloc_tensor(%6) : tensor<?xf32>
    %8 = arith.cmpf uge, %f, %2 : f32
    %9 = arith.select %8, %f, %2 : f32
    %10 = emitc.call_opaque "f"(%f) {args = [0 : index]} : (f32) -> i32
    omp.parallel { omp.terminator }
    return
  }
  transform.named_sequence @sequence(%root: !transform.any_op {transform.readonly}) attributes {visibility = "public"} {
    transform.yield
  }
}
