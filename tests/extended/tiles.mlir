// Tiles taken apart and put together.

// @aligned_slice
// i32: 0 1 2 3 4 5 6 7 -> 0 1 2 3 4 5 6 7
// i32: 0 0 0 0 -> 4 5 6 7
entry @aligned_slice(%a: tile<ptr<i32>>, %b: tile<ptr<i32>>) {
  %x = load %a : tile<ptr<i32>> -> tile<8xi32>
  %y = slice %x starts = [4], ends = [8] : tile<8xi32> -> tile<4xi32>
  store %b, %y : tile<ptr<i32>>, tile<4xi32>
}

// @slice_from_anywhere
// i32: 0 1 2 3 4 5 6 7 -> 0 1 2 3 4 5 6 7
// i32: 0 0 0 0 -> 3 4 5 6
entry @slice_from_anywhere(%a: tile<ptr<i32>>, %b: tile<ptr<i32>>) {
  %x = load %a : tile<ptr<i32>> -> tile<8xi32>
  %y = slice %x starts = [3], ends = [7], steps = [1] : tile<8xi32> -> tile<4xi32>
  store %b, %y : tile<ptr<i32>>, tile<4xi32>
}

// @slice_in_steps
// i32: 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 -> 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15
// i32: 0 0 0 0 -> 1 5 9 13
// i32: 0 0 0 0 -> 2 5 8 11
entry @slice_in_steps(%a: tile<ptr<i32>>, %b: tile<ptr<i32>>, %c: tile<ptr<i32>>) {
  %x = load %a : tile<ptr<i32>> -> tile<16xi32>
  %four = slice %x starts = [1], ends = [16], steps = [4] : tile<16xi32> -> tile<4xi32>
  %three = slice %x starts = [2], ends = [12], steps = [3] : tile<16xi32> -> tile<4xi32>
  store %b, %four : tile<ptr<i32>>, tile<4xi32>
  store %c, %three : tile<ptr<i32>>, tile<4xi32>
}

// @view_of_a_matrix
// i32: 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 -> 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15
// i32: 0 0 0 0 -> 5 7 13 15
entry @view_of_a_matrix(%a: tile<ptr<i32>>, %b: tile<ptr<i32>>) {
  %x = load %a : tile<ptr<i32>> -> tile<4x4xi32>
  %y = view %x offsets = [1, 1], strides = [2, 2], sizes = [2, 2] : tile<4x4xi32> -> tile<2x2xi32>
  store %b, %y : tile<ptr<i32>>, tile<2x2xi32>
}

// @shapes
// i32: 0 1 2 3 4 5 6 7 -> 0 4 1 5 2 6 3 7
entry @shapes(%a: tile<ptr<i32>>) {
  %x = load %a : tile<ptr<i32>> -> tile<2x4xi32>
  %y = transpose %x permutation = [1, 0] : tile<2x4xi32> -> tile<4x2xi32>
  %z = expand_dims %y axes = [0, -1] : tile<4x2xi32> -> tile<1x4x2x1xi32>
  %w = squeeze %z axes = [0, 3] : tile<1x4x2x1xi32> -> tile<4x2xi32>
  store %a, %w : tile<ptr<i32>>, tile<4x2xi32>
}

// @joined
// i32: 1 2 3 4 5 6 7 8 -> 5 6 1 2 3 4 7 8
entry @joined(%a: tile<ptr<i32>>) {
  %x = load %a : tile<ptr<i32>> -> tile<8xi32>
  %p:4 = split %x axis = 0, num_splits = 4 : tile<8xi32> -> tile<2xi32>
  %q = slice %x starts = [0], ends = [4] : tile<8xi32> -> tile<4xi32>
  %y = concatenate %p#2, %q, %p#3 axis = 0 : tile<2xi32>, tile<4xi32>, tile<2xi32> -> tile<8xi32>
  store %a, %y : tile<ptr<i32>>, tile<8xi32>
}

// @columns_joined
// i32: 1 2 3 4 5 6 7 8 -> 3 4 1 2 7 8 5 6
entry @columns_joined(%a: tile<ptr<i32>>) {
  %x = load %a : tile<ptr<i32>> -> tile<2x4xi32>
  %l, %r = split %x axis = 1, num_splits = 2 : tile<2x4xi32> -> tile<2x2xi32>
  %y = concatenate %r, %l axis = -1 : tile<2x2xi32>, tile<2x2xi32> -> tile<2x4xi32>
  store %a, %y : tile<ptr<i32>>, tile<2x4xi32>
}
