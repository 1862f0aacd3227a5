entry @k() {
  %0 = constant <i32: 1> : tile<i32>
  loop {
    print_tko "no end
  break
