# Cases that pass: by folder, by file, in an old version, repeated.
tilewright run --case {corpus}/cases/vector_add --threads 1
tilewright run --case {corpus}/cases/vector_add/case.json --threads 1 --bytecode 13.1
tilewright run --case {corpus}/cases/softmax_rows --threads 1 --repeat 3
tilewright run --case {corpus}/cases/print_values --threads 1
tilewright run --case {corpus}/cases/assert_fail --threads 1
tilewright run --case {corpus}/cases/vector_add --threads 1 --json
