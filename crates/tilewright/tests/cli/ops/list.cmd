# The whole table.
tilewright ops
