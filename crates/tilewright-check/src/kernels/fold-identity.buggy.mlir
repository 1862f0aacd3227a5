// tilewright check fold-identity.buggy.mlir --grid 1 'i32[8]=3' 'i32[1]'
entry @k(%x: tile<ptr<i32>>, %y: tile<ptr<i32>>) {
  %t = make_tensor_view %x, shape = [8], strides = [1] : tile<ptr<i32>> -> tensor_view<8xi32, strides=[1]>
  %v = make_partition_view %t : partition_view<tile=(8), tensor_view<8xi32, strides=[1]>>
  %zero = constant <i32: 0> : tile<i32>
  %a, %t0 = load_view_tko weak %v[%zero] : partition_view<tile=(8), tensor_view<8xi32, strides=[1]>>, tile<i32> -> tile<8xi32>, token
  %r = reduce %a dim=0 identities=[0 : i32] : tile<8xi32> -> tile<i32>
  (%p: tile<i32>, %q: tile<i32>) {
    %s = muli %p, %q : tile<i32>
    yield %s : tile<i32>
  }
  %t1 = store_ptr_tko weak %y, %r : tile<ptr<i32>>, tile<i32> -> token
  return
}
