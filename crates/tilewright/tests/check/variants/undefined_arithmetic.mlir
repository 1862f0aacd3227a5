// tilewright check undefined_arithmetic.mlir --grid 1 'f32[64]' f32:127.9
// division: divi %five, %two signed => divi %five, %zero signed
// division: divi %five, %two signed => divi %five, %zero unsigned
// division: remi %five, %two signed => remi %five, %zero unsigned
// division: divi %five, %two signed => divi %least, %minus signed
// clean: divi %five, %two signed => divi %least, %minus unsigned
// clean: remi %five, %two signed => remi %least, %minus signed
// shift: shli %five, %two => shli %five, %minus
// shift: shri %five, %two signed => shri %five, %width unsigned
// conversion: ftoi %x signed : tile<f32> -> tile<i8> => ftoi %x1 signed : tile<f32> -> tile<i8>
// clean: ftoi %x signed : tile<f32> -> tile<i8> => ftoi %x1 unsigned : tile<f32> -> tile<i8>
// conversion: ftoi %x signed : tile<f32> -> tile<i8> => ftoi %inf signed : tile<f32> -> tile<i8>
// conversion: ftoi %x signed : tile<f32> -> tile<i8> => ftoi %nan unsigned : tile<f32> -> tile<i8>
// conversion: ftoi %x signed : tile<f32> -> tile<i8> => ftoi %below unsigned : tile<f32> -> tile<i8>
// slice-index: extract %lanes[%zero] => extract %lanes[%two]
// slice-index: extract %lanes[%zero] => extract %lanes[%minus]
// slice-index: insert %part, %lanes[%zero] => insert %part, %lanes[%five]
// offset-overflow: offset %p, %five : tile<ptr<f32>>, tile<i32> => offset %p, %far : tile<ptr<f32>>, tile<i64>
// clean: offset %p, %five : tile<ptr<f32>>, tile<i32> => offset %p, %minus : tile<ptr<f32>>, tile<i32>
// Arithmetic that is undefined for some numbers, and defined for their neighbours.
entry @k(%p: tile<ptr<f32>>, %x: tile<f32>) {
  %zero = constant <i32: 0> : tile<i32>
  %two = constant <i32: 2> : tile<i32>
  %five = constant <i32: 5> : tile<i32>
  %minus = constant <i32: -1> : tile<i32>
  %width = constant <i32: 32> : tile<i32>
  %least = constant <i32: -2147483648> : tile<i32>
  %far = constant <i64: 4611686018427387904> : tile<i64>
  %one = constant <f32: 1.0> : tile<f32>
  %none = constant <f32: 0.0> : tile<f32>
  %below = constant <f32: -1.0> : tile<f32>
  %x1 = addf %x, %one : tile<f32>
  %inf = divf %one, %none : tile<f32>
  %nan = divf %none, %none : tile<f32>
  %a = divi %five, %two signed : tile<i32>
  %b = remi %five, %two signed : tile<i32>
  %c = shli %five, %two : tile<i32>
  %d = shri %five, %two signed : tile<i32>
  %e = ftoi %x signed : tile<f32> -> tile<i8>
  %lanes = iota : tile<8xi32>
  %part = extract %lanes[%zero] : tile<8xi32> -> tile<4xi32>
  %f = insert %part, %lanes[%zero] : tile<4xi32>, tile<8xi32>
  %q = offset %p, %five : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
  return
}
