#!/usr/bin/env python3
"""Times whole processes side by side: tilewright, and NVIDIA's tileirdisasm.

    cargo build --release
    cargo run --release -p tilewright-bytecode --example make_large -- 200000 large.tilebc
    python3 crates/tilewright/benches/compare_tools.py large.tilebc [--disassembler PATH] [--runs N]

The tools take turns, so that whatever else the machine does meets all of them; each figure is the best of its runs. The
disassembler is the one that the tests install into target/oracle, unless named. Its output and ours must be equal, byte for byte,
and the text must come back as a file with the same text.

Text to bytecode is compared with 1.5 times the disassembler's time, which is what NVIDIA's translator, cuda-tile-translate,
takes for it: that tool is not part of the package.
"""

import argparse
import filecmp
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[3]
TRANSLATOR = 1.5


def measure(command, output):
    """Wall time and processor time of one run, in seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with open(output, "wb") as out:
        start = time.perf_counter()
        subprocess.run(command, stdout=out, check=True)
        wall = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", help="bytecode to print")
    parser.add_argument("--disassembler", type=pathlib.Path)
    parser.add_argument("--runs", type=int, default=20)
    args = parser.parse_args()
    disassembler = args.disassembler or next((ROOT / "target/oracle").glob("lib/python3*/site-packages/nvidia/cu13/bin/tileirdisasm"), None)
    if disassembler is None:
        sys.exit("no tileirdisasm: name it with --disassembler, or run the tests, which install it into target/oracle")
    tilewright = ROOT / "target/release/tilewright"
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        ours, theirs, written = folder / "ours.mlir", folder / "theirs.mlir", folder / "written.tilebc"
        steps = {
            "tileirdisasm": ([disassembler, args.file], theirs),
            "tilewright print": ([tilewright, "print", args.file], ours),
            "tilewright convert": ([tilewright, "convert", ours, "-o", written], folder / "nothing"),
        }
        measure(*steps["tilewright print"])
        best = {}
        for _ in range(args.runs):
            for name, step in steps.items():
                best[name] = tuple(map(min, measure(*step), best.get(name, (float("inf"),) * 2)))
        if not filecmp.cmp(ours, theirs, shallow=False):
            sys.exit("the two texts differ")
        if subprocess.run([tilewright, "print", written], check=True, capture_output=True).stdout != ours.read_bytes():
            sys.exit("the written file has another text")
    for name, (wall, cpu) in best.items():
        print(f"{name:20} {wall * 1e3:8.1f} ms wall {cpu * 1e3:8.1f} ms processor")
    reference = best["tileirdisasm"]
    for name, factor in [("tilewright print", 1), ("tilewright convert", TRANSLATOR)]:
        wall, cpu = (factor * r / t for r, t in zip(reference, best[name]))
        what = "tileirdisasm" if factor == 1 else f"tileirdisasm x {factor}"
        print(f"{name} is {wall:.1f} times as fast as {what} (by processor time: {cpu:.1f})")


if __name__ == "__main__":
    main()
