# The PTX machine runs a case; what only the engine has is refused, not left out.
tilewright run --case {corpus}/cases/vector_add --device ptx
tilewright run --case {corpus}/cases/vector_add --device ptx --threads 2 -O0 --timeout 5 --max-memory 1000000 --max-output 1000
