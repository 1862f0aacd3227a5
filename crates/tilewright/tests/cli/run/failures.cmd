# Launches that fail: a failed assertion, a buffer that is too short. No output is written.
tilewright run {corpus}/cases/assert_fail/assert_fail.13.4.tilebc --threads 1 --grid 3 @{corpus}/cases/assert_fail/x.npy i32:90 i32:1 i32[90] i32:90 i32:1 i32:100 -o 3=y.npy
tilewright run {corpus}/cases/vector_add/vector_add.13.4.tilebc --threads 1 --grid 8 f32[1000] i32:1000 i32:1 f32[999] i32:1000 i32:1 f32[1000] i32:1000 i32:1 -o 6=c.npy
list
