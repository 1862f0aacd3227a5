#!/usr/bin/env python3
"""Times whole processes side by side: tilewright, and NVIDIA's tileirdisasm.

    cargo build --release
    cargo run --release -p tilewright-bytecode --example make_large -- 200000 large.tilebc
    python3 crates/tilewright/benches/compare_tools.py large.tilebc [--disassembler PATH] [--runs N]

The tools take turns, so that whatever else the machine does meets all of them; each figure is the best of its runs. Each run writes
a new file: before one replaces another, file systems such as ext4 send it to the disk, which takes the disk's time. The disassembler is the one that the tests install into target/oracle, unless named. Its output and ours must be equal, byte for byte,
and the text must come back as a file with the same text.

Text to bytecode is compared with 1.5 times the disassembler's time, which is what NVIDIA's translator, cuda-tile-translate,
takes for it: that tool is not part of the package.
"""

import argparse
import filecmp
import os
import pathlib
import subprocess
import sys
import tempfile
import time
from typing import NamedTuple

ROOT = pathlib.Path(__file__).resolve().parents[3]
# How long the official tool for the same work takes, as a multiple of the disassembler's time.
FACTORS = {"tilewright print": 1, "tilewright convert": 1.5}


class Run(NamedTuple):
    """What a process took, or the least that several runs took."""

    wall: float
    """Seconds on the clock."""
    processor: float
    """Seconds of processor time, in the program and in the system for it."""
    memory: int
    """Peak of resident memory, in bytes."""


def run(command, output):
    """Runs a process that writes to a file."""
    with open(output, "wb") as out:
        start = time.perf_counter()
        process = subprocess.Popen(command, stdout=out)
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command)
    return Run(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024)


def compare(file, disassembler=None, runs=20):
    """The best runs of each tool, by its name."""
    disassembler = disassembler or next((ROOT / "target/oracle").glob("lib/python3*/site-packages/nvidia/cu13/bin/tileirdisasm"), None)
    if disassembler is None:
        sys.exit("no tileirdisasm: name it with --disassembler, or run the tests, which install it into target/oracle")
    tilewright = ROOT / "target/release/tilewright"
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        ours, theirs, written = folder / "ours.mlir", folder / "theirs.mlir", folder / "written.tilebc"
        steps = {
            "tileirdisasm": ([disassembler, file], theirs),
            "tilewright print": ([tilewright, "print", file], ours),
            "tilewright convert": ([tilewright, "convert", ours, "-o", written], folder / "nothing"),
        }
        run(*steps["tilewright print"])
        best = {}
        for _ in range(runs):
            for name, step in steps.items():
                written.unlink(missing_ok=True)
                this = run(*step)
                best[name] = Run(*map(min, this, best.get(name, this)))
        if not filecmp.cmp(ours, theirs, shallow=False):
            sys.exit("the two texts differ")
        if subprocess.run([tilewright, "print", written], check=True, capture_output=True).stdout != ours.read_bytes():
            sys.exit("the written file has another text")
    return best


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", help="bytecode to print")
    parser.add_argument("--disassembler", type=pathlib.Path)
    parser.add_argument("--runs", type=int, default=20)
    args = parser.parse_args()
    best = compare(args.file, args.disassembler, args.runs)
    for name, best_run in best.items():
        wall, processor, memory = best_run
        print(f"{name:20} {wall * 1e3:8.1f} ms wall {processor * 1e3:8.1f} ms processor {memory / 1e6:8.0f} MB")
    reference = best["tileirdisasm"]
    for name, factor in FACTORS.items():
        wall, processor = (factor * theirs / ours for theirs, ours in zip(reference[:2], best[name][:2]))
        what = "tileirdisasm" if factor == 1 else f"tileirdisasm x {factor}"
        print(f"{name} is {wall:.1f} times as fast as {what} (by processor time: {processor:.1f})")


if __name__ == "__main__":
    main()
