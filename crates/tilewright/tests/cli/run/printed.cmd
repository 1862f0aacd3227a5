# What a kernel prints goes to stdout.
tilewright run {corpus}/cases/print_values/print_values.13.4.tilebc --threads 1 --grid 4 @{corpus}/cases/print_values/x.npy i32:4 i32:1 f32[4] i32:4 i32:1
