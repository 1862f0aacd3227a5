"""Compiles the kernels of the suite for GPUs and writes what `tilewright bench --suite gpu` reads into `compiled`.

    pip install cuda-tile==1.7.0 torch numpy
    python compile.py             all of them
    python compile.py matmul      those whose name contains one of these

No GPU is needed, but memory, 24 GiB, and minutes. `cargo build --release -p tilewright` goes first.
"""

import pathlib
import sys

HERE = pathlib.Path(__file__).parent
# The suite lies beside this file and uses what declares the other one, and kernels of the usual one.
sys.path += [str(HERE.parent / "practitioners"), str(HERE.parent)]

import export  # noqa: E402
import suite  # noqa: E402, F401  declares the kernels

if __name__ == "__main__":
    export.export(HERE / "compiled")
