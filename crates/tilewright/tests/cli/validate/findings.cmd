# All findings of the verifier are shown.
tilewright validate {fixtures}/invalid.tilebc {fixtures}/invalid_ops.tilebc
tilewright run {fixtures}/invalid.tilebc --grid 1
