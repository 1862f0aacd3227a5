"""How launches are checked: the options of ``tilewright.Check``."""

import subprocess
import sys
import textwrap

import cuda.tile as ct
import numpy as np
import pytest

import tilewright
from tilewright import Check, cutile


@ct.kernel
def last_number(x):
    ct.atomic_xchg(x, (0,), ct.bid(0))


@ct.kernel
def double(x, y):
    ct.store(y, (0,), ct.load(x, (0,), (8,)) * 2)


def rules(kernel, args, check, grid=1):
    """The rules that a launch breaks."""
    try:
        cutile.launch(grid, kernel, args, check=check)
    except tilewright.CheckError as error:
        return [finding.rule for finding in error.findings]
    return []


def test_other_orders_of_blocks_are_tried():
    x = np.zeros(1, np.int32)
    assert rules(last_number, (x,), True, grid=3) == []
    with pytest.raises(tilewright.CheckError) as caught:
        cutile.launch(3, last_number, (x,), check=Check(schedules=8, seed=1))
    [finding] = caught.value.findings
    assert finding.rule == "block-order"
    # The array holds the results of the order of the grid.
    assert x[0] == 2
    assert f'to see it again: check=tilewright.Check(schedule="{finding.schedule}")' in str(finding)
    assert rules(last_number, (x,), Check(schedule=finding.schedule), grid=3) == ["block-order"]
    assert rules(last_number, (x,), Check(schedule="0"), grid=3) == []


def test_undefined_content_of_arrays():
    x, y = np.zeros(8, np.float32), np.zeros(8, np.float32)
    assert rules(double, (x, y), Check(uninitialised=[y])) == []
    assert rules(double, (x, y), Check(uninitialised=[1])) == []
    assert rules(double, (x, y), Check(uninitialised=[x])) == ["undefined-stored"]
    assert rules(double, (x, y), Check(uninitialised=(0,))) == ["undefined-stored"]


def test_arguments_that_have_no_undefined_content():
    x, y = np.zeros(8, np.float32), np.zeros(8, np.float32)

    def launch(args, *uninitialised, kernel=double):
        cutile.launch(1, kernel, args, check=Check(uninitialised=uninitialised))

    with pytest.raises(ValueError, match="there is no argument 2, the launch has 2"):
        launch((x, y), 2)
    with pytest.raises(ValueError, match="there is no argument -1"):
        launch((x, y), -1)
    with pytest.raises(ValueError, match="expected arrays among the arguments of the launch, or their positions, got ndarray"):
        launch((x, y), x.copy())
    with pytest.raises(ValueError, match="argument 1 shares memory with argument 0, which is not among them"):
        launch((x, x), 1)
    with pytest.raises(TypeError, match="must be a list or tuple of arrays or positions, got ndarray"):
        Check(uninitialised=x)


def test_arrays_that_overlap():
    base = np.zeros(32, np.float32)
    distinct = Check(distinct=True)
    # The kernel was compiled without tokens between its two arrays.
    assert rules(double, (base[:8], base[4:12]), True) == ["token-order"]
    assert rules(double, (base[:8], base[4:12]), distinct) == ["overlapping-arrays", "token-order"]
    assert rules(double, (base[:8], base[8:16]), distinct) == []
    # They share an interval, and no byte of it.
    assert rules(double, (base[0:16:2], base[1:17:2]), distinct) == []
    assert "overlapping-arrays" in rules(double, (base[0:16:2], base[0:24:3]), distinct)


def test_a_kernel_that_was_loaded(saxpy):
    x = np.ones(16, np.float32)
    kernel = saxpy["saxpy"]
    arguments = (2.0, *tilewright.spread(x[:8]), *tilewright.spread(x[:8]))
    with pytest.raises(tilewright.CheckError, match="argument 1 and argument 4 share"):
        kernel.launch(1, *arguments, check=Check(distinct=True))
    with pytest.raises(ValueError, match="uninitialised: argument 0 is no array"):
        kernel.launch(1, *arguments, check=Check(uninitialised=[0]))


def test_what_is_no_check():
    x = np.zeros(1, np.int32)
    with pytest.raises(TypeError, match=r"check is a bool or a tilewright\.Check, got str"):
        cutile.launch(1, last_number, (x,), check="schedules=8")
    with pytest.raises(ValueError, match="schedule: expected turns such as '1,0:2,3'"):
        cutile.launch(1, last_number, (x,), check=Check(schedule="last"))
    for name in ("schedules", "seed"):
        with pytest.raises(ValueError, match=f"{name} must be from 0 and below 2\\*\\*64, got -1"):
            Check(**{name: -1})


def test_launches_are_checked_as_install_was_told(installed):
    x = np.zeros(1, np.int32)
    cutile.install(check=Check(schedules=8))
    with pytest.raises(tilewright.CheckError, match="block-order"):
        ct.launch(None, (3,), last_number, (x,))
    with pytest.raises(ValueError, match="uninitialised names arrays of one launch"):
        cutile.install(check=Check(uninitialised=[0]))


SCRIPT = """
    import cuda.tile as ct
    import numpy as np

    @ct.kernel
    def last_number(x):
        ct.atomic_xchg(x, (0,), ct.bid(0))

    ct.launch(None, (3,), last_number, (np.zeros(1, np.int32),))
    print("done")
"""


@pytest.mark.parametrize("children", [False, True])
def test_options_of_the_command(tmp_path, children):
    (tmp_path / "script.py").write_text(textwrap.dedent(SCRIPT))
    (tmp_path / "parent.py").write_text("import subprocess, sys; sys.exit(subprocess.run([sys.executable, 'script.py']).returncode)")

    def run(*options):
        command = ["--subprocesses", *options, "parent.py"] if children else [*options, "script.py"]
        command = [sys.executable, "-m", "tilewright.cutile", *command]
        return subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)

    assert run("--check").stdout == "done\n"
    assert run("--check-schedule=0", "--check-distinct").stdout == "done\n"
    done = run("--check-schedules=8", "--check-seed=3")
    assert done.returncode == 1
    assert "error[block-order]: atomic_rmw" in done.stderr
    done = run("--check-seed=3")
    assert done.returncode == 2
    assert "give the number of schedules, too" in done.stderr


def test_options_of_the_plugin(pytester):
    test = textwrap.dedent(SCRIPT).replace("ct.launch", "def test_it():\n    ct.launch").replace("print", "    print")
    pytester.makepyfile(test)
    pytester.runpytest_subprocess("--tile-check").assert_outcomes(passed=1)
    result = pytester.runpytest_subprocess("--tile-check-schedules=8")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["cuTile kernels: on the CPU, by Tilewright, checked for undefined behaviour", "*error?block-order?: *"])
    result = pytester.runpytest_subprocess("--tile-check-seed=8")
    result.stderr.fnmatch_lines(["*--tile-check: a seed chooses orders of blocks*"])
