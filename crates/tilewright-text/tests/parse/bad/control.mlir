entry @no_label(%c: tile<i1>) {
  cond_br %c, ^there, ^nowhere
^there:
  return
}
entry @arguments(%c: tile<i1>, %i: tile<i32>) {
  br ^there(%c : tile<i1>)
^there(%j: tile<i32>):
  return
}
entry @falls_through(%c: tile<i1>) {
  cond_br %c, ^a, ^b
^a:
  %x = constant <i32: 1> : tile<i32>
^b:
  return
}
entry @no_dominance(%c: tile<i1>) {
  cond_br %c, ^a, ^b
^a:
  %x = constant <i32: 1> : tile<i32>
  br ^b
^b:
  %y = addi %x, %x : tile<i32>
  return
}
entry @behind(%c: tile<i1>) {
  br ^a
  %x = constant <i32: 1> : tile<i32>
^a:
  return
}
entry @twice(%c: tile<i1>) {
  br ^a
  br ^a
^a:
  return
}
entry @same_label(%c: tile<i1>) {
  br ^a
^a:
  br ^a
^a:
  return
}
entry @nested(%c: tile<i1>) {
  loop {
    br ^a
  ^a:
    break
  }
}
entry @condition(%c: tile<4xi1>) {
  cond_br %c, ^a, ^a
^a:
  return
}
entry @view(%p: tile<ptr<f32>>) {
  %t = make_tensor_view %p, shape = [8], strides = [1] : tensor_view<8xf32, strides=[1]>
  br ^a(%t : tensor_view<8xf32, strides=[1]>)
^a(%u: tensor_view<8xf32, strides=[1]>):
  return
}
entry @ends_otherwise(%c: tile<i1>) {
  br ^a
^a:
  break
}
entry @syntax(%c: tile<i1>) {
  cond_br %c ^a ^b
^a:
  return
^b:
  return
}
