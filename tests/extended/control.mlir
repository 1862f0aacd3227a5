// Blocks that branch to each other.

// @diamond grid 2
// i32: 0 0 -> 10 21
entry @diamond(%a: tile<ptr<i32>>) {
  %x, %y, %z = get_tile_block_id : tile<i32>
  %zero = constant <i32: 0> : tile<i32>
  %ten = constant <i32: 10> : tile<i32>
  %twenty = constant <i32: 20> : tile<i32>
  %is = cmpi equal %x, %zero, signed : tile<i32> -> tile<i1>
  cond_br %is, ^join(%ten : tile<i32>), ^other
^other:
  %more = addi %twenty, %x : tile<i32>
  br ^join(%more : tile<i32>)
^join(%r: tile<i32>):
  %p = offset %a, %x : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
  store %p, %r : tile<ptr<i32>>, tile<i32>
  return
}

// 1 + 2 + ... + 10, in a loop that is tested first.
// @sum
// i32: 10 -> 55
entry @sum(%a: tile<ptr<i32>>) {
  %zero = constant <i32: 0> : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  %n = load %a : tile<ptr<i32>> -> tile<i32>
  br ^head(%n, %zero : tile<i32>, tile<i32>)
^head(%i: tile<i32>, %s: tile<i32>):
  %more = cmpi greater_than %i, %zero, signed : tile<i32> -> tile<i1>
  cond_br %more, ^body, ^done
^body:
  %t = addi %s, %i : tile<i32>
  %j = subi %i, %one : tile<i32>
  br ^head(%j, %t : tile<i32>, tile<i32>)
^done:
  store %a, %s : tile<ptr<i32>>, tile<i32>
  return
}

// A loop with two ways out, and a value of the loop that is used behind it.
// @search
// i32: 5 3 8 1 -> 8 2 8 1
entry @search(%a: tile<ptr<i32>>) {
  %zero = constant <i32: 0> : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  %four = constant <i32: 4> : tile<i32>
  %eight = constant <i32: 8> : tile<i32>
  %minus = constant <i32: -1> : tile<i32>
  %second = offset %a, %one : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
  br ^head(%zero : tile<i32>)
^head(%i: tile<i32>):
  %ends = cmpi equal %i, %four, signed : tile<i32> -> tile<i1>
  cond_br %ends, ^nowhere, ^look
^look:
  %p = offset %a, %i : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
  %x = load %p : tile<ptr<i32>> -> tile<i32>
  %found = cmpi equal %x, %eight, signed : tile<i32> -> tile<i1>
  %j = addi %i, %one : tile<i32>
  cond_br %found, ^here, ^head(%j : tile<i32>)
^here:
  store %a, %x : tile<ptr<i32>>, tile<i32>
  store %second, %i : tile<ptr<i32>>, tile<i32>
  return
^nowhere:
  store %a, %minus : tile<ptr<i32>>, tile<i32>
  return
}

// A cycle that is entered in two places: no loop of the dialect is like that.
// @two_entries grid 2
// i32: 0 0 -> 6 6
entry @two_entries(%a: tile<ptr<i32>>) {
  %x, %y, %z = get_tile_block_id : tile<i32>
  %zero = constant <i32: 0> : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  %two = constant <i32: 2> : tile<i32>
  %five = constant <i32: 5> : tile<i32>
  %is = cmpi equal %x, %zero, signed : tile<i32> -> tile<i1>
  cond_br %is, ^left(%zero : tile<i32>), ^right(%one : tile<i32>)
^left(%l: tile<i32>):
  %l1 = addi %l, %one : tile<i32>
  br ^right(%l1 : tile<i32>)
^right(%r: tile<i32>):
  %r2 = addi %r, %two : tile<i32>
  %go = cmpi less_than %r2, %five, signed : tile<i32> -> tile<i1>
  cond_br %go, ^left(%r2 : tile<i32>), ^out
^out:
  %p = offset %a, %x : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
  store %p, %r2 : tile<ptr<i32>>, tile<i32>
  return
}

// Loops in loops, where the inner one leaves both, and a view that is used in another block than it is made in.
// @both_loops
// i32: 0 0 0 0 0 0 0 0 -> 0 1 2 1 2 3 2 3
entry @both_loops(%a: tile<ptr<i32>>) {
  %zero = constant <i32: 0> : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  %three = constant <i32: 3> : tile<i32>
  %eight = constant <i32: 8> : tile<i32>
  br ^outer(%zero, %zero : tile<i32>, tile<i32>)
^outer(%i: tile<i32>, %n: tile<i32>):
  br ^inner(%zero, %n : tile<i32>, tile<i32>)
^inner(%j: tile<i32>, %m: tile<i32>):
  %t = make_tensor_view %a, shape = [8], strides = [1] : tensor_view<8xi32, strides=[1]>
  %v = make_partition_view %t : partition_view<tile=(1), tensor_view<8xi32, strides=[1]>>
  %full = cmpi equal %m, %eight, signed : tile<i32> -> tile<i1>
  cond_br %full, ^done, ^write
^write:
  %s = addi %i, %j : tile<i32>
  %line = reshape %s : tile<i32> -> tile<1xi32>
  %k = store_view_tko weak %line, %v[%m] : tile<1xi32>, partition_view<tile=(1), tensor_view<8xi32, strides=[1]>>, tile<i32> -> token
  %m1 = addi %m, %one : tile<i32>
  %j1 = addi %j, %one : tile<i32>
  %more = cmpi less_than %j1, %three, signed : tile<i32> -> tile<i1>
  cond_br %more, ^inner(%j1, %m1 : tile<i32>, tile<i32>), ^next
^next:
  %i1 = addi %i, %one : tile<i32>
  br ^outer(%i1, %m1 : tile<i32>, tile<i32>)
^done:
  return
}

// @never_there
// i32: 4 -> 5
entry @never_there(%a: tile<ptr<i32>>) {
  %one = constant <i32: 1> : tile<i32>
  %x = load %a : tile<ptr<i32>> -> tile<i32>
  %is = cmpi equal %x, %one, signed : tile<i32> -> tile<i1>
  cond_br %is, ^never, ^there
^never:
  unreachable
^there:
  %y = addi %x, %one : tile<i32>
  store %a, %y : tile<ptr<i32>>, tile<i32>
  return
}
