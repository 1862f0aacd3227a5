entry @k(%p: tile<ptr<f32>>, %q: tile<4xptr<f32>>, %x: tile<4xf32>, %i: tile<8xi32>, %m: tile<1x4xi32>) {
  %0 = atomic_add %q, %x ordering = seq_cst : tile<4xptr<f32>>, tile<4xf32>
  %1 = atomic_max %q, %x ordering = seq_cst : tile<4xptr<f32>>, tile<4xf32>
  %2 = atomic_load %q ordering = release : tile<4xptr<f32>> -> tile<4xf32>
  %3 = atomic_add %q, %x : tile<4xptr<f32>>, tile<4xf32>
  %4 = slice %i starts = [0], ends = [3] : tile<8xi32> -> tile<3xi32>
  %5 = slice %i starts = [6], ends = [10] : tile<8xi32> -> tile<4xi32>
  %6 = view %i offsets = [0, 0], strides = [1], sizes = [4] : tile<8xi32> -> tile<4xi32>
  %7 = squeeze %m axes = [1] : tile<1x4xi32> -> tile<1xi32>
  %8 = transpose %m permutation = [0, 0] : tile<1x4xi32> -> tile<1x1xi32>
  %9 = transpose %m permutation = [1, 0] : tile<1x4xi32> -> tile<1x4xi32>
  %10 = concatenate %i, %x axis = 0 : tile<8xi32>, tile<4xf32> -> tile<16xi32>
  %11:3 = split %i axis = 0, num_splits = 3 : tile<8xi32> -> tile<2xi32>
  %12:3 = split %i axis = 0, num_splits = 2 : tile<8xi32> -> tile<4xi32>
  %13 = load %q : tile<4xptr<f32>> -> tile<4xi32>
  %14 = load %q : tile<4xptr<f32>> -> tile<8xf32>
  %15 = load %x : tile<4xf32> -> tile<4xf32>
  %16 = load %p alignment = 3 : tile<ptr<f32>> -> tile<f32>
  %17 = load %p cache_mode = sometimes : tile<ptr<f32>> -> tile<f32>
  %18 = load %p alignement = 4 : tile<ptr<f32>> -> tile<f32>
  %19 = load %p : tile<ptr<f64>> -> tile<f64>
  %20 = alloca size = 0 : tile<ptr<i8>>
  %21 = not %x : tile<4xf32>
  %22 = expand_dims %i axes = [0, 0] : tile<8xi32> -> tile<1x1x8xi32>
  %23:2 = atomic_compare_exchange %q, %x, %x success_ordering = relaxed, failure_ordering = relaxed : tile<4xptr<f32>>, tile<4xf32>, tile<4xf32>
  %24 = atomic_compare_exchange %q, %x, %x success_ordering = relaxed, failure_ordering = release : tile<4xptr<f32>>, tile<4xf32>, tile<4xf32>
  %25 = comment "nothing"
  %26 = "cuda_tile.load"(%q) : (tile<4xptr<f32>>) -> tile<4xf32>
  %27 = reduce %x dim=0 identities=[0.0 : f32] : tile<4xf32> -> tile<f32> (%a: tile<f32>, %b: tile<f32>) {
    %l = load %p : tile<ptr<f32>> -> tile<f32>
    yield %l : tile<f32>
  }
  store %p %x : tile<ptr<f32>>, tile<4xf32>
  %28 = lode %p : tile<ptr<f32>> -> tile<f32>
}
