entry @k(%a: tile<i32>, %b: tile<f32>) {
  %0 = addi %a, %b : tile<i32>
  %1 = addi %0, %a : tile<i32>
  %2 = adi %a, %a : tile<i32>
  %3 = addi %a, %missing : tile<i32>
  for %i in (%a to %a, step %a : tile<i32> {
    %skipped = nonsense
  }
  for %i in (%a to %a, step %a) : tile<i32> {
    %4 = constant <i8: 300> : tile<i8>
    %5 = iota : tile<3xi32>
  }
  %a = iota : tile<4xi32>
  %6, %7 = iota : tile<4xi32>
  %8:2 = get_tile_block_id : tile<i32>
  %9 = loop : tile<i32> {
    break %i : tile<i32>
  }
}
entry k2() {
}
entry @k3(%x: tile<i32) {
  return
}
entry @k4() optimization_hints=<sm_100 = {a = 1, a = 2}> {
  %0 = constant <f32: 1> : tile<f32>
}
addi %a, %a : tile<i32>
entri @k5() {
}
entry @ok() {
  return
}
