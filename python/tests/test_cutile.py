"""Kernels of cuTile Python, compiled and run here."""

import contextlib
import io
import os
import signal
import sys

import cuda.tile as ct
import numpy as np
import pytest

import tilewright
from tilewright import LaunchError, PlanError, cutile


@ct.kernel
def add(a, b, c, n: ct.Constant[int]):
    i = ct.bid(0)
    ct.store(c, (i,), ct.load(a, (i,), (n,)) + ct.load(b, (i,), (n,)))


@ct.kernel
def scale(x, factor, y):
    i = ct.bid(0)
    ct.store(y, (i, 0), ct.load(x, (i, 0), (1, 16)) * factor)


@ct.kernel
def sum_of_list(xs, y, n: ct.Constant[int]):
    total = ct.zeros((n,), ct.float32)
    for i in range(len(xs)):
        total += ct.load(xs[i], (0,), (n,), padding_mode=ct.PaddingMode.ZERO)
    ct.store(y, (0,), total)


@ct.kernel
def affine(x, coefficients, y):
    slope, offset = coefficients
    ct.store(y, (0,), ct.load(x, (0,), (8,)) * slope + offset)


@ct.kernel
def convert(x, y):
    ct.store(y, (0,), ct.load(x, (0,), (8,)).astype(y.dtype))


@ct.kernel
def checked(x):
    tile = ct.load(x, (0,), (4,))
    ct.assert_(tile > 0, "x must be positive")


@ct.kernel
def hello(x):
    ct.printf("block %d\n", ct.bid(0))


def dispatcher(kernel):
    return kernel.__dict__["_tilewright_dispatcher"]


def test_a_kernel_runs():
    a, b, c = np.arange(1000, dtype=np.float32), np.ones(1000, np.float32), np.zeros(1000, np.float32)
    report = cutile.launch((8,), add, (a, b, c, 128))
    assert (c == a + b).all()
    assert report.blocks == 8


def test_signatures_are_compiled_once():
    kernel = add.replace_hints()
    arrays = [np.ones(256, np.float32) for _ in range(3)]
    for n in (64, 128, 64):
        cutile.launch((4,), kernel, (*arrays, n))
    assert len(dispatcher(kernel)) == 2
    # Another shape is another key, but cuTile sees no difference.
    longer = [np.ones(512, np.float32) for _ in range(3)]
    cutile.launch((4,), kernel, (*longer, 64))
    assert len(dispatcher(kernel)) == 3
    assert len(dispatcher(kernel).compiler._compiled) == 2


def test_numbers_that_are_no_constants_need_no_compiling():
    kernel = scale.replace_hints()
    x, y = np.ones((4, 16), np.float32), np.zeros((4, 16), np.float32)
    for factor in (1.5, 2.5, -3.0):
        cutile.launch(4, kernel, (x, factor, y))
        assert (y == factor).all()
    assert len(dispatcher(kernel)) == 1
    cutile.launch(4, kernel, (x, 2, y))
    assert (y == 2).all()
    assert len(dispatcher(kernel)) == 2


def test_strided_arrays():
    whole = np.zeros((8, 40), np.float32)
    x = np.arange(128, dtype=np.float32).reshape(16, 8).T
    view = whole[:, 3:19]
    cutile.launch(8, scale, (x, 2.0, view))
    assert (view == 2 * x).all()
    view[:] = 0
    assert (whole == 0).all()
    with pytest.raises(ValueError, match="negative strides"):
        cutile.launch(8, scale, (x[::-1], 2.0, view))


def test_lists_of_arrays():
    xs = [np.full(n, float(n), np.float32) for n in (5, 16, 9)]
    y = np.zeros(16, np.float32)
    cutile.launch(1, sum_of_list, (xs, y, 16))
    expected = np.zeros(16, np.float32)
    for x in xs:
        expected[: len(x)] += x
    assert (y == expected).all()
    with pytest.raises(TypeError, match=r"[Ll]ist"):
        cutile.launch(1, sum_of_list, ([1, 2], y, 16))


def test_tuples():
    x, y = np.arange(8, dtype=np.float32), np.zeros(8, np.float32)
    cutile.launch(1, affine, (x, (2.0, 1.0), y))
    assert (y == 2 * x + 1).all()


def test_formats_that_numpy_lacks():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    x = np.arange(8, dtype=np.float32)
    for name in ("bfloat16", "float8_e4m3fn", "float8_e5m2"):
        y = np.zeros(8, getattr(ml_dtypes, name))
        cutile.launch(1, convert, (x, y))
        assert (y == x.astype(y.dtype)).all()


def test_numbers_are_true_unless_they_are_zero():
    x = np.array([0, -0.0, 0.25, -0.25, 1, -3, 300, np.nan], np.float32)
    for dtype in (np.float32, np.float16, np.float64):
        y = np.zeros(8, bool)
        cutile.launch(1, convert, (x.astype(dtype), y))
        assert (y == x.astype(bool)).all()


@pytest.mark.parametrize("value", [np.float32(1), "text", 2**40])
def test_arguments_that_ct_launch_refuses(value):
    x, y = np.ones((4, 16), np.float32), np.zeros((4, 16), np.float32)
    with pytest.raises((TypeError, OverflowError)):
        cutile.launch(4, scale, (x, value, y))


def test_arrays_that_are_to_be_constants():
    @ct.kernel
    def constant(x, n: tuple[ct.Constant[int], int]):
        pass

    x = np.ones(8, np.float32)
    message = r"Invalid item #0 of kernel argument #1: Could not interpret object of type 'ndarray' as a constant"
    with pytest.raises(TypeError, match=message):
        cutile.launch(1, constant, (x, (x, 1)))


def test_extents_of_the_grid():
    x, y = np.ones((1, 16), np.float32), np.zeros((1, 16), np.float32)
    for grid in ((), (1,), (1, 1), (1, 1, 1), 1):
        y[:] = 0
        cutile.launch(grid, scale, (x, 2.0, y))
        assert (y == 2).all()
    limit = r"Grid\[1\] exceeds 24-bit limit: max=16777215, got=16777216\. Use multiple kernel launches for larger workloads\."
    with pytest.raises(ValueError, match=limit):
        cutile.launch((1, 2**24), scale, (x, 2.0, y))
    with pytest.raises(ValueError, match="Grid dimensions must be at most 3, got length 4"):
        cutile.launch((1, 1, 1, 1), scale, (x, 2.0, y))


@ct.kernel
def wait_for_ever(flags):
    while ct.atomic_or(flags, (0,), 0).item() == 0:
        pass


def test_a_launch_that_takes_too_long():
    with pytest.raises(TimeoutError, match=r"kernel wait_for_ever\w+: did not end in 0\.01 s, its limit of time \(timeout=\),"):
        cutile.launch((5,), wait_for_ever, (np.zeros(1, np.int32),), timeout=0.01)
    cutile.launch((5,), wait_for_ever, (np.ones(1, np.int32),), timeout=1000)
    with pytest.raises(ValueError, match="negative"):
        cutile.launch((5,), wait_for_ever, (np.ones(1, np.int32),), timeout=-1)


@pytest.mark.skipif(sys.platform == "win32", reason="there, Ctrl-C waits for the end of the launch")
@pytest.mark.parametrize("threads", [1, 2])
def test_a_launch_is_interrupted(threads):
    """The kernel itself says that it runs, by what it prints; then Ctrl-C comes."""

    class Interrupt(io.StringIO):
        def write(self, text):
            os.kill(os.getpid(), signal.SIGINT)
            return super().write(text)

    @ct.kernel
    def print_and_wait(flags):
        ct.printf("here\n")
        while ct.atomic_or(flags, (0,), 0).item() == 0:
            pass

    # Processes that a shell runs in the background ignore Ctrl-C.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with contextlib.redirect_stdout(Interrupt()), pytest.raises(KeyboardInterrupt):
            cutile.launch(3, print_and_wait, (np.zeros(1, np.int32),), threads=threads)
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
        # The next launch knows nothing of it.
        cutile.launch(1, wait_for_ever, (np.ones(1, np.int32),), threads=threads)
    finally:
        signal.signal(signal.SIGINT, before)


def test_what_goes_wrong_when_printing():
    class Closed(io.StringIO):
        def write(self, text):
            raise BrokenPipeError("nobody reads this")

    with contextlib.redirect_stdout(Closed()), pytest.raises(LaunchError, match="cannot write printed text") as error:
        cutile.launch(1, hello, (np.zeros(1, np.float32),))
    assert isinstance(error.value.__cause__, BrokenPipeError)


def test_a_handler_of_a_program_does_not_end_launches():
    called = []
    before = signal.signal(signal.SIGINT, lambda *_: called.append(True))
    try:
        report = []

        class Interrupt(io.StringIO):
            def write(self, text):
                os.kill(os.getpid(), signal.SIGINT)
                return super().write(text)

        with contextlib.redirect_stdout(Interrupt()):
            report.append(cutile.launch(3, hello, (np.zeros(1, np.float32),)))
    finally:
        signal.signal(signal.SIGINT, before)
    assert called
    assert report[0].blocks == 3


def test_what_is_no_kernel_is_refused():
    with pytest.raises(TypeError, match=r"expected a ct\.kernel, got function"):
        cutile.launch(1, lambda: None, ())


def test_errors_show_the_source():
    with pytest.raises(LaunchError, match="x must be positive") as error:
        cutile.launch(1, checked, (np.array([1, 2, -3, 4], np.float32),))
    assert 'ct.assert_(tile > 0, "x must be positive")' in str(error.value)
    assert error.value.source_line.strip().startswith("ct.assert_")
    assert __file__ in error.value.location


def test_errors_of_the_compiler_are_those_of_cutile():
    @ct.kernel
    def wrong(x):
        ct.store(x, (0,), ct.load(x, (0,), (3,)))

    with pytest.raises(ct.TileError):
        cutile.launch(1, wrong, (np.ones(8, np.float32),))


def test_what_the_compiler_lets_pass():
    @ct.kernel
    def huge(x):
        ct.store(x, (0,), ct.load(x, (0,), (2**25,)))

    message = "kernel huge.* is not valid Tile IR.*a tile has at most 16777216 elements, found 33554432"
    with pytest.raises(PlanError, match=message) as error:
        cutile.launch(1, huge, (np.ones(8, np.float32),))
    assert error.value.kernel.startswith("huge")


def test_errors_name_the_argument():
    x, y = np.ones(8, np.float32), np.ones(8, np.float32)
    y.flags.writeable = False
    with pytest.raises(LaunchError, match=r"the buffer is that of argument 2: f32\[8\]"):
        cutile.launch(1, affine, (x, (2.0, 1.0), y))


@ct.kernel
def last_writer(x):
    ct.store(x, (0,), ct.full((1,), ct.bid(0), ct.int32))


def test_the_checker_finds_races():
    x = np.zeros(1, np.int32)
    assert cutile.launch(1, last_writer, (x,), check=True).blocks == 1
    with pytest.raises(tilewright.CheckError, match="1 finding") as caught:
        cutile.launch(3, last_writer, (x,), check=True)
    [finding] = caught.value.findings
    assert (finding.rule, finding.place["operation"], finding.place["memory"]["bytes"]) == ("data-race", "store_view_tko", 4)
    assert finding.place["block"] != finding.other["place"]["block"]
    assert __file__ in finding.location
    assert "ct.store(x" in str(finding)
    assert finding.place["memory"]["buffer"]["name"] == "argument 0"


def test_launches_are_checked_as_install_was_told(installed):
    x = np.zeros(1, np.int32)
    ct.launch(None, (3,), last_writer, (x,))
    cutile.install(check=True)
    with pytest.raises(tilewright.CheckError):
        ct.launch(None, (3,), last_writer, (x,))
    cutile.launch(3, last_writer, (x,), check=False)
    cutile.install()
    ct.launch(None, (3,), last_writer, (x,))


def test_prints(capsys):
    cutile.launch(3, hello, (np.zeros(1, np.float32),), threads=1)
    assert sorted(capsys.readouterr().out.splitlines()) == ["block 0", "block 1", "block 2"]
