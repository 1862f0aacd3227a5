"""The pytest plugin, in a project of its own."""

import textwrap

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


def test_nothing_happens_unasked(pytester):
    result = run(pytester)
    result.assert_outcomes(failed=1)
    result.stdout.no_fnmatch_line("cuTile kernels: *")


def test_options_that_make_no_sense(pytester):
    result = run(pytester, "--tile-threads=1")
    result.stderr.fnmatch_lines(["*--tile-threads and --tile-torch-cuda are for --tile-device=cpu*"])
