"""The command ``tilewright`` as the package carries it: ``python -m tilewright``."""

import os
import shlex
import subprocess
import sys
from importlib.metadata import entry_points

import pytest

import tilewright


def run(*args, **keywords):
    return subprocess.run([sys.executable, "-m", "tilewright", *args], capture_output=True, check=False, **keywords)


def test_modules_are_printed(examples):
    path = examples / "saxpy.tilebc"
    done = run("print", path)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.decode() == tilewright.load(path).text()


def test_findings_and_failures_have_their_status(tmp_path, examples):
    broken = tmp_path / "broken.mlir"
    broken.write_text("entry @k(%x: tile<4xf32>) { return }")
    assert run("validate", examples / "saxpy.tilebc").returncode == 0
    assert run("validate", broken).returncode == 1
    missing = run("print", tmp_path / "missing.mlir")
    assert missing.returncode == 2 and b"missing.mlir" in missing.stderr and b"Traceback" not in missing.stderr


def test_the_command_is_called_by_its_name():
    usage = b"Usage: python -m tilewright <COMMAND>"
    done = run("--help")
    assert done.returncode == 0 and usage in done.stdout
    done = run("nonsense")
    assert done.returncode == 2 and usage in done.stderr
    done = run("--version")
    assert done.stdout.decode().split()[-1] == tilewright.__version__
    done = run("check", "--nonsense")
    assert b"Usage: python -m tilewright check [OPTIONS] --grid" in done.stderr


RACE = """entry @k(%p: tile<ptr<i32>>) {
  %x, %y, %z = get_tile_block_id : tile<i32>
  %old, %t = atomic_rmw_tko relaxed device %p, xchg, %x : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
}
"""


def test_a_hint_is_a_command_that_runs(tmp_path):
    (tmp_path / "race.mlir").write_text(RACE)
    done = run("check", "race.mlir", "--grid", "3", "i32[1]", "--schedules", "16", cwd=tmp_path)
    again = next(line.split("to see it again: ")[1] for line in done.stdout.decode().splitlines() if "to see it again" in line)
    python, *rest = shlex.split(again)
    assert (done.returncode, python, rest[:3]) == (1, "python", ["-m", "tilewright", "check"])
    assert subprocess.run([sys.executable, *rest], capture_output=True, check=False, cwd=tmp_path).returncode == 1


def test_the_package_has_the_command_as_a_script():
    [script] = entry_points(group="console_scripts", name="tilewright")
    code = f"import sys; sys.argv[0] = 'tilewright'; from {script.module} import {script.attr}; {script.attr}()"
    done = subprocess.run([sys.executable, "-c", code, "check", "--help"], capture_output=True, check=False)
    assert done.returncode == 0 and b"Usage: tilewright check [OPTIONS] --grid" in done.stdout


def test_kernels_run(examples):
    done = run("run", examples / "saxpy.tilebc", "--grid", "1", "f32:2", "f32[4]=1", "i32:4", "i32:1", "f32[4]=1", "i32:4", "i32:1")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(b"saxpy  grid 1,1,1 (1 block)")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="pipes close otherwise here")
def test_a_reader_that_goes_away_ends_it_quietly(examples):
    command = [sys.executable, "-m", "tilewright", "ops"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait() == 0
