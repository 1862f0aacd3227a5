"""Launches of kernels with flat arguments."""

import array
import math
import os
import sys
import threading

import numpy as np
import pytest

import tilewright
from tilewright import spread

ADD_ONE = """
entry @add_one(%x: tile<ptr<{element}>>) {{
  %i = iota : tile<4xi32>
  %shaped = reshape %x : tile<ptr<{element}>> -> tile<1xptr<{element}>>
  %base = broadcast %shaped : tile<1xptr<{element}>> -> tile<4xptr<{element}>>
  %p = offset %base, %i : tile<4xptr<{element}>>, tile<4xi32> -> tile<4xptr<{element}>>
  %v, %t = load_ptr_tko weak %p : tile<4xptr<{element}>> -> tile<4x{element}>, token
  %one = constant <{element}: {one}> : tile<4x{element}>
  %sum = {add} %v, %one : tile<4x{element}>
  %t2 = store_ptr_tko weak %p, %sum : tile<4xptr<{element}>>, tile<4x{element}> -> token
  return
}}
"""


def add_one(element, one="1.0", add="addf"):
    return tilewright.load(ADD_ONE.format(element=element, one=one, add=add).encode())["add_one"]


def test_arrays_are_changed_in_place(saxpy):
    x, y = np.ones(1000, np.float32), np.full(1000, 0.5, np.float32)
    report = saxpy["saxpy"].launch(4, 2.0, *spread(x), *spread(y), threads=2)
    assert (y == 2.5).all()
    assert (x == 1).all()
    assert (report.blocks, report.threads) == (4, 2)
    assert report.seconds > 0


@pytest.mark.parametrize(
    ("element", "dtype", "one", "add"),
    [
        ("f16", np.float16, "1.0", "addf"),
        ("f32", np.float32, "1.0", "addf"),
        ("f64", np.float64, "1.0", "addf"),
        ("i8", np.int8, "1", "addi"),
        ("i16", np.uint16, "1", "addi"),
        ("i32", np.int32, "1", "addi"),
        ("i64", np.uint64, "1", "addi"),
    ],
)
def test_element_types(element, dtype, one, add):
    x = np.arange(6).astype(dtype)
    add_one(element, one, add).launch(1, x)
    assert x.tolist() == [1, 2, 3, 4, 4, 5]


def test_formats_that_numpy_lacks():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    x = np.arange(4).astype(ml_dtypes.bfloat16)
    add_one("bf16").launch(1, x)
    assert x.astype(np.float32).tolist() == [1, 2, 3, 4]
    bits = np.array([0x3F80] * 4, np.uint16)
    add_one("bf16").launch(1, bits)
    assert bits.tolist() == [0x4000] * 4


def test_any_buffer_is_an_array():
    kernel = add_one("i32", "1", "addi")
    for buffer in (array.array("i", [1, 2, 3, 4]), memoryview(bytearray(16)).cast("i")):
        before = list(buffer)
        kernel.launch(1, buffer)
        assert list(buffer) == [value + 1 for value in before]
    table = (4 * bytearray(4),)[0]
    with pytest.raises(TypeError, match="argument 0: expected an array of i32, got one of u8"):
        kernel.launch(1, table)


class OnlyDlpack:
    """An array that offers nothing but DLPack."""

    def __init__(self, array):
        self._array = array

    def __dlpack__(self, **keywords):
        return self._array.__dlpack__(**keywords)

    def __dlpack_device__(self):
        return self._array.__dlpack_device__()


def test_dlpack():
    kernel = add_one("f32")
    x = np.zeros((2, 4), np.float32)
    kernel.launch(1, OnlyDlpack(x[1]))
    assert x.tolist() == [[0] * 4, [1] * 4]
    assert spread(OnlyDlpack(x.T))[1:] == (4, 2, 1, 4)


def test_arrays_of_jax_are_not_written():
    jax = pytest.importorskip("jax")
    x = jax.numpy.zeros(4, jax.numpy.bfloat16)
    with pytest.raises(tilewright.LaunchError, match="the buffer is read-only"):
        add_one("bf16").launch(1, x)
    assert x.tolist() == [0] * 4


def test_a_view_is_where_it_lies():
    kernel = add_one("i32", "1", "addi")
    whole = np.zeros(12, np.int32)
    kernel.launch(1, whole[3:8])
    assert whole.tolist() == [0, 0, 0, 1, 1, 1, 1, 0, 0, 0, 0, 0]
    # The address of an array is that of its first element, also where its last one lies below.
    with pytest.raises(tilewright.LaunchError, match="outside of every buffer"):
        kernel.launch(1, whole[::-1])


def test_an_access_outside_of_the_arrays_stops_the_launch(saxpy):
    x, y = np.ones(1000, np.float32), np.zeros(900, np.float32)
    with pytest.raises(tilewright.LaunchError, match="outside of every buffer") as error:
        saxpy["saxpy"].launch(4, 2.0, *spread(x), y, 1000, 1)
    assert error.value.kernel == "saxpy"
    assert error.value.block == (3, 0, 0)
    assert error.value.operation == "load_view_tko"
    assert error.value.location.endswith("kernels.py:19:9")
    assert "the buffer is that of argument 4: f32[900]" in str(error.value)


def test_read_only_arrays_are_not_written(saxpy):
    x, y = np.ones(1000, np.float32), np.zeros(1000, np.float32)
    x.flags.writeable = False
    saxpy["saxpy"].launch(4, 2.0, *spread(x), *spread(y))
    assert (y == 2).all()
    with pytest.raises(tilewright.LaunchError, match="the buffer is read-only"):
        saxpy["saxpy"].launch(4, 2.0, *spread(y), *spread(x))
    assert (x == 1).all()
    with pytest.raises(tilewright.LaunchError, match=r"the buffer is that of argument 4: f32\[900\]"):
        saxpy["saxpy"].launch(4, 2.0, *spread(y[:900]), *spread(x[:900]))


def test_arrays_that_overlap_share_their_bytes(saxpy):
    whole = np.arange(1000, dtype=np.float32)
    expected = 2 * whole + whole
    saxpy["saxpy"].launch(4, 2.0, *spread(whole), *spread(whole))
    assert (whole == expected).all()
    # A broadcast array is read-only, what it shows is not.
    row = np.arange(1000, dtype=np.float32)
    saxpy["saxpy"].launch(4, 1.0, *spread(np.broadcast_to(row, (1, 1000))[0]), *spread(row))
    assert (row == 2 * np.arange(1000)).all()


def test_arrays_without_elements(saxpy):
    empty = np.zeros(0, np.float32)
    saxpy["saxpy"].launch(1, 2.0, empty, 0, 1, empty, 0, 1)


def test_strides_are_counted_in_elements():
    assert spread(np.zeros((4, 6), np.float32)[:, ::2])[1:] == (4, 3, 6, 2)
    assert spread(np.zeros((3, 4), np.float64).T)[1:] == (4, 3, 1, 4)
    assert spread(np.zeros(5, np.int16)[::-1])[1:] == (5, -1)
    record = np.zeros(3, np.dtype([("a", "<i2"), ("b", "<f4")]))["b"]
    with pytest.raises(ValueError, match="stride of 6 bytes"):
        spread(record)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("two", "argument 0: expected a number for f32, got str"),
        (None, "argument 0: expected a number for f32, got NoneType"),
    ],
)
def test_wrong_numbers(saxpy, value, message):
    x = np.ones(8, np.float32)
    with pytest.raises(TypeError, match=message):
        saxpy["saxpy"].launch(1, value, *spread(x), *spread(x))


SCALARS = {
    "i8": (-128, 127, 256),
    "i32": (-(2**31), 2**31 - 1, 2**31),
    "i64": (-(2**63), 2**63 - 1, 2**63),
}


def store_scalar(ty, value):
    """What a kernel finds in a scalar of this type."""
    import ml_dtypes

    dtypes = {"bf16": ml_dtypes.bfloat16} | {f"f{n}": np.dtype(f"f{n // 8}") for n in (16, 32, 64)}
    dtypes |= {f"i{n}": np.dtype(f"i{n // 8}") for n in (8, 16, 32, 64)}
    text = f"""entry @k(%p: tile<ptr<{ty}>>, %x: tile<{ty}>) {{
      %t = store_ptr_tko weak %p, %x : tile<ptr<{ty}>>, tile<{ty}> -> token
    }}"""
    out = np.zeros(1, dtypes[ty])
    tilewright.load(text.encode())["k"].launch(1, out, value)
    return out[0]


@pytest.mark.parametrize(("ty", "range_"), SCALARS.items())
def test_integers_of_the_ends_of_a_range(ty, range_):
    least, most, too_large = range_
    assert store_scalar(ty, least) == least
    assert store_scalar(ty, most) == most
    for value in (too_large, least - 1, 2**64, -(2**70)):
        with pytest.raises(OverflowError, match=f"^argument 1: {value} does not fit {ty}$"):
            store_scalar(ty, value)
    with pytest.raises(OverflowError, match=f"^argument 1: an integer of 33220 bits does not fit {ty}$"):
        store_scalar(ty, 10**10000)


def test_unsigned_integers_of_numpy_give_their_bits():
    assert store_scalar("i32", np.uint32(2**32 - 1)) == -1
    assert store_scalar("i64", np.uint64(2**63)) == -(2**63)
    assert store_scalar("i32", np.int64(-5)) == -5
    with pytest.raises(OverflowError, match="argument 1: 256 does not fit i8"):
        store_scalar("i8", np.uint32(256))


@pytest.mark.parametrize(("ty", "value"), [("f16", 1e6), ("f16", -65520.0), ("f32", 1e300), ("bf16", 1e39), ("f32", 10**400)])
def test_floats_that_do_not_fit(ty, value):
    with pytest.raises(OverflowError, match=f"^argument 1: .* does not fit {ty}$"):
        store_scalar(ty, value)


def test_floats_that_fit():
    assert store_scalar("f16", 65504.0) == 65504
    assert store_scalar("f32", 3.4028235e38) == np.finfo(np.float32).max
    assert store_scalar("f32", 1e-300) == 0
    assert store_scalar("f64", 1e300) == 1e300
    for ty in ("f16", "bf16", "f32", "f64"):
        assert store_scalar(ty, -np.inf) == -np.inf
        assert np.isnan(np.float64(store_scalar(ty, np.nan)))
    assert store_scalar("f32", 7) == 7


class FromJax:
    """An array as JAX gives it: read-only, by DLPack."""

    def __init__(self, array):
        self._array = array
        self._array.flags.writeable = False

    def __dlpack__(self, **keywords):
        return self._array.__dlpack__(**keywords)

    def __dlpack_device__(self):
        return self._array.__dlpack_device__()


FromJax.__module__ = "jaxlib._jax"


def test_arrays_of_jax_are_immutable(saxpy):
    ones = np.ones(8, np.float32)
    x, y = FromJax(np.ones(8, np.float32)), np.ones(8, np.float32)
    saxpy["saxpy"].launch(1, 2.0, *spread(x), *spread(y))
    assert (y == 3).all()
    with pytest.raises(tilewright.LaunchError, match=r"argument 4: f32\[8\]; arrays of JAX are immutable: .* numpy\.array\(x\)"):
        saxpy["saxpy"].launch(1, 2.0, *spread(ones), *spread(x))
    y.flags.writeable = False
    with pytest.raises(tilewright.LaunchError) as error:
        saxpy["saxpy"].launch(1, 2.0, *spread(ones), *spread(y))
    assert "JAX" not in str(error.value)


def test_wrong_arguments(saxpy):
    kernel = saxpy["saxpy"]
    x = np.ones(8, np.float32)
    with pytest.raises(TypeError, match="kernel saxpy has 7 parameters, got 1 arguments"):
        kernel.launch(1, x)
    with pytest.raises(TypeError, match="argument 1: expected an array of f32, got one of f64"):
        kernel.launch(1, 2.0, *spread(x.astype(np.float64)), *spread(x))
    with pytest.raises(TypeError, match="argument 1: expected an array of f32, got int"):
        kernel.launch(1, 2.0, 5, 8, 1, *spread(x))
    with pytest.raises(OverflowError, match="argument 2: 4294967296 does not fit i32"):
        kernel.launch(1, 2.0, x, 2**32, 1, *spread(x))
    with pytest.raises(TypeError, match="big-endian"):
        kernel.launch(1, 2.0, *spread(x.astype(">f4")), *spread(x))
    with pytest.raises(TypeError, match="arrays of complex64 elements"):
        spread(x.astype(np.complex64))
    for grid in [(1, 1, 1, 1), (-1,), 2**40]:
        with pytest.raises(ValueError, match="Grid"):
            kernel.launch(grid, 2.0, *spread(x), *spread(x))
    with pytest.raises(TypeError, match="Grid"):
        kernel.launch("8", 2.0, *spread(x), *spread(x))
    with pytest.raises(ValueError, match="the number of threads must be at least 1, got 0"):
        kernel.launch(1, 2.0, *spread(x), *spread(x), threads=0)
    with pytest.raises(tilewright.LaunchError, match="extents from 1"):
        kernel.launch(0, 2.0, *spread(x), *spread(x))


def test_launches_are_checked(saxpy):
    # Buffers are numbered in the order of their addresses.
    whole = np.ones(64, np.float32)
    x, y = whole[:8], whole[32:40]
    assert saxpy["saxpy"].launch(1, 2.0, *spread(x), *spread(y), check=True).threads == 1
    assert (y == 3).all()
    # The kernel is told of more elements than there are.
    with pytest.raises(tilewright.CheckError) as caught:
        saxpy["saxpy"].launch(1, 2.0, *spread(x), y, 16, 1, check=True)
    rules = [finding.rule for finding in caught.value.findings]
    assert rules == ["view-exceeds-memory", "out-of-bounds", "out-of-bounds"]
    assert caught.value.operation == "make_tensor_view"
    assert caught.value.findings[1].place["memory"]["buffer"] == {"name": "argument 4", "number": 1, "offset": 32, "size": 32}


def test_other_threads_go_on(saxpy):
    """A launch releases the interpreter's lock: launches of two threads on arrays of their own do not disturb each other."""
    arrays = [np.zeros(1 << 16, np.float32) for _ in range(4)]
    ones = np.ones(1 << 16, np.float32)

    def work(y):
        for _ in range(10):
            saxpy["saxpy"].launch(256, 1.0, *spread(ones), *spread(y))

    threads = [threading.Thread(target=work, args=(y,)) for y in arrays]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all((y == 10).all() for y in arrays)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are not forked here")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_process_launches(saxpy):
    def launches():
        x, y = np.ones(1000, np.float32), np.full(1000, 0.5, np.float32)
        saxpy["saxpy"].launch(4, 2.0, *spread(x), *spread(y), threads=4)
        return (y == 2.5).all()

    assert launches()
    # The threads of the first launch are not in the child.
    child = os.fork()
    if child == 0:
        try:
            os._exit(0 if launches() else 1)
        finally:
            os._exit(2)
    assert os.waitpid(child, 0)[1] == 0
    assert launches()


def test_prints_go_to_sys_stdout(examples, capsys):
    module = tilewright.load(examples / "relay.tilebc")
    state, lock = np.zeros(5, np.int32), np.zeros(1, np.int32)
    module["relay"].launch(5, *spread(state), *spread(lock), threads=1)
    assert len(capsys.readouterr().out.splitlines()) == 5


def test_no_stdout_takes_no_prints(examples, monkeypatch):
    """As in a program without a console."""
    module = tilewright.load(examples / "relay.tilebc")
    state, lock = np.zeros(5, np.int32), np.zeros(1, np.int32)
    monkeypatch.setattr(sys, "stdout", None)
    assert module["relay"].launch(5, *spread(state), *spread(lock), threads=1).blocks == 5


@pytest.mark.parametrize("wrong", ["abc", "0", "-1", "1.5", " 2"])
def test_the_number_of_threads_of_the_environment(examples, monkeypatch, wrong):
    kernel = tilewright.load(examples / "relay.tilebc")["relay"]
    arguments = (*spread(np.zeros(5, np.int32)), *spread(np.zeros(1, np.int32)))
    monkeypatch.setenv("TILEWRIGHT_THREADS", wrong)
    with pytest.raises(ValueError, match=f"the environment variable TILEWRIGHT_THREADS must be a number of at least 1, not '{wrong}'"):
        kernel.launch(5, *arguments)
    assert kernel.launch(5, *arguments, threads=1).threads == 1
    # More than can be had are as many as can be had.
    monkeypatch.setenv("TILEWRIGHT_THREADS", "9" * 40)
    assert 1 <= kernel.launch(5, *arguments).threads <= 5
    monkeypatch.setenv("TILEWRIGHT_THREADS", "1")
    assert kernel.launch(5, *arguments).threads == 1


def test_launches_have_limits(examples, capsys):
    def launch(**limits):
        kernel = tilewright.load(examples / "relay.tilebc")["relay"]
        return kernel.launch(5, *spread(np.zeros(5, np.int32)), *spread(np.zeros(1, np.int32)), **limits)

    assert launch(timeout=math.inf, max_memory=1 << 30, max_output=1 << 20).blocks == 5
    capsys.readouterr()
    with pytest.raises(TimeoutError, match=r"kernel relay: did not end in 0 s, its limit of time \(timeout=\), and was stopped"):
        launch(timeout=0)
    capsys.readouterr()
    with pytest.raises(tilewright.LaunchError, match=r"printed more than 7 bytes, its limit of output \(max_output=\)"):
        launch(max_output=7)
    assert len(capsys.readouterr().out) == 7
    with pytest.raises(
        tilewright.LaunchError, match=r"needs .* bytes, but has taken .* of the 10 bytes that are its limit of memory \(max_memory=\)"
    ):
        launch(max_memory=10)
    for wrong in [-1, -math.inf, math.nan]:
        with pytest.raises(ValueError, match=f"timeout must be a number of seconds that is not negative, or None, got {wrong}"):
            launch(timeout=wrong)
    with pytest.raises(ValueError, match="the number of threads must be at least 1, got 0"):
        launch(threads=0)
    assert launch(threads=10_000).threads <= 5
