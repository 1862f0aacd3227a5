// Atomic operations: each gives the old value.

// Four blocks add 1, 2, 3 and 4.
// @from_all_blocks grid 4
// i32: 100 -> 110
entry @from_all_blocks(%a: tile<ptr<i32>>) {
  %x, %y, %z = get_tile_block_id : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  %n = addi %x, %one : tile<i32>
  %old = atomic_add %a, %n ordering = relaxed, scope = device : tile<ptr<i32>>, tile<i32>
}

// @each_of_them
// i32: 10 20 30 12 12 12 -5 -5 7 9 -> 15 15 30 8 14 6 3 -5 1 9
// i32: 0 0 0 0 0 0 0 0 0 0 -> 10 20 30 12 12 12 -5 -5 7 9
// i32: 5 5 0 10 10 10 3 3 1 0 -> 5 5 0 10 10 10 3 3 1 0
entry @each_of_them(%a: tile<ptr<i32>>, %b: tile<ptr<i32>>, %v: tile<ptr<i32>>) {
  %i1 = constant <i32: 1> : tile<i32>
  %a1 = offset %a, %i1 : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
  %a2 = offset %a1, %i1 : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
  %a3 = offset %a2, %i1 : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
  %a4 = offset %a3, %i1 : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
  %a5 = offset %a4, %i1 : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
  %a6 = offset %a5, %i1 : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
  %a7 = offset %a6, %i1 : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
  %a8 = offset %a7, %i1 : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
  %a9 = offset %a8, %i1 : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
  %b1 = offset %b, %i1 : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
  %b2 = offset %b1, %i1 : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
  %b3 = offset %b2, %i1 : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
  %b4 = offset %b3, %i1 : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
  %b5 = offset %b4, %i1 : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
  %b6 = offset %b5, %i1 : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
  %b7 = offset %b6, %i1 : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
  %b8 = offset %b7, %i1 : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
  %b9 = offset %b8, %i1 : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
  %five = constant <i32: 5> : tile<i32>
  %ten = constant <i32: 10> : tile<i32>
  %three = constant <i32: 3> : tile<i32>
  %r0 = atomic_add %a, %five ordering = acq_rel : tile<ptr<i32>>, tile<i32>
  %r1 = atomic_sub %a1, %five ordering = relaxed, scope = device : tile<ptr<i32>>, tile<i32>
  %r2 = atomic_load %a2 ordering = acquire, scope = device : tile<ptr<i32>> -> tile<i32>
  %r3 = atomic_and %a3, %ten ordering = release : tile<ptr<i32>>, tile<i32>
  %r4 = atomic_or %a4, %ten ordering = acquire : tile<ptr<i32>>, tile<i32>
  %r5 = atomic_xor %a5, %ten ordering = relaxed, scope = tl_blk : tile<ptr<i32>>, tile<i32>
  %r6 = atomic_max %a6, %three ordering = relaxed, signedness = signed : tile<ptr<i32>>, tile<i32>
  %r7 = atomic_max %a7, %three ordering = relaxed, signedness = unsigned : tile<ptr<i32>>, tile<i32>
  %r8 = atomic_min %a8, %i1 ordering = relaxed, signedness = signed, scope = sys : tile<ptr<i32>>, tile<i32>
  %r9 = load %a9 : tile<ptr<i32>> -> tile<i32>
  atomic_store %b, %r0 ordering = release : tile<ptr<i32>>, tile<i32>
  atomic_store %b1, %r1 ordering = relaxed, scope = device : tile<ptr<i32>>, tile<i32>
  store %b2, %r2 : tile<ptr<i32>>, tile<i32>
  store %b3, %r3 : tile<ptr<i32>>, tile<i32>
  store %b4, %r4 : tile<ptr<i32>>, tile<i32>
  store %b5, %r5 : tile<ptr<i32>>, tile<i32>
  store %b6, %r6 : tile<ptr<i32>>, tile<i32>
  store %b7, %r7 : tile<ptr<i32>>, tile<i32>
  store %b8, %r8 : tile<ptr<i32>>, tile<i32>
  %s9 = atomic_exchange %b9, %r9 ordering = acq_rel : tile<ptr<i32>>, tile<i32>
}

// @of_floats
// f32: 1.5 2.5 -> 2 1.5
// f32: 0 0 -> 1.5 2.5
entry @of_floats(%a: tile<ptr<f32>>, %b: tile<ptr<f32>>) {
  %one = constant <i32: 1> : tile<i32>
  %a1 = offset %a, %one : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
  %b1 = offset %b, %one : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
  %half = constant <f32: 0.5> : tile<f32>
  %unit = constant <f32: 1.0> : tile<f32>
  %x = atomic_add %a, %half ordering = relaxed : tile<ptr<f32>>, tile<f32>
  %y = atomic_sub %a1, %unit ordering = relaxed : tile<ptr<f32>>, tile<f32>
  store %b, %x : tile<ptr<f32>>, tile<f32>
  store %b1, %y : tile<ptr<f32>>, tile<f32>
}

// @compared
// i32: 1 2 3 4 -> 9 2 9 4
// i32: 1 1 3 3 -> 1 1 3 3
// i32: 9 9 9 9 -> 1 2 3 4
// i32: 7 7 7 7 -> 1 0 1 0
entry @compared(%a: tile<ptr<i32>>, %b: tile<ptr<i32>>, %c: tile<ptr<i32>>, %d: tile<ptr<i32>>) {
  %expected = load %b : tile<ptr<i32>> -> tile<4xi32>
  %desired = load %c : tile<ptr<i32>> -> tile<4xi32>
  %old, %replaced = atomic_compare_exchange %a, %expected, %desired success_ordering = release, failure_ordering = acquire
    : tile<ptr<i32>>, tile<4xi32>, tile<4xi32>
  %number = exti %replaced unsigned : tile<4xi1> -> tile<4xi32>
  store %c, %old : tile<ptr<i32>>, tile<4xi32>
  store %d, %number : tile<ptr<i32>>, tile<4xi32>
}

// @floats_compared
// f32: 0.5 2 -> 8 2
// i32: 7 7 -> 1 0
entry @floats_compared(%a: tile<ptr<f32>>, %d: tile<ptr<i32>>) {
  %expected = constant <f32: 0.5> : tile<2xf32>
  %desired = constant <f32: 8.0> : tile<2xf32>
  %old, %replaced = atomic_compare_exchange %a, %expected, %desired success_ordering = relaxed, failure_ordering = relaxed, scope = device
    : tile<ptr<f32>>, tile<2xf32>, tile<2xf32>
  %number = exti %replaced unsigned : tile<2xi1> -> tile<2xi32>
  store %d, %number : tile<ptr<i32>>, tile<2xi32>
}

// Eight blocks compete for one element; the others are each their own.
// @greatest_floats grid 8
// f32: 0.5 -1 2.5 9 -> 7 7 7 9
entry @greatest_floats(%a: tile<ptr<f32>>) {
  %x, %y, %z = get_tile_block_id : tile<i32>
  %n = itof %x signed : tile<i32> -> tile<f32>
  %line = reshape %n : tile<f32> -> tile<1xf32>
  %v = broadcast %line : tile<1xf32> -> tile<4xf32>
  %old = atomic_max %a, %v ordering = acq_rel, scope = device : tile<ptr<f32>>, tile<4xf32>
}

// @least_float
// f32: 3 0 -> 1.5 3
entry @least_float(%a: tile<ptr<f32>>) {
  %one = constant <i32: 1> : tile<i32>
  %v = constant <f32: 1.5> : tile<f32>
  %next = offset %a, %one : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
  %old = atomic_min %a, %v ordering = relaxed : tile<ptr<f32>>, tile<f32>
  store %next, %old : tile<ptr<f32>>, tile<f32>
}
