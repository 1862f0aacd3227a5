# The kernels, and a filter that fits none.
tilewright bench --list
tilewright bench --list --filter attention --quick
tilewright bench --filter nothing
