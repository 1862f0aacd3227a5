"""Runs the samples of NVIDIA's cuTile Python on the CPU, unmodified, and tells how each went.

python python/tests/samples.py CHECKOUT [--check] [--write FILE]

CHECKOUT is a clone of https://github.com/NVIDIA/cutile-python. PyTorch has to be installed. Each sample compares its results with
references of its own; a sample that fails is in the table with the reason. There are four devices for samples that start a process for
each of them.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import os
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

PASSED = "Correctness check passed"
SKIPPED = "Skipped test: "
#: CuPy cannot be imported without a GPU. This is as much of it as the quick start uses, on NumPy.
CUPY = """
from numpy import *
from numpy import random
asnumpy = asarray
class cuda:
    get_current_stream = staticmethod(lambda: None)
"""


@dataclass(frozen=True)
class Outcome:
    """How a sample went."""

    name: str
    passed: bool
    text: str


def main() -> int:
    """Run all samples of a checkout."""
    parser = argparse.ArgumentParser(description="Run the samples of cuTile Python on the CPU.")
    parser.add_argument("checkout", type=Path)
    parser.add_argument("--write", type=Path, metavar="FILE", help="write the table, as Markdown, into this file")
    parser.add_argument("--timeout", type=int, default=900, help="seconds for each sample")
    parser.add_argument("--check", action="store_true", help="run the samples under the checker, too")
    options = parser.parse_args()
    samples = sorted(path for path in (options.checkout / "samples").glob("[A-Z]*.py")) + sorted(
        options.checkout.glob("samples/quickstart/*.py")
    )
    if not samples:
        parser.error(f"{options.checkout} has no samples")
    rows = []
    for sample in samples:
        rows.append([run(sample, options.timeout, check=check) for check in [False, True][: 1 + options.check]])
        print(f"{rows[-1][0].name:28} {', checked: '.join(outcome.text for outcome in rows[-1])}", flush=True)
    if options.write:
        options.write.write_text(markdown(rows, newest_release(options.checkout)))
    return 0 if all(outcome.passed for row in rows for outcome in row) else 1


def run(sample: Path, timeout: int, *, check: bool = False) -> Outcome:
    """Run a sample with its correctness check."""
    with tempfile.TemporaryDirectory() as folder:
        environment = dict(os.environ)
        if "cupy" in sample.read_text():
            Path(folder, "cupy.py").write_text(CUPY)
            environment["PYTHONPATH"] = os.pathsep.join([folder, *filter(None, [environment.get("PYTHONPATH")])])
        checker = ["--check"] if check else []
        devices = ["--torch-cuda", "--devices", "4"]
        command = [sys.executable, "-m", "tilewright.cutile", *devices, *checker, str(sample), "--correctness-check"]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=timeout, env=environment, check=False)
        except subprocess.TimeoutExpired:
            return Outcome(sample.stem, False, f"did not end in {timeout} s")
    return Outcome(sample.stem, *judge(done))


def judge(done: subprocess.CompletedProcess[str]) -> tuple[bool, str]:
    """Whether a sample passed, and what to say about it."""
    if done.returncode != 0:
        return False, f"fails: {reason(done.stderr)}"
    if SKIPPED in done.stdout:
        return True, "not run: " + done.stdout.partition(SKIPPED)[2].splitlines()[0]
    checks = done.stdout.count(PASSED) or done.stdout.count("passed!")
    return (checks > 0, f"{checks} {'check' if checks == 1 else 'checks'} passed" if checks else "checked nothing")


def reason(stderr: str) -> str:
    """What the checker found, the end of a traceback, or how far a comparison was off."""
    if findings := sorted(set(re.findall(r"^error\[([\w-]+)\]", stderr, re.MULTILINE))):
        return ", ".join(f"`{rule}`" for rule in findings)
    lines = [line for line in stderr.splitlines() if line.strip()]
    told = [line for line in lines if re.match(r"Mismatched elements|Greatest absolute", line)]
    return "; ".join(told or lines[-1:]) or "no message"


def newest_release(checkout: Path) -> str:
    """The newest release that a checkout knows."""
    found = re.search(r"^(\d+\.\d+\.\d+) ", (checkout / "CHANGELOG.md").read_text(), re.MULTILINE)
    return found[1] if found else "unknown"


def versions() -> tuple[str, str]:
    """The versions of PyTorch and of cuTile Python."""
    return importlib.metadata.version("torch"), importlib.metadata.version("cuda-tile")


def markdown(rows: list[list[Outcome]], release: str) -> str:
    """The table as a page."""
    torch, cutile = versions()
    heads = ["sample", "outcome", "under the checker"][: 1 + len(rows[0])]
    lines = [heads, ["---"] * len(heads), *([f"`{row[0].name}`", *(outcome.text for outcome in row)] for row in rows)]
    table = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    return f"""# The samples of cuTile Python

The samples in [NVIDIA's repository](https://github.com/NVIDIA/cutile-python) (a clone whose newest release is {release}), unmodified, on
the CPU, with cuda-tile {cutile} and PyTorch {torch}. Each compares its results with a reference of its own; the quick start's arrays are
those of NumPy in the place of CuPy, and `AllGatherMatmul` has four devices. This page is written by
`python python/tests/samples.py CLONE --check --write docs/cutile-samples.md`;
[check.md](check.md#what-it-found) says what the checker's findings mean.

{table}
"""


if __name__ == "__main__":
    sys.exit(main())
