#!/usr/bin/env python3
"""Counts what a plain launch pays for being able to be watched, in instructions, which nothing else on the machine changes.

    cargo build --release
    python3 crates/tilewright/benches/count_hooks.py [--without BINARY] [NAME...]

The command is built a second time, from a copy of the sources in which no launch has a watcher, so that the compiler leaves out all that asks for one;
--without names such a binary. Both run the kernels of compare_check.py under `valgrind --tool=callgrind`, for the whole grid and for one block of it; the
difference is what the blocks took.
"""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import tempfile

import compare_check
from compare_tools import ROOT

HOOKS = pathlib.Path("crates/tilewright-exec/src/vm/watch.rs")
WATCHER, NONE = "self.launch.watcher", "None::<&dyn crate::Watcher>"


def without_hooks():
    """The command, built without what asks for a watcher."""
    copy = ROOT / "target/without-hooks"
    files = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    for file in filter(None, files.split("\0")):
        to = copy / file
        to.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / file, to)
    text = (copy / HOOKS).read_text()
    if WATCHER not in text:
        raise SystemExit(f"{HOOKS} has no {WATCHER}: this script has to be told what asks for a watcher now")
    (copy / HOOKS).write_text(text.replace(WATCHER, NONE))
    environment = {**os.environ, "CARGO_TARGET_DIR": str(copy / "target")}
    subprocess.run(["cargo", "build", "--release", "-p", "tilewright"], cwd=copy, env=environment, check=True)
    return copy / "target/release/tilewright"


def instructions(command):
    """How many instructions a process takes."""
    with tempfile.TemporaryDirectory() as folder:
        watched = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/out", *command]
        said = subprocess.run(watched, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True).stderr
    return int(re.search(r"Collected : (\d+)", said)[1])


def blocks(binary, name):
    """How many instructions the blocks of a plain launch take, but for the first one."""
    grids = compare_check.KERNELS[name].grid, (1,)
    whole, one = (instructions(compare_check.command(binary, ["run", "--threads", "1"], name, grid)) for grid in grids)
    return whole - one


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(compare_check.KERNELS))
    parser.add_argument("--without", type=pathlib.Path, metavar="BINARY")
    options = parser.parse_args()
    binaries = ROOT / "target/release/tilewright", options.without or without_hooks()
    for name in options.names or compare_check.KERNELS:
        present, absent = (blocks(binary, name) for binary in binaries)
        grid = compare_check.KERNELS[name].grid
        print(f"{name:22} {grid!s:9} {present:14,} instructions, without {absent:14,}: {(present - absent) / absent:+.6%}", flush=True)


if __name__ == "__main__":
    main()
