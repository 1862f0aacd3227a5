# Two parameters with one buffer: c = a + a.
tilewright run --case {fixtures}/shared.json --threads 1
