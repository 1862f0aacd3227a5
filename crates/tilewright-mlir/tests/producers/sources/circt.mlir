hw.module @Counter(in %clk : !seq.clock, in %rst : i1, in %step : i8, out count : i8) {
  %zero = hw.constant 0 : i8
  %sum = comb.add bin %count, %step : i8
  %full = comb.icmp bin ugt %sum, %step : i8
  %next = comb.mux %full, %zero, %sum : i8
  %count = seq.compreg sym @reg %next, %clk reset %rst, %zero : i8
  hw.output %count : i8
}
hw.module @Top(in %clk : !seq.clock, in %rst : i1, out out : i8) {
  %two = hw.constant 2 : i8
  %c = hw.instance "counter" @Counter(clk: %clk: !seq.clock, rst: %rst: i1, step: %two: i8) -> (count: i8)
  hw.output %c : i8
}
