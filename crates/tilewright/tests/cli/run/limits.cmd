# Each limit ends a launch: no time, ten bytes of memory, less output than there is. What was printed before is there.
tilewright run {corpus}/modules/AbsI.11.13.3.tilebc --threads 1 --grid 2,2 --timeout 0
tilewright run -O0 {corpus}/modules/AbsI.11.13.3.tilebc --threads 1 --grid 2,2 --max-memory 10
tilewright run {corpus}/cases/print_values/print_values.13.4.tilebc --threads 1 --grid 4 @{corpus}/cases/print_values/x.npy i32:4 i32:1 f32[4] i32:4 i32:1 --max-output 30
# Enough of everything.
tilewright run {corpus}/modules/AbsI.11.13.3.tilebc --threads 1 --grid 2,2 --timeout 3600.5 --max-memory 1GiB --max-output 1kB
# Cases have them, too.
tilewright run --case {corpus}/cases/vector_add --threads 1 --bytecode 13.4 --max-memory 10
# What is no limit.
tilewright run {corpus}/modules/AbsI.11.13.3.tilebc --grid 1 --timeout nan
tilewright run {corpus}/modules/AbsI.11.13.3.tilebc --grid 1 --timeout=-1
tilewright run {corpus}/modules/AbsI.11.13.3.tilebc --grid 1 --max-memory 1.5GiB
tilewright run {corpus}/modules/AbsI.11.13.3.tilebc --grid 1 --max-output lots
