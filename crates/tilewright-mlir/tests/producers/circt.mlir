#loc = loc("-":1:75)
#loc1 = loc("-":9:56)
"builtin.module"() ({
  "hw.module"() <{module_type = !hw.modty<input clk : !seq.clock, input rst : i1, input step : i8, output count : i8>, parameters = [], result_locs = [#loc], sym_name = "Counter"}> ({
  ^bb0(%arg2: !seq.clock, %arg3: i1, %arg4: i8):
    %2 = "hw.constant"() <{value = 0 : i8}> : () -> i8
    %3 = "comb.add"(%6, %arg4) <{twoState}> : (i8, i8) -> i8
    %4 = "comb.icmp"(%3, %arg4) <{predicate = 8 : i64, twoState}> : (i8, i8) -> i1
    %5 = "comb.mux"(%4, %2, %3) : (i1, i8, i8) -> i8
    %6 = "seq.compreg"(%5, %arg2, %arg3, %2) <{inner_sym = #hw<innerSym@reg>, name = "count", operandSegmentSizes = array<i32: 1, 1, 1, 1, 0>}> : (i8, !seq.clock, i1, i8) -> i8
    "hw.output"(%6) : (i8) -> ()
  }) : () -> ()
  "hw.module"() <{module_type = !hw.modty<input clk : !seq.clock, input rst : i1, output out : i8>, parameters = [], result_locs = [#loc1], sym_name = "Top"}> ({
  ^bb0(%arg0: !seq.clock, %arg1: i1):
    %0 = "hw.constant"() <{value = 2 : i8}> : () -> i8
    %1 = "hw.instance"(%arg0, %arg1, %0) <{argNames = ["clk", "rst", "step"], instanceName = "counter", moduleName = @Counter, parameters = [], resultNames = ["count"]}> : (!seq.clock, i1, i8) -> i8
    "hw.output"(%1) : (i8) -> ()
  }) : () -> ()
}) : () -> ()
