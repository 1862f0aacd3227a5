"""Runs the tests of NVIDIA's cuTile Python on the CPU, unmodified, and tells how many of each file passed.

python python/tests/cutile_tests.py CHECKOUT [NAME...] [--write FILE] [--timeout SECONDS]

CHECKOUT is a clone of https://github.com/NVIDIA/cutile-python. Its test requirements have to be installed: PyTorch, pytest-benchmark,
pytest-env, and cuda-tile[tileiras], whose compiler they ask for and do not use. Each file runs in a process of its own, by the pytest
plugin.

cutile_failures.json lists each test that is known to fail, or to fail at times, by its exact name, under the reason. A test that fails
and is not listed fails the run, and so does one that is listed and passes, or is not there. The file also lists tests that need much
memory of their own, which are left out where there is less.
"""

from __future__ import annotations

import argparse
import json
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


@dataclass(frozen=True)
class Known:
    """What is known of tests that do not simply pass."""

    #: The reason why a test fails.
    failures: dict[str, str]
    #: The memory that a test needs, in GiB.
    memory: dict[str, int]
    #: Those of the failures that depend on random numbers, so that the test passes at other times.
    at_times: frozenset[str] = frozenset()

    @classmethod
    def read(cls, path: Path) -> Known:
        """Read the list."""
        listed = json.loads(path.read_text())
        groups = [*listed["failures"].items(), *listed["failures_at_times"].items()]
        named = [(name, reason) for reason, names in groups for name in names]
        failures = dict(named)
        if len(failures) < len(named):
            twice = [name for name, count in Counter(name for name, _ in named).items() if count > 1]
            raise ValueError(f"{path} lists tests twice: {', '.join(twice)}")
        at_times = frozenset(name for names in listed["failures_at_times"].values() for name in names)
        return cls(failures, listed["memory_in_gib"], at_times)

    def too_large(self, file: str, available: float) -> dict[str, int]:
        """The tests of a file that need more memory than there is, with the GiB that they need."""
        return {name: need for name, need in self.memory.items() if name.startswith(f"{file}::") and need > available}

    def surprises(self, file: str, outcomes: dict[str, str], left_out: dict[str, int]) -> list[str]:
        """Where the outcomes of a file's tests (passed, failed, skipped) are not those that the list tells."""
        found = [f"{name} fails, which is not listed" for name in outcomes if outcomes[name] == "failed" and name not in self.failures]
        for name in self.failures:
            as_listed = outcomes.get(name) == "failed" or (name in self.at_times and outcomes.get(name) == "passed")
            if name.startswith(f"{file}::") and name not in left_out and not as_listed:
                found.append(f"{name} is listed to fail, but {outcomes.get(name, 'was not there')}")
        return found


def available_memory() -> float:
    """The memory that programs can have, in GiB."""
    for line in Path("/proc/meminfo").read_text().splitlines():
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) / 2**20
    raise OSError("/proc/meminfo does not tell the available memory")


@dataclass
class Outcome:
    """How the tests of a file went."""

    name: str
    counts: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)
    notes: list[str] = field(default_factory=list)
    #: The outcome of each test.
    tests: dict[str, str] = field(default_factory=dict)
    #: What the list does not tell.
    surprises: list[str] = field(default_factory=list)


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
    known = Known.read(Path(__file__).with_name("cutile_failures.json"))
    outcomes = []
    for file in files:
        outcomes.append(run(file, options.timeout, known))
        print(row(outcomes[-1]), end="", flush=True)
    surprises = [surprise for outcome in outcomes for surprise in outcome.surprises]
    if options.write and not surprises:
        options.write.write_text(markdown(outcomes, newest_release(options.checkout)))
    for surprise in surprises:
        print(surprise, file=sys.stderr)
    return 1 if surprises else 0


def run(file: Path, timeout: int, known: Known) -> Outcome:
    """Run the tests of a file."""
    outcome = Outcome(file.stem)
    left_out = known.too_large(file.stem, available_memory())
    outcome.notes += [f"not run: `{name.partition('::')[2]}` needs {need} GiB for its own arrays" for name, need in left_out.items()]
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder, "report.xml")
        path = str(file.relative_to(file.parents[1]))
        leave_out = [f"--deselect={path}::{name.partition('::')[2]}" for name in left_out]
        command = [sys.executable, "-m", "pytest", "-q", *PLUGIN, *leave_out, f"--junitxml={report}", path]
        # Some tests count how often a kernel is compiled: none may come from an earlier run.
        env = {**os.environ, "TILEWRIGHT_CACHE_DIR": ""}
        process = subprocess.Popen(command, cwd=file.parents[1], env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            process.wait(timeout)
        except subprocess.TimeoutExpired:
            outcome.notes.append(f"stopped after {timeout} s")
            outcome.surprises.append(f"{file.stem} was stopped after {timeout} s")
            # What was run until then is reported.
            process.send_signal(signal.SIGINT)
            try:
                process.wait(30)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        if report.exists():
            count(ElementTree.parse(report), outcome, known)
        elif not outcome.notes:
            outcome.notes.append(f"ended with {process.returncode}")
            outcome.surprises.append(f"{file.stem} ended with {process.returncode}")
    outcome.surprises += known.surprises(file.stem, outcome.tests, left_out)
    return outcome


def count(report: ElementTree.ElementTree, outcome: Outcome, known: Known) -> None:
    """Count the tests of a report, and the reasons of those that did not pass."""
    for case in report.iter("testcase"):
        # A file that cannot be imported is a test of this name.
        test = "collection" if case.get("name") == f"test.{outcome.name}" else case.get("name")
        name = f"{outcome.name}::{test}"
        found = next((element for kind in ("failure", "error", "skipped") for element in case.iter(kind)), None)
        if found is None:
            outcome.tests[name] = "passed"
            outcome.counts["passed"] += 1
        elif found.tag == "skipped":
            expected = found.get("type") == "pytest.xfail"
            outcome.tests[name] = "skipped"
            outcome.counts["failed as expected" if expected else "skipped"] += 1
            outcome.reasons["" if expected else f"skipped: {short(found)}"] += 1
        else:
            outcome.tests[name] = "failed"
            outcome.counts["failed"] += 1
            outcome.reasons[known.failures.get(name) or f"`{test}`: {short(found)}"] += 1


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
    return f"| `{outcome.name}` | {counts} | {'; '.join(outcome.notes + reasons)} |\n"


def markdown(outcomes: list[Outcome], release: str) -> str:
    """The table as a page."""
    torch, cutile = versions()
    total = sum((outcome.counts for outcome in outcomes), Counter[str]())
    return f"""# The tests of cuTile Python

The tests in [NVIDIA's repository](https://github.com/NVIDIA/cutile-python) (a clone whose newest release is {release}), unmodified, on
the CPU, with cuda-tile {cutile} and PyTorch {torch}: {told(total)}. This page is
written by `python python/tests/cutile_tests.py CLONE --write docs/cutile-tests.md`, which fails for any test that is not listed by name
in `python/tests/cutile_failures.json`. Tests on random numbers that are listed there to fail at times are counted as they went this time.

A test is not run where its own arrays do not fit into memory. `test_add_list_of_int64_index_arrays` has four of 4 GiB, and its comparison
makes a fifth; the launch takes less than 1 MiB besides (with arrays of 128 MiB, `max_memory=2**20` is enough, and the process does not
grow).

| file | outcome | why not all passed |
|---|---|---|
{"".join(map(row, outcomes))}"""


if __name__ == "__main__":
    sys.exit(main())
