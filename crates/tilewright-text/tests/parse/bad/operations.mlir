entry @a(%p: tile<ptr<f32>>, %n: tile<i32>) {
  %0 = addi %n %n : tile<i32>
  %1 = addi %n, : tile<i32>
  %2 = addi %n, %n tile<i32>
  %3 = addi(%n, %n) : tile<i32>
  addi %n, %n
  %4 = load_ptr_tko weak %p : tile<ptr<f32>> -> tile<f32>
  %5 = for %i in (%n to %n step %n) : tile<i32> { continue }
  %6 = if %n { yield } else { yield }
  %7 = cuda_tile.constant <i32 5> : tile<i32>
  %8 = constant 5 : tile<i32>
  %9 = constant <i32: 5>
  %10 = cmpi slt %n, %n, signed : tile<i32> -> tile<i1>
  %11 = cmpi less_than %n, %n : tile<i32> -> tile<i1>
  %12, %13 = addi %n, %n : tile<i32>
  %14 = reduce %n dim=0 identities=[0 : i32] : tile<i32> -> tile<i32> { }
  %15 = addi %n, %0 : tile<4 x i32>
  %16 = addi %n, %n : tile[4xi32]
  %17 = addi %n, %n : i32
  %18 = load_view_tko weak %p[%n] : tile<i32> -> tile<f32>, token
  arith.addi %n, %n : i32
  %19 = mmaf %n, %n, %n : tile<i32>, tile<i32>, tile<i32>
  return %n
}
func.func @x() {}
entry k() {}
entry @k(%a : i32) {}
entry @k(tile<i32>) { return }
entry @k() -> tile<i32> { return }
entry @k(%a: tile<i32>) { %a = addi %a, %a : tile<i32> }
global @g : tile<1xi32>
global @h <i32: 1> tile<1xi32>
