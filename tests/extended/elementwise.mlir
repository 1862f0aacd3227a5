// Names of elementwise operations.

// @bits
// i32: 12 10 255 -1 -> 12 10 255 -1
// i32: 10 12 15 1 -> 10 12 15 1
// i32: 0 0 0 0 -> 8 8 15 1
// i32: 0 0 0 0 -> 14 14 255 -1
// i32: 0 0 0 0 -> 6 6 240 -2
// i32: 0 0 0 0 -> -13 -11 -256 0
entry @bits(%a: tile<ptr<i32>>, %b: tile<ptr<i32>>, %c: tile<ptr<i32>>, %d: tile<ptr<i32>>, %e: tile<ptr<i32>>, %f: tile<ptr<i32>>) {
  %x = load %a : tile<ptr<i32>> -> tile<4xi32>
  %y = load %b : tile<ptr<i32>> -> tile<4xi32>
  %and = and %x, %y : tile<4xi32>
  %or = or %x, %y : tile<4xi32>
  %xor = cuda_tile.xor %x, %y : tile<4xi32>
  %not = not %x : tile<4xi32>
  store %c, %and : tile<ptr<i32>>, tile<4xi32>
  store %d, %or : tile<ptr<i32>>, tile<4xi32>
  store %e, %xor : tile<ptr<i32>>, tile<4xi32>
  store %f, %not : tile<ptr<i32>>, tile<4xi32>
}

// @shifts
// i32: 1 -8 255 -1 -> 1 -8 255 -1
// i32: 4 1 3 31 -> 4 1 3 31
// i32: 0 0 0 0 -> 16 -16 2040 -2147483648
// i32: 0 0 0 0 -> 0 -4 31 -1
// i32: 0 0 0 0 -> 0 2147483644 31 1
entry @shifts(%a: tile<ptr<i32>>, %b: tile<ptr<i32>>, %c: tile<ptr<i32>>, %d: tile<ptr<i32>>, %e: tile<ptr<i32>>) {
  %x = load %a : tile<ptr<i32>> -> tile<4xi32>
  %n = load %b : tile<ptr<i32>> -> tile<4xi32>
  %left = shl %x, %n : tile<4xi32>
  %signed = shr %x, %n signed : tile<4xi32>
  %unsigned = shr %x, %n unsigned : tile<4xi32>
  store %c, %left : tile<ptr<i32>>, tile<4xi32>
  store %d, %signed : tile<ptr<i32>>, tile<4xi32>
  store %e, %unsigned : tile<ptr<i32>>, tile<4xi32>
}

// @truths
// i32: 1 0 1 0 -> 1 0 1 0
// i32: 9 9 9 9 -> 0 1 0 1
entry @truths(%a: tile<ptr<i32>>, %b: tile<ptr<i32>>) {
  %x = load %a : tile<ptr<i32>> -> tile<4xi32>
  %one = constant <i32: 1> : tile<4xi32>
  %is = cmpi equal %x, %one, signed : tile<4xi32> -> tile<4xi1>
  %not = not %is : tile<4xi1>
  %number = exti %not unsigned : tile<4xi1> -> tile<4xi32>
  store %b, %number : tile<ptr<i32>>, tile<4xi32>
}

// @functions
// f32: 4 0.25 1 2.25 -> 4 0.25 1 2.25
// f32: 0 0 0 0 -> 2 0.5 1 1.5
// f32: 0 0 0 0 -> 54.59815 1.2840254 2.7182817 9.487736
// f32: 0 0 0 0 -> 1.3862944 -1.3862944 0 0.81093022
// f32: 0 0 0 0 -> 20 0.3125 2 7.3125
entry @functions(%a: tile<ptr<f32>>, %b: tile<ptr<f32>>, %c: tile<ptr<f32>>, %d: tile<ptr<f32>>, %e: tile<ptr<f32>>) {
  comment "the second to the last store one function each"
  %x = load %a : tile<ptr<f32>> -> tile<4xf32>
  %sqrt = sqrtf %x : tile<4xf32>
  %exp = expf %x : tile<4xf32>
  %log = logf %x : tile<4xf32>
  %fma = fmaf %x, %x, %x : tile<4xf32>
  store %b, %sqrt : tile<ptr<f32>>, tile<4xf32>
  store %c, %exp : tile<ptr<f32>>, tile<4xf32>
  store %d, %log : tile<ptr<f32>>, tile<4xf32>
  store %e, %fma : tile<ptr<f32>>, tile<4xf32>
}
