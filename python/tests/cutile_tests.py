"""Runs the tests of NVIDIA's cuTile Python on the CPU, unmodified, and tells how many of each file passed.

python python/tests/cutile_tests.py CHECKOUT [NAME...] [--write FILE] [--timeout SECONDS]

CHECKOUT is a clone of https://github.com/NVIDIA/cutile-python. Its test requirements have to be installed: PyTorch, pytest-benchmark,
pytest-env, and cuda-tile[tileiras], whose compiler they ask for and do not use. Each file runs in a process of its own, by the pytest
plugin. A failure whose reason is known is listed with that reason, any other with its message.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree import ElementTree

from samples import newest_release, versions

PLUGIN = ["-p", "no:cacheprovider", "--tile-device=cpu", "--tile-torch-cuda", "--tile-subprocesses"]

_RELEASE = "is about what another release of cuda-tile does inside"
_LARGE = "needs an array of 4 GiB, which this machine could not give"
_LAST_PLACE = "compares to the bit with a function of PyTorch, whose results on the CPU are off in the last place"
_GPU_CODE = "runs code that was compiled for a GPU"
_INNER = "replaces or watches inner functions of cuTile that serve a GPU, which are not called here"

#: Why tests fail, where that is known: by file and the start of the test's name.
KNOWN = {
    "test_array::test_int64_index": _LARGE,
    "test_assert::test_ct_assert[True-False]": "expects the message in the output, where it is in the exception",
    "test_atomic::test_mixed_scalar_tile_atomic[True]": "writes behind the end of its array, which the engine does not allow",
    "test_bytecode::test_write_simple_module": _GPU_CODE,
    "test_compiler_options::test_num_worker_warps_rejects_invalid": _RELEASE,
    "test_cudagraph::": "records a CUDA graph",
    "test_debug::test_crash_dump_enabled_by_env": _INNER,
    "test_export_compat::": _GPU_CODE,
    "test_float_encoding::": _RELEASE,
    "test_function_debuginfo::": _RELEASE,
    "test_helper_function::test_early_return_inside_for_loop": _RELEASE,
    "test_helper_function::test_error_message_stack_trace": _RELEASE,
    "test_launch::test_launch_on_different_devices": "needs two devices",
    "test_list::test_add_list_of_int64_index_arrays": _LARGE,
    "test_mma::test_ampere_fp8_error": _INNER,
    "test_print::": _RELEASE,
    "test_static_iter::test_static_iter_return_not_allowed": _RELEASE,
    "test_tune::test_exhaustive_search_": _RELEASE,
    "test_tune::test_ipc_export_none_falls_back": _INNER,
    "test_tune::test_skips_failed_configs": _RELEASE,
    "test_unary_elementwise::test_array_abs[bool": "needs a function that PyTorch lacks on the CPU: abs of booleans",
    "test_unary_elementwise::test_array_": _LAST_PLACE,
}


@dataclass
class Outcome:
    """How the tests of a file went."""

    name: str
    counts: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)
    note: str = ""


def main() -> int:
    """Run the tests of a checkout."""
    parser = argparse.ArgumentParser(description="Run the tests of cuTile Python on the CPU.")
    parser.add_argument("checkout", type=Path)
    parser.add_argument("names", nargs="*", help="files, such as test_mma; default: all")
    parser.add_argument("--write", type=Path, metavar="FILE", help="write the table, as Markdown, into this file")
    parser.add_argument("--timeout", type=int, default=600, help="seconds for each file")
    options = parser.parse_args()
    files = [path for path in sorted(options.checkout.glob("test/test_*.py")) if not options.names or path.stem in options.names]
    if not files:
        parser.error(f"{options.checkout} has no such tests")
    outcomes = []
    for file in files:
        outcomes.append(run(file, options.timeout))
        print(row(outcomes[-1]), end="", flush=True)
    if options.write:
        options.write.write_text(markdown(outcomes, newest_release(options.checkout)))
    return 0


def run(file: Path, timeout: int) -> Outcome:
    """Run the tests of a file."""
    outcome = Outcome(file.stem)
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder, "report.xml")
        command = [sys.executable, "-m", "pytest", "-q", *PLUGIN, f"--junitxml={report}", str(file.relative_to(file.parents[1]))]
        # Some tests count how often a kernel is compiled: none may come from an earlier run.
        env = {**os.environ, "TILEWRIGHT_CACHE_DIR": ""}
        process = subprocess.Popen(command, cwd=file.parents[1], env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            process.wait(timeout)
        except subprocess.TimeoutExpired:
            outcome.note = f"stopped after {timeout} s"
            # What was run until then is reported.
            process.send_signal(signal.SIGINT)
            try:
                process.wait(30)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        if report.exists():
            count(ElementTree.parse(report), outcome)
        else:
            outcome.note = outcome.note or f"ended with {process.returncode}"
    return outcome


def count(report: ElementTree.ElementTree, outcome: Outcome) -> None:
    """Count the tests of a report, and the reasons of those that did not pass."""
    for case in report.iter("testcase"):
        found = next((element for kind in ("failure", "error", "skipped") for element in case.iter(kind)), None)
        if found is None:
            outcome.counts["passed"] += 1
        elif found.tag == "skipped":
            expected = found.get("type") == "pytest.xfail"
            outcome.counts["failed as expected" if expected else "skipped"] += 1
            outcome.reasons["" if expected else f"skipped: {short(found)}"] += 1
        else:
            outcome.counts["failed"] += 1
            outcome.reasons[known(f"{outcome.name}::{case.get('name')}") or f"`{case.get('name')}`: {short(found)}"] += 1


def known(test: str) -> str | None:
    """The reason why a test fails, if it is known."""
    return next((reason for start, reason in KNOWN.items() if test.startswith(start)), None)


def short(element: ElementTree.Element) -> str:
    """The first line of a message."""
    lines = (element.get("message") or element.text or "no message").strip().splitlines()
    return lines[0][:160].replace("|", "\\|")


def told(counts: Counter[str]) -> str:
    """The counts, in words."""
    return ", ".join(f"{counts[kind]} {kind}" for kind in ("passed", "failed", "failed as expected", "skipped") if counts[kind])


def row(outcome: Outcome) -> str:
    """A row of the table."""
    counts = told(outcome.counts)
    reasons = [reason if number == 1 else f"{reason} ({number})" for reason, number in outcome.reasons.items() if reason]
    notes = [outcome.note] if outcome.note else []
    return f"| `{outcome.name}` | {counts} | {'; '.join(notes + reasons)} |\n"


def markdown(outcomes: list[Outcome], release: str) -> str:
    """The table as a page."""
    torch, cutile = versions()
    total = sum((outcome.counts for outcome in outcomes), Counter[str]())
    return f"""# The tests of cuTile Python

The tests in [NVIDIA's repository](https://github.com/NVIDIA/cutile-python) (a clone whose newest release is {release}), unmodified, on
the CPU, with cuda-tile {cutile} and PyTorch {torch}: {told(total)}. This page is
written by `python python/tests/cutile_tests.py CLONE --write docs/cutile-tests.md`.

| file | outcome | why not all passed |
|---|---|---|
{"".join(map(row, outcomes))}"""


if __name__ == "__main__":
    sys.exit(main())
