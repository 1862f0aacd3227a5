# The PTX machine as a device: files in and out, text, reports for programs, launches that fail there.
tilewright run {corpus}/cases/vector_add/vector_add.13.4.tilebc --device ptx --grid 8 @{corpus}/cases/vector_add/a.npy i32:1000 i32:1 @{corpus}/cases/vector_add/b.npy i32:1000 i32:1 f32[1024]=0x5a5a5a5a i32:1000 i32:1 -o 6=c.npy
same c.npy {corpus}/cases/vector_add/c.expected.npy
tilewright run {corpus}/cases/print_values/print_values.13.4.tilebc --device ptx:sm_90 --grid 4 @{corpus}/cases/print_values/x.npy i32:4 i32:1 f32[4] i32:4 i32:1
tilewright run {corpus}/cases/assert_fail/assert_fail.13.4.tilebc --device ptx --grid 3 @{corpus}/cases/assert_fail/x.npy i32:90 i32:1 i32[90] i32:90 i32:1 i32:100 -o 3=y.npy
tilewright run {corpus}/cases/vector_add/vector_add.13.4.tilebc --device ptx --json --repeat 2 --grid 8 f32[1000] i32:1000 i32:1 f32[999] i32:1000 i32:1 f32[1000] i32:1000 i32:1
list
tilewright run {corpus}/cases/vector_add/vector_add.13.4.tilebc --device ptx --threads 2 --grid 1
