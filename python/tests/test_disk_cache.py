"""Compiled kernels on disk."""

import hashlib
import importlib.metadata
import importlib.util
import json
import os
import subprocess
import sys
import textwrap
from types import SimpleNamespace

import cuda.tile as ct
import numpy as np
import pytest
from cuda.tile._cext import default_tile_context
from cuda.tile.compilation import CallingConvention, KernelSignature

from tilewright import cutile
from tilewright.cutile import _compile, _fingerprint
from tilewright.cutile._disk_cache import DiskCache
from tilewright.cutile._fingerprint import Unknown, fingerprint

SOURCE = """
    import contextlib
    import enum
    import math
    import cuda.tile as ct
    import sizes

    FACTOR = 3
    UNUSED = 1

    class Mode(enum.Enum):
        DOUBLE = 2
        TRIPLE = 3

    def scaled(tile, by=1):
        return tile * (FACTOR + by)

    def half(n):
        return math.ceil(n / 2)

    @contextlib.contextmanager
    def region(tile):
        yield tile + 1

    @ct.kernel
    def kernel(x, y, n: ct.Constant[int]):
        tile = ct.load(x, (ct.bid(0),), (sizes.TILE,))
        for i in ct.static_iter(range(half(n))):
            tile = tile + i
        with region(tile) as more:
            tile = scaled(more)
        if ct.static_eval(Mode.DOUBLE.value == 2):
            tile = tile * 2
        ct.store(y, (ct.bid(0),), tile)
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    folder = tmp_path / "cache"
    monkeypatch.setenv("TILEWRIGHT_CACHE_DIR", str(folder))
    return folder


@pytest.fixture
def counted():
    """The counts of the cache since the test began."""
    before = cutile.cache_info()

    def since():
        now = cutile.cache_info()
        return now.hits - before.hits, now.misses - before.misses, now.uncached - before.uncached

    return since


@pytest.fixture
def load_module(tmp_path, monkeypatch):
    """Import a file with this source, as a new process would."""
    monkeypatch.setitem(sys.modules, "sizes", SimpleNamespace())

    def load(source, **sizes):
        path = tmp_path / "kernels.py"
        path.write_text(textwrap.dedent(source))
        spec = importlib.util.spec_from_file_location("kernels", path)
        module = importlib.util.module_from_spec(spec)
        sys.modules["sizes"] = importlib.util.module_from_spec(importlib.util.spec_from_loader("sizes", None))
        vars(sys.modules["sizes"]).update({"TILE": 16, **sizes})
        spec.loader.exec_module(module)
        return module

    return load


def signature(kernel, *args):
    cutile.provide_driver()
    convention = CallingConvention.cutile_python_v2()
    return KernelSignature(_compile.parameter_constraints(kernel, args, convention), convention).with_mangled_symbol("kernel")


def key(kernel, n=4, *options):
    x = np.zeros(64, np.float32)
    return fingerprint(kernel, signature(kernel, x, x, n), *options)


def run_kernel(kernel, n=4):
    x, y = np.arange(64, dtype=np.float32), np.zeros(64, np.float32)
    cutile.launch(4, kernel, (x, y, n))
    return y


def entries(folder):
    return [path for path in folder.rglob("*") if path.is_file()]


def test_another_process_compiles_nothing(folder, tmp_path):
    (tmp_path / "sizes.py").write_text("TILE = 16")
    script = tmp_path / "kernels.py"
    use = """
    import sys
    import numpy as np
    import tilewright.cutile as cutile
    x, y = np.arange(64, dtype=np.float32), np.zeros(64, np.float32)
    cutile.launch(4, kernel, (x, y, 4))
    print(y.sum(), *cutile.cache_info()[:3])
    """
    script.write_text(textwrap.dedent(SOURCE) + textwrap.dedent(use))

    def start():
        return subprocess.Popen([sys.executable, script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def output(process):
        stdout, stderr = process.communicate()
        assert process.returncode == 0, stderr
        return stdout.split()

    # Processes that begin together may compile the same kernel, but do not disturb each other.
    together = [output(process) for process in [start() for _ in range(3)]]
    assert {found[0] for found in together} == {"17152.0"}
    assert all(found[1:] in (["0", "1", "0"], ["1", "0", "0"]) for found in together)
    assert output(start()) == ["17152.0", "1", "0", "0"]
    assert len(entries(folder)) == 1


def test_what_another_signature_needs_is_another_entry(folder, counted, load_module):
    module = load_module(SOURCE)
    for kernel in (module.kernel, module.kernel.replace_hints()):
        for n in (4, 6):
            assert (run_kernel(kernel, n) == (np.arange(64) + sum(range(n // 2)) + 1) * 8).all()
    assert counted() == (2, 2, 0)
    assert len(entries(folder)) == 2


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("tile = tile * 2", "tile = tile * 4"),
        ("(FACTOR + by)", "(FACTOR - by)"),
        ("by=1", "by=2"),
        ("FACTOR = 3", "FACTOR = 3.0"),
        ("DOUBLE = 2", "DOUBLE = 4"),
        ("ceil(n / 2)", "floor(n / 2)"),
        ("yield tile + 1", "yield tile + 2"),
        ("UNUSED = 1", "UNUSED = 1\n"),
        ("@ct.kernel", "@ct.kernel(occupancy=2)"),
        ("@ct.kernel", "@ct.kernel(num_ctas=ct.ByTarget(sm_100=2))"),
    ],
)
def test_what_makes_a_difference_is_in_the_key(load_module, before, after):
    assert before in SOURCE
    assert key(load_module(SOURCE.replace(before, after)).kernel) != key(load_module(SOURCE).kernel)


def test_what_makes_no_difference_is_not_in_the_key(load_module):
    first = key(load_module(SOURCE).kernel)
    assert first == key(load_module(SOURCE).kernel)
    assert first == key(load_module(SOURCE.replace("UNUSED = 1", "UNUSED = 2") + "\n    x = 1\n", MORE=1).kernel)


def test_surroundings_are_in_the_key(load_module, monkeypatch, tmp_path):
    kernel = load_module(SOURCE).kernel
    keys = [key(kernel), key(kernel, 6), key(kernel, 4, "sm_90"), key(load_module(SOURCE, TILE=32).kernel)]
    monkeypatch.setattr(importlib.metadata, "version", lambda _: "1.7.99")
    _fingerprint._toolchain.cache_clear()
    keys.append(key(kernel))
    _fingerprint._toolchain.cache_clear()
    monkeypatch.undo()
    assert len(set(keys)) == len(keys)


def test_files_of_cutile_are_in_the_key(monkeypatch, tmp_path):
    file = tmp_path / "ops.py"
    file.write_text("1")
    monkeypatch.setattr(ct, "__file__", str(tmp_path / "__init__.py"))
    found = []
    for text in ("1", "22"):
        file.write_text(text)
        _fingerprint._toolchain.cache_clear()
        found.append(_fingerprint._toolchain())
    _fingerprint._toolchain.cache_clear()
    assert found[0] != found[1]


BOX = SimpleNamespace(value=2)
NUMPY = np


def from_environment():
    return len(os.environ)


def imports():
    import time

    return int(time.time() * 0) + 2


def looks_inside():
    return len.__name__


@pytest.mark.parametrize(
    ("expression", "reason"),
    [
        ("BOX.value", "SimpleNamespace"),
        ("from_environment() * 0 + 2", "_Environ"),
        ("imports()", "import"),
        ("len(looks_inside()) - 1", "__name__"),
        ("vars(BOX)['value']", "vars"),
        ("[NUMPY][0].int32(2)", "numpy"),
    ],
)
def test_what_no_key_can_tell_is_compiled_each_time(folder, counted, load_module, expression, reason):
    source = f"""
    import cuda.tile as ct

    @ct.kernel
    def kernel(x, y, n: ct.Constant[int]):
        by = ct.static_eval(int({expression}))
        ct.store(y, (ct.bid(0),), ct.load(x, (ct.bid(0),), (16,)) * by)
    """
    module = load_module(source)
    names = ("BOX", "NUMPY", "from_environment", "imports", "looks_inside")
    vars(module).update({name: globals()[name] for name in names})
    with pytest.raises(Unknown, match=reason):
        key(module.kernel)
    for kernel in (module.kernel, module.kernel.replace_hints()):
        assert (run_kernel(kernel) == 2 * np.arange(64)).all()
    assert counted() == (0, 0, 2)
    assert not folder.exists()


def test_code_that_changes_what_it_depends_on_is_not_kept(folder, load_module):
    source = """
    import cuda.tile as ct

    counter = [1]

    def count():
        counter[0] += 1
        return counter[0]

    @ct.kernel
    def kernel(x, y, n: ct.Constant[int]):
        by = ct.static_eval(count())
        ct.store(y, (ct.bid(0),), ct.load(x, (ct.bid(0),), (16,)) * by)
    """
    assert (run_kernel(load_module(source).kernel) == 2 * np.arange(64)).all()
    assert not folder.exists()


def damaged(data):
    header, code = data.split(b"\n", 1)
    other = code[:-1] + bytes([code[-1] ^ 1])
    yield b""
    yield data[:-1]
    yield data + b"\0"
    yield header + b"\n" + other
    yield bytes(1000)
    # What a program other than this one may have written, sum and all.
    for code in (b"TileIR", other[:40], b"entry @other() { return }"):
        renewed = {**json.loads(header), "length": len(code), "sha256": hashlib.sha256(code).hexdigest()}
        yield json.dumps(renewed).encode() + b"\n" + code


def test_damaged_entries_are_replaced(folder, counted, load_module):
    kernel = load_module(SOURCE).kernel
    expected = run_kernel(kernel)
    [entry] = entries(folder)
    data = entry.read_bytes()
    for count, content in enumerate(damaged(data), start=2):
        entry.write_bytes(content)
        assert (run_kernel(kernel.replace_hints()) == expected).all()
        assert entry.read_bytes() == data
        assert counted() == (0, count, 0)


def test_there_may_be_no_folder(counted, load_module, monkeypatch, tmp_path):
    kernel = load_module(SOURCE).kernel
    monkeypatch.setenv("TILEWRIGHT_CACHE_DIR", "")
    run_kernel(kernel)
    assert counted() == (0, 0, 1)
    assert cutile.cache_info().folder is None
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("TILEWRIGHT_CACHE_DIR", str(tmp_path / "file" / "folder"))
    run_kernel(kernel.replace_hints())
    assert counted() == (0, 1, 1)


def test_the_folder_is_that_of_the_user(monkeypatch):
    monkeypatch.delenv("TILEWRIGHT_CACHE_DIR")
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("XDG_CACHE_HOME", "/some/cache")
    assert cutile.cache_info().folder == "/some/cache/tilewright"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", "/home/someone")
    assert cutile.cache_info().folder == "/home/someone/.cache/tilewright"


def test_a_compiler_that_shows_its_work_has_to_do_it(folder, counted, load_module, monkeypatch, capsys):
    kernel = load_module(SOURCE).kernel
    run_kernel(kernel)
    monkeypatch.setattr(default_tile_context.config, "log_cutile_ir", True)
    run_kernel(kernel.replace_hints())
    assert counted() == (0, 1, 1)
    assert "CuTile IR" in capsys.readouterr().err


def test_entries_that_are_not_used_go(tmp_path):
    cache = DiskCache(tmp_path, 256 * 1000)
    keys = [f"00{number}" for number in range(4)]
    for age, name in enumerate(keys[:3]):
        cache.store(name, bytes(150))
        os.utime(tmp_path / "00" / name, (1000 + age, 1000 + age))
    assert cache.load(keys[0]) == bytes(150)
    cache.store(keys[3], bytes(150))
    assert [cache.load(name) is not None for name in keys] == [True, False, True, True]
    cache.store("00large", bytes(2000))
    assert cache.load("00large") is None
    assert cache.load("01") is None


def test_the_size_is_a_number(monkeypatch):
    monkeypatch.setenv("TILEWRIGHT_CACHE_SIZE", "much")
    with pytest.raises(ValueError, match="TILEWRIGHT_CACHE_SIZE must be a number of bytes, not 'much'"):
        cutile.cache_info()
