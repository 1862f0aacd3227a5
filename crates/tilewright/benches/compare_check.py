#!/usr/bin/env python3
"""Times launches under the checker, and without it, on the kernels of `tilewright bench` at full size.

    cargo build --release
    python3 crates/tilewright/benches/compare_check.py [--runs N] [NAME...]

`tilewright run --threads 1` and `tilewright check` take turns, for the whole grid and for one block of it; each figure is the best of its
runs. What a launch of one block takes, in processor time, is taken off: reading the file and filling arrays, of which none is of zeros, so that the system
has given all their memory before. Memory is the peak of the process.
"""

import argparse
import math
from typing import NamedTuple

from compare_tools import ROOT, Run, run

# How many times the plain launch a checked one takes at most, in time and in memory, is what the project aims at.
TIME_AIM, MEMORY_AIM = 20, 3


class Kernel(NamedTuple):
    """A launch."""

    size: str
    grid: tuple[int, ...]
    arrays: list[str]
    """The shapes of its arrays, and what they are filled with."""
    numbers: tuple[str, ...] = ()


def array(spec):
    """The arguments of cuTile for an array: where it is, its extents, its strides."""
    shape = [int(extent) for extent in spec[spec.index("[") + 1 : spec.index("]")].split("x")]
    strides = [math.prod(shape[i + 1 :]) for i in range(len(shape))]
    return [spec, *(f"i32:{number}" for number in shape + strides)]


MATRIX, HEADS = "f32[2048x2048]", "f32[4x8x1024x64]"
SCALE = f"f32:{math.log2(math.e) / 8}"
KERNELS = {
    "matmul_f32": Kernel("2048 x 2048 x 2048", (16, 16), [f"{MATRIX}=0.5", f"{MATRIX}=0.25", f"{MATRIX}=2"]),
    "softmax": Kernel("4096 x 4096", (4096,), ["f32[4096x4096]=0.5", "f32[4096x4096]=2"]),
    "layernorm": Kernel(
        "4096 x 4096", (4096,), ["f32[4096x4096]=0.5", "f32[1x4096]=1", "f32[1x4096]=1", "f32[4096x4096]=2"], ("f32:0.00001",)
    ),
    "attention_f32": Kernel("4 x 8 x 1024 x 64", (8, 32), [f"{HEADS}=0.5", f"{HEADS}=0.25", f"{HEADS}=1", f"{HEADS}=2"], (SCALE,)),
    "attention_f32_causal": Kernel("4 x 8 x 1024 x 64", (8, 32), [f"{HEADS}=0.5", f"{HEADS}=0.25", f"{HEADS}=1", f"{HEADS}=2"], (SCALE,)),
}


class Cost(NamedTuple):
    """What a launch takes: seconds of processor time, and bytes of memory at most."""

    seconds: float
    memory: int


def command(binary, how, name, grid):
    """The command that launches a kernel; `how` is `run` or `check`, with options."""
    kernel = KERNELS[name]
    file = ROOT / f"crates/tilewright/benches/{name}.tilebc"
    arguments = [word for spec in kernel.arrays for word in array(spec)] + list(kernel.numbers)
    return [binary, *how, file, "--grid", ",".join(map(str, grid)), *arguments]


def compare(name, runs):
    """The cost of a kernel without the checker, and under it."""
    kernel = KERNELS[name]
    ways = {"plain": ["run", "--threads", "1"], "checked": ["check"]}
    best = {}
    for _ in range(runs):
        for way, how in ways.items():
            for grid in (kernel.grid, (1,)):
                this = run(command(ROOT / "target/release/tilewright", how, name, grid), "/dev/null")
                best[way, grid] = Run(*map(min, this, best.get((way, grid), this)))
    whole = {way: best[way, kernel.grid] for way in ways}
    return [Cost(whole[way].processor - best[way, (1,)].processor, whole[way].memory) for way in ways]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(KERNELS))
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    for name in options.names or KERNELS:
        plain, checked = compare(name, options.runs)
        factor, memory = checked.seconds / plain.seconds, checked.memory / plain.memory
        print(
            f"{name:22} {plain.seconds * 1e3:8.1f} ms, checked {checked.seconds * 1e3:8.1f} ms: {factor:5.1f} times; memory {memory:.2f} times"
        )


if __name__ == "__main__":
    main()
