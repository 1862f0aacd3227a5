"""Unmodified code that calls ``cuda.tile.launch``."""

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest

import tilewright

SCRIPT = """
    import sys
    import numpy as np
    import cuda.tile as ct
    from cuda.tile import launch

    @ct.kernel
    def double(x, y):
        i = ct.bid(0)
        ct.store(y, (i,), ct.load(x, (i,), (16,)) * 2)

    x, y = np.arange(64, dtype=np.float32), np.zeros(64, np.float32)
    launch(object(), (4,), double, (x, y))
    assert (y == 2 * x).all()
    y[:] = 0
    ct.launch(0, (4, 1, 1), double, (x, y), programmatic_dependent_launch=True)
    assert (y == 2 * x).all()
    print("done", *sys.argv[1:])
"""


@pytest.fixture
def script(tmp_path) -> Path:
    path = tmp_path / "script.py"
    path.write_text(textwrap.dedent(SCRIPT))
    return path


def run(*args, cwd=None):
    return subprocess.run([sys.executable, *args], capture_output=True, text=True, cwd=cwd, check=False)


def test_a_script_runs_unmodified(script):
    done = run("-m", "tilewright.cutile", "--threads", "1", script, "--flag", "value")
    assert (done.returncode, done.stdout) == (0, "done --flag value\n"), done.stderr


def test_a_module_runs_unmodified(script):
    done = run("-m", "tilewright.cutile", "-m", "script", "value", cwd=script.parent)
    assert (done.returncode, done.stdout) == (0, "done value\n"), done.stderr


PARENT = """
    import subprocess, sys
    done = subprocess.run([sys.executable, "script.py", "of a child"], text=True, capture_output=True)
    print(done.stdout + done.stderr, end="")
"""


def test_programs_that_a_script_starts(script):
    parent = script.parent / "parent.py"
    parent.write_text(textwrap.dedent(PARENT))
    done = run("-m", "tilewright.cutile", "--subprocesses", "--threads", "1", parent, cwd=script.parent)
    assert (done.returncode, done.stdout) == (0, "done of a child\n"), done.stderr
    done = run("-m", "tilewright.cutile", parent, cwd=script.parent)
    assert "done" not in done.stdout


PROCESSES = """
import multiprocessing, sys
import cuda.tile as ct
import numpy as np
from work import double

def launch(queue):
    from tilewright.cutile import _launch
    x = np.ones(16, np.float32)
    ct.launch(None, (1,), double, (x,))
    queue.put((float(x.sum()), _launch.asked_threads(), _launch.asked_check(), ct._cext.get_compute_capability()))

if __name__ == "__main__":
    context = multiprocessing.get_context(sys.argv[1])
    queue = context.Queue()
    process = context.Process(target=launch, args=(queue,))
    process.start()
    print(*queue.get(timeout=100))
    process.join()
"""


@pytest.mark.parametrize("method", ["spawn", "forkserver", "fork"])
def test_processes_of_multiprocessing(tmp_path, method):
    import multiprocessing

    if method not in multiprocessing.get_all_start_methods():
        pytest.skip(f"this system has no {method}")
    # A module beside the script is found in the new process too.
    (tmp_path / "work.py").write_text(
        "import cuda.tile as ct\n@ct.kernel\ndef double(x):\n    ct.store(x, (0,), ct.load(x, (0,), (16,)) * 2)\n"
    )
    (tmp_path / "script.py").write_text(PROCESSES)
    done = run("-m", "tilewright.cutile", "--threads", "1", "--check", "--arch", "sm_90", tmp_path / "script.py", method)
    assert done.stdout == "32.0 1 True (9, 0)\n", done.stderr


def test_programs_have_the_start_of_their_own(script, monkeypatch):
    """What an installation or a user has Python import at its start is imported still, by children of children too."""
    (script.parent / "sitecustomize.py").write_text("print('started')")
    monkeypatch.setenv("PYTHONPATH", str(script.parent), prepend=os.pathsep)
    parent = script.parent / "parent.py"
    parent.write_text(textwrap.dedent(PARENT).replace('"script.py", "of a child"', '"middle.py"'))
    (script.parent / "middle.py").write_text(textwrap.dedent(PARENT))
    done = run("-m", "tilewright.cutile", "--subprocesses", parent, cwd=script.parent)
    assert (done.returncode, done.stdout) == (0, "started\n" * 3 + "done of a child\n"), done.stderr


def test_install_changes_what_was_imported_before(script):
    code = f"""
import runpy, cuda.tile as ct
from cuda.tile import launch
import tilewright.cutile
tilewright.cutile.install()
assert launch is ct.launch and ct.launch.__module__.startswith("tilewright")
tilewright.cutile.install()
runpy.run_path({str(script)!r})
tilewright.cutile.uninstall()
assert not ct.launch.__module__.startswith("tilewright"), ct.launch.__module__
"""
    done = run("-c", code)
    assert (done.returncode, done.stdout) == (0, "done\n"), done.stderr


def test_the_target_can_be_chosen():
    code = """
import tilewright.cutile
tilewright.cutile.install("sm_90")
from cuda.tile._cext import get_compute_capability
print(*get_compute_capability())
"""
    done = run("-c", code)
    assert (done.returncode, done.stdout) == (0, "9 0\n"), done.stderr


F8_SCRIPT = """
    import sys
    import ml_dtypes
    import numpy as np
    import cuda.tile as ct
    import tilewright.cutile
    from cuda.tile._cext import get_compute_capability

    if len(sys.argv) > 1:
        tilewright.cutile.install(sys.argv[1])

    @ct.kernel
    def widen(x, y):
        ct.store(y, (0,), ct.load(x, (0,), (16,)).astype(ct.float32))

    tilewright.cutile.cache_info()
    x, y = np.ones(16, ml_dtypes.float8_e4m3fn), np.zeros(16, np.float32)
    try:
        ct.launch(None, (1,), widen, (x, y))
        print("ran", *get_compute_capability())
    except ct.TileUnsupportedFeatureError as error:
        print("refused", *get_compute_capability())
"""


def test_the_target_outlasts_the_first_launch(tmp_path):
    """Formats that a target lacks are refused for it, by each way to choose it."""
    script = tmp_path / "f8.py"
    script.write_text(textwrap.dedent(F8_SCRIPT))
    for arguments, expected in [
        ([script, "sm_80"], "refused 8 0\n"),
        ([script, "sm_100"], "ran 10 0\n"),
        (["-m", "tilewright.cutile", "--arch", "sm_80", script], "refused 8 0\n"),
        (["-m", "tilewright.cutile", script], "ran 10 0\n"),
    ]:
        done = run(*arguments)
        assert (done.returncode, done.stdout) == (0, expected), done.stderr


def test_a_target_that_comes_too_late_is_refused(script):
    code = f"""
import runpy, tilewright.cutile as c
c.install()
runpy.run_path({str(script)!r})
c.install("sm_100")
try:
    c.install("sm_80")
except RuntimeError as error:
    print(error)
from cuda.tile._cext import get_compute_capability
print(*get_compute_capability())
"""
    done = run("-c", code)
    message = "cuTile compiles for sm_100 in this process already: choose sm_80 before the first kernel is compiled"
    assert (done.returncode, done.stdout) == (0, f"done\n{message}\n10 0\n"), done.stderr


@pytest.mark.parametrize(
    ("missing", "arguments", "message"),
    [
        ("cuda", "", "need the package cuda-tile: pip install 'cuda-tile=="),
        ("torch", "torch_cuda=True", "needs the package torch: pip install torch"),
    ],
)
def test_what_is_not_installed_is_named(missing, arguments, message):
    code = f"import sys, tilewright.cutile; sys.modules[{missing!r}] = None; tilewright.cutile.install({arguments})"
    done = run("-c", code)
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith("ModuleNotFoundError: ") and message in done.stderr


def test_another_release_of_cutile_is_refused():
    code = "import tilewright.cutile as c; c.provide_driver(); import cuda.tile; cuda.tile.__version__ = '1.70.0'; c.install()"
    assert "version 1.70.0 of cuda-tile is installed, but this version of Tilewright works with 1.7" in run("-c", code).stderr


def test_options_that_cannot_be_met(script):
    done = run("-m", "tilewright.cutile", "--arch", "ampere", script)
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1] == "python -m tilewright.cutile: error: expected a target such as 'sm_100', got 'ampere'"


def test_a_script_that_is_not_there(tmp_path):
    for arguments, message in [
        (["missing.py"], "cannot read missing.py: No such file or directory"),
        (["-m", "missing"], "there is no module 'missing'"),
        (["-m", "missing.inner"], "there is no module 'missing.inner'"),
    ]:
        done = run("-m", "tilewright.cutile", *arguments, cwd=tmp_path)
        assert done.returncode == 2
        assert done.stderr.splitlines()[-1] == f"python -m tilewright.cutile: error: {message}"
        assert "Traceback" not in done.stderr


def test_numbers_of_the_environment(script, monkeypatch):
    for name in ("TILEWRIGHT_THREADS", "TILEWRIGHT_TUNE_LAUNCHES", "TILEWRIGHT_TUNE_LAUNCHES_PER_CONFIGURATION"):
        with monkeypatch.context() as patch:
            patch.setenv(name, "many")
            done = run("-m", "tilewright.cutile", script)
            assert f"the environment variable {name} must be a number of at least 1, not 'many'" in done.stderr


def scattered_times(monkeypatch):
    """Times that never agree, however many are taken; gives the list of what was launched."""
    from cuda.tile.tune import _tune

    launched = []

    def benchmark(_stream, _grid, _kernel, args, *_rest):
        launched.append(args[-1])
        return 1e3 if len(launched) % 2 else 1e6 / len(launched)

    monkeypatch.setattr(_tune, "_benchmark", benchmark)
    return launched


def search(configurations, **options):
    import cuda.tile as ct

    @ct.kernel
    def nothing(n: ct.Constant[int]):
        pass

    return ct.tune.exhaustive_search(range(configurations), None, lambda _: (1,), nothing, lambda n: (n,), quiet=True, **options)


@pytest.mark.parametrize(("configurations", "each"), [(1, 40), (3, 40), (10, 40), (20, 20), (60, 8)])
def test_tuning_launches_so_often_at_most(installed, monkeypatch, configurations, each):
    launched = scattered_times(monkeypatch)
    found = search(configurations)
    counts = [launched.count(configuration) for configuration in range(configurations)]
    assert max(counts) <= each and min(counts) >= 8
    assert len(launched) <= max(400, 8 * configurations)
    assert len(found.successes) == configurations
    # Nothing agrees, so a search of few uses all that it may.
    assert configurations > 5 or counts == [each] * configurations


def test_the_launches_of_tuning_can_be_chosen(installed, monkeypatch):
    from cuda.tile.tune import _tune

    from tilewright.cutile import _launch

    monkeypatch.setattr(_launch, "_tuning_launches", _launch.TuningLaunches())
    launched = scattered_times(monkeypatch)
    installed.set_tuning_launches(per_configuration=100)
    search(2)
    assert len(launched) == 200
    launched.clear()
    installed.set_tuning_launches(total=30)
    search(2)
    assert len(launched) == 30
    assert _tune._MAX_REPEATS == 1000
    with pytest.raises(ValueError, match="total must be at least 1, got 0"):
        installed.set_tuning_launches(total=0)


def test_tuning_measures_the_cpu(installed, capsys):
    import cuda.tile as ct

    @ct.kernel
    def double(x, y, n: ct.Constant[int]):
        i = ct.bid(0)
        ct.store(y, (i,), ct.load(x, (i,), (n,)) * 2)

    x, y = np.arange(4096, dtype=np.float32), np.zeros(4096, np.float32)
    found = ct.tune.exhaustive_search([64, 512], None, lambda n: (4096 // n,), double, lambda n: (x, y, n), lambda n: {"occupancy": 2})
    assert found.best.config in (64, 512)
    assert len(found.successes) == 2
    assert found.best.mean_us > 0
    assert (y == 2 * x).all()
    assert "2 succeeded, 0 failed" in capsys.readouterr().out


def test_tuning_stops_what_takes_too_long(installed):
    import cuda.tile as ct

    @ct.kernel
    def wait(flags, n: ct.Constant[int]):
        while ct.atomic_or(flags, (0,), 0).item() < n:
            pass

    # The flag never gets there, however fast the machine.
    flags = np.ones(1, np.int32)
    with pytest.raises(
        ValueError, match=r"(?s)No valid config.*TileLaunchTimeoutError: .*exceeded timeout 0.5 sec: kernel wait_.*was stopped"
    ):
        ct.tune.exhaustive_search([2], None, lambda n: (1,), wait, lambda n: (flags, n), single_run_timeout_sec=0.5, quiet=True)


def test_kernels_are_exported_for_arrays_of_this_machine(installed, tmp_path):
    import cuda.tile as ct
    from cuda.tile.compilation import CallingConvention, KernelSignature, export_kernel

    @ct.kernel
    def double(x, y, n: ct.Constant[int]):
        i = ct.bid(0)
        ct.store(y, (i,), ct.load(x, (i,), (n,)) * 2)

    x, y = np.arange(64, dtype=np.float32), np.zeros(64, np.float32)
    for convention in (CallingConvention.cutile_python_v1(), CallingConvention.cutile_python_v2()):
        signature = KernelSignature.from_kernel_args(double, (x, y, 16), convention)
        assert [str(constraint.dtype) for constraint in signature.parameters[:2]] == ["float32", "float32"]
        path = tmp_path / "double.tilebc"
        export_kernel(double, [signature], path, gpu_code="sm_100", output_format="tileir_bytecode")
        assert list(tilewright.load(path)) == [signature.symbol]
    installed.uninstall()
    with pytest.raises((TypeError, ValueError, RuntimeError)):
        KernelSignature.from_kernel_args(double, (x, y, 16), CallingConvention.cutile_python_v2())
