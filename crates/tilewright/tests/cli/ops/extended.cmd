# The extended assembly: what becomes of its names.
tilewright ops --extended
tilewright ops concatenate
tilewright ops alloca --extended
tilewright ops --extended shr --json
tilewright ops --extended addf
