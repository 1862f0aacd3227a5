// tilewright check folds.mlir --grid 1 'i32[4x8]=3' 'i32[8]' i32:2
// false-overflow: <i32: 1000> => <i32: 2147483647>
// clean: addi %p, %large overflow<no_signed_wrap> => addi %p, %large
// division: divi %a, %by signed => divi %a, %zero signed
// division: constant <i32: 7> => constant <i32: 0>
// shift: constant <i32: 5> => constant <i32: 35>
// division fold-identity: cmpi less_than %q, %zero => cmpi greater_than %q, %zero
// A sum and a scan whose regions promise, divide and shift. A branch divides by zero where it is not taken.
entry @k(%x: tile<ptr<i32>>, %y: tile<ptr<i32>>, %by: tile<i32>) {
  %t = make_tensor_view %x, shape = [4, 8], strides = [8, 1] : tile<ptr<i32>> -> tensor_view<4x8xi32, strides=[8,1]>
  %v = make_partition_view %t : partition_view<tile=(4x8), tensor_view<4x8xi32, strides=[8,1]>>
  %zero = constant <i32: 0> : tile<i32>
  %tile, %t0 = load_view_tko weak %v[%zero, %zero] : partition_view<tile=(4x8), tensor_view<4x8xi32, strides=[8,1]>>, tile<i32> -> tile<4x8xi32>, token
  %large = constant <i32: 1000> : tile<i32>
  %sum = reduce %tile dim=0 identities=[0 : i32] : tile<4x8xi32> -> tile<8xi32>
  (%a: tile<i32>, %b: tile<i32>) {
    %p = addi %a, %b overflow<no_signed_wrap> : tile<i32>
    %l = addi %p, %large overflow<no_signed_wrap> : tile<i32>
    %d = divi %a, %by signed : tile<i32>
    yield %p : tile<i32>
  }
  %seven = constant <i32: 7> : tile<i32>
  %scan = scan %sum dim=0 reverse=false identities=[0 : i32] : tile<8xi32> -> tile<8xi32>
  (%c: tile<i32>, %d: tile<i32>) {
    %q = addi %c, %d : tile<i32>
    %five = constant <i32: 5> : tile<i32>
    %h = shri %q, %five signed : tile<i32>
    %e = remi %q, %seven signed : tile<i32>
    %is = cmpi less_than %q, %zero, signed : tile<i32> -> tile<i1>
    %r = if %is -> (tile<i32>) {
      %f = divi %q, %zero signed : tile<i32>
      yield %f : tile<i32>
    } else {
      yield %q : tile<i32>
    }
    yield %r : tile<i32>
  }
  %o = make_tensor_view %y, shape = [8], strides = [1] : tile<ptr<i32>> -> tensor_view<8xi32, strides=[1]>
  %ov = make_partition_view %o : partition_view<tile=(8), tensor_view<8xi32, strides=[1]>>
  %t1 = store_view_tko weak %scan, %ov[%zero] : tile<8xi32>, partition_view<tile=(8), tensor_view<8xi32, strides=[1]>>, tile<i32> -> token
  return
}
