# Misspelt names get a hint.
tilewright ops load_view
tilewright ops addd
tilewright ops frobnicate
tilewright ops addf mulf
