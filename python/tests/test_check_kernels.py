"""Kernels as they are written in practice, under the checker: each is clean, and changes of one place are told apart.

A file of ``kernels`` begins with what it computes. Each comment behind that is a change of one place and what it breaks:
``RULES: FROM => TO``, or ``clean``. ``run(launch)`` makes the launches and looks at their results.
"""

import importlib.util
import pathlib

import pytest

import tilewright
from tilewright import cutile

FOLDER = pathlib.Path(__file__).parent / "kernels"
NAMES = sorted(path.stem for path in FOLDER.glob("*.py"))


def variants(text):
    """The rules that a change breaks, what stands there, and what stands there instead."""
    for line in text.splitlines():
        if line.startswith("# ") and " => " in line:
            broken, change = line[2:].split(": ", 1)
            old, new = change.split(" => ")
            yield {rule for rule in broken.split() if rule != "clean"}, old, new


CHANGES = [(name, *change) for name in NAMES for change in variants((FOLDER / f"{name}.py").read_text())]


def found(folder, text):
    """The rules that the launches of a file break, up to the first one that breaks any."""
    path = folder / "kernel.py"
    path.write_text(text)
    spec = importlib.util.spec_from_file_location("kernel", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    try:
        module.run(lambda grid, kernel, args: cutile.launch(grid, kernel, args, check=True))
    except tilewright.CheckError as error:
        return {finding.rule for finding in error.findings}
    return set()


@pytest.mark.parametrize("name", NAMES)
def test_kernels_are_clean(tmp_path, name):
    assert found(tmp_path, (FOLDER / f"{name}.py").read_text()) == set()


@pytest.mark.parametrize(("name", "rules", "old", "new"), CHANGES)
def test_changes_are_told_apart(tmp_path, name, rules, old, new):
    text = (FOLDER / f"{name}.py").read_text()
    body = text.partition("import cuda.tile")[2]
    assert body.count(old) == 1, f"{old!r} stands once"
    assert found(tmp_path, "import cuda.tile" + body.replace(old, new)) == rules
