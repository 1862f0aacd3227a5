"""The pytest plugin, in a project of its own."""

import os
import textwrap

import pytest

TEST = """
    import cuda.tile as ct
    import numpy as np

    @ct.kernel
    def double(x, y):
        ct.store(y, (0,), ct.load(x, (0,), (16,)) * 2)

    def test_double():
        x, y = np.ones(16, np.float32), np.zeros(16, np.float32)
        ct.launch(None, (1,), double, (x, y))
        assert (y == 2).all()
"""


def run(pytester, *args):
    pytester.makepyfile(textwrap.dedent(TEST))
    return pytester.runpytest_subprocess(*args)


def test_kernels_run_on_the_cpu(pytester):
    result = run(pytester, "--tile-device=cpu", "--tile-threads=1")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["cuTile kernels: on the CPU, by Tilewright"])


def test_processes_of_pytest_xdist(pytester):
    pytest.importorskip("xdist")
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    pytester.makepyfile(
        test_more=textwrap.dedent(TEST)
        + f"""
def test_threads():
    from tilewright.cutile import _launch
    assert _launch._share_of_cores == {max(cores // 2, 1)}
"""
    )
    result = run(pytester, "-n", "2", "--tile-device=cpu", "--tile-check")
    result.assert_outcomes(passed=3)
    result.stdout.fnmatch_lines(["cuTile kernels: on the CPU, by Tilewright*", "*2 workers*"])


def test_programs_that_tests_start(pytester):
    pytester.makepyfile(script=textwrap.dedent(TEST) + "test_double()")
    pytester.makepyfile("""
        import subprocess, sys
        def test_script():
            subprocess.run([sys.executable, "script.py"], check=True)
    """)
    pytester.runpytest_subprocess("--tile-device=cpu", "--tile-subprocesses").assert_outcomes(passed=1)
    pytester.runpytest_subprocess("--tile-device=cpu").assert_outcomes(failed=1)


def test_each_option_asks_for_the_cpu(pytester):
    result = run(pytester, "--tile-threads=1")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["cuTile kernels: on the CPU, by Tilewright"])


def test_nothing_happens_unasked(pytester):
    result = run(pytester)
    result.assert_outcomes(failed=1)
    result.stdout.no_fnmatch_line("cuTile kernels: *")


def test_options_that_make_no_sense(pytester):
    result = run(pytester, "--tile-device=cpu", "--tile-devices=2")
    result.stderr.fnmatch_lines(["*--tile-devices is for --tile-torch-cuda*"])


def test_the_target_can_be_chosen(pytester):
    pytester.makepyfile(script="from cuda.tile._cext import get_compute_capability; print(*get_compute_capability())")
    pytester.makepyfile("""
        import subprocess, sys
        def test_target():
            from cuda.tile._cext import get_compute_capability
            assert get_compute_capability() == (9, 0)
            assert subprocess.run([sys.executable, "script.py"], capture_output=True, text=True).stdout == "9 0\\n"
    """)
    # Each option asks for the CPU.
    arguments = ("--tile-subprocesses",)
    pytester.runpytest_subprocess(*arguments, "--tile-arch=sm_90").assert_outcomes(passed=1)
    pytester.runpytest_subprocess(*arguments).assert_outcomes(failed=1)
    result = pytester.runpytest_subprocess(*arguments, "--tile-arch=hopper")
    result.stderr.fnmatch_lines(["*--tile-device=cpu: expected a target such as 'sm_100', got 'hopper'*"])


def test_findings_of_the_checker_fail_tests(pytester):
    result = run(pytester, "--tile-check")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["cuTile kernels: on the CPU, by Tilewright, checked for undefined behaviour"])
    racing = TEST.replace("(1,), double", "(2,), double")
    pytester.makepyfile(test_racing=textwrap.dedent(racing))
    result = pytester.runpytest_subprocess("--tile-device=cpu", "--tile-check", "test_racing.py")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*CheckError: kernel double*: 1 finding*", "*error?data-race?: store_view_tko: *"])
    # The last line of code that is shown is that of the test.
    result.stdout.no_fnmatch_line("*_launch.py*")
    pytester.runpytest_subprocess("--tile-device=cpu", "test_racing.py").assert_outcomes(passed=1)
