// Functions that are called: their accesses follow those of the caller, and the other way round.

// @kernel
// i32: 5 0 -> 12 11
entry @kernel(%a: tile<ptr<i32>>) {
  %one = constant <i32: 1> : tile<i32>
  %b = offset %a, %one : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
  %old = preview$call @increment(%a) : (tile<ptr<i32>>) -> (tile<i32>)
  store %a, %old : tile<ptr<i32>>, tile<i32>
  preview$call @twice(%a) : (tile<ptr<i32>>) -> ()
  %x = load %a : tile<ptr<i32>> -> tile<i32>
  %y = subi %x, %one : tile<i32>
  store %b, %y : tile<ptr<i32>>, tile<i32>
  preview$call @pure() : () -> ()
}
func @twice(%p: tile<ptr<i32>>) {
  %n = preview$call @increment(%p) : (tile<ptr<i32>>) -> (tile<i32>)
  %m = preview$call @increment(%p) : (tile<ptr<i32>>) -> (tile<i32>)
}
// Adds the number that is there, or 1 if there is none; returns within a loop without accesses.
func @increment(%p: tile<ptr<i32>>) -> tile<i32> {
  %x = load %p : tile<ptr<i32>> -> tile<i32>
  %zero = constant <i32: 0> : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  loop {
    %none = cmpi equal %x, %zero, signed : tile<i32> -> tile<i1>
    if %none {
      return %one : tile<i32>
    }
    break
  }
  %limit = constant <i32: 6> : tile<i32>
  %small = cmpi less_than_or_equal %x, %limit, signed : tile<i32> -> tile<i1>
  if %small {
    %y = addi %x, %x : tile<i32>
    store %p, %y : tile<ptr<i32>>, tile<i32>
    %z = addi %x, %one : tile<i32>
    return %z : tile<i32>
  }
  return %x : tile<i32>
}
func @pure() {
}
// @loads
// i32: 3 -> 3
entry @loads(%a: tile<ptr<i32>>) {
  %x = preview$call @load(%a) : (tile<ptr<i32>>) -> (tile<i32>)
  %y = load %a : tile<ptr<i32>> -> tile<i32>
}
func @load(%p: tile<ptr<i32>>) -> tile<i32> {
  %x = load %p : tile<ptr<i32>> -> tile<i32>
  return %x : tile<i32>
}
func @nobody_calls(%p: tile<ptr<i32>>, %x: tile<i32>) {
  store %p, %x : tile<ptr<i32>>, tile<i32>
  store %p, %x : tile<ptr<i32>>, tile<i32>
}
