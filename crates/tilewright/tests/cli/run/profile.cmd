# Files that a profile is written to; what is in them is tested in tests/profile.
tilewright run --case {corpus}/cases/softmax_rows --threads 1 --profile-html profile.html --profile-flame flame.svg --profile-trace trace.json
list
# A folder that is not there.
tilewright run --case {corpus}/cases/softmax_rows --threads 1 --profile-html missing/profile.html
# The PTX machine has no clock.
tilewright run --case {corpus}/cases/softmax_rows --device ptx --profile-html profile.html
# A launch that fails has no profile.
tilewright run {corpus}/cases/vector_add/vector_add.13.4.tilebc --grid 8 f32[10] i32:1000 i32:1 f32[1000] i32:1000 i32:1 f32[1000] i32:1000 i32:1 --threads 1 --profile
