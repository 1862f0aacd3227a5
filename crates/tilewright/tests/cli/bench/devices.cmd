# Devices that measure nothing, and what is for others.
tilewright bench --device ptx --quick
tilewright bench --device gpu
env TILEWRIGHT_CUDA_DRIVER=no/libcuda.so
tilewright bench --device cuda --threads 1
