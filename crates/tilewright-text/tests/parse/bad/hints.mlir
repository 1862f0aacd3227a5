entry @overflows() optimization_hints=<sm_120 = {a.b = 1.999e99999999998}, sm_90 = {x = -8}> {
  return
}
entry @no_number() optimization_hints=<sm_90 = {finite = 1.5 : f32}, sm_120 = {a = 0x7FF8000000000000 : f64}> {
  return
}
