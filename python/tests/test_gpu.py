"""``install(device="cuda")``, with the driver of tilewright-ptx-driver in the place of NVIDIA's: its GPU is the PTX machine.

PTX_DRIVER_LIBRARY names its library, as .ci/python does.
"""

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

pytest.importorskip("tilewright.cutile")
LIBRARY = os.environ.get("PTX_DRIVER_LIBRARY")
pytestmark = pytest.mark.skipif(LIBRARY is None, reason="PTX_DRIVER_LIBRARY names no library")

START = """
    import numpy as np
    import pytest
    import tilewright.cutile
    tilewright.cutile.install(device="cuda")
    import cuda.tile as ct
    from gpu_arrays import Driver

    driver = Driver()

    @ct.kernel
    def double(x, y):
        i = ct.bid(0)
        ct.store(y, (i,), ct.load(x, (i,), (16,)) * 2)
"""


def run(tmp_path, program, **variables):
    """What a program prints."""
    log = tmp_path / "driver.log"
    script = tmp_path / "program.py"
    script.write_text(textwrap.dedent(START) + textwrap.dedent(program))
    folders = [str(Path(__file__).parent / "programs"), os.environ.get("PYTHONPATH", "")]
    ours = {"TILEWRIGHT_CUDA_DRIVER": LIBRARY, "PTX_DRIVER_LOG": str(log), "PYTHONPATH": os.pathsep.join(folders)}
    environment = {**os.environ, **ours, **variables}
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, done.stderr
    lines = log.read_text().splitlines() if log.exists() else []
    assert not [line for line in lines if line.startswith("found: ")]
    return done.stdout, [line for line in lines if line.startswith("launch ")]


def test_launches_are_on_the_callers_stream(tmp_path):
    printed, launches = run(
        tmp_path,
        """
        x, y = driver.array(np.arange(64, dtype=np.float32)), driver.array(np.zeros(64, np.float32))
        stream = driver.stream()
        ct.launch(stream, (4,), double, (x, y))
        print("begun", (y.get() == 0).all())
        stream.synchronize()
        print("done", (y.get() == 2 * x.get()).all())
        # The default stream, by its number.
        ct.launch(0, (4, 1, 1), double, (y, x))
        print("again", (x.get() == 2 * y.get()).all())
        print("nothing", ct.launch(0, (0,), double, (y, x)))
        print("stream", stream.cuda_stream)
        """,
    )
    assert printed.splitlines()[:4] == ["begun True", "done True", "again True", "nothing None"]
    handle = printed.split()[-1]
    assert [line.split(", stream ")[1] for line in launches] == [handle, "0"]


def test_kernels_are_compiled_for_the_gpu(tmp_path):
    printed, launches = run(
        tmp_path,
        """
        @ct.kernel
        def product(a, b, c):
            sums = ct.zeros((64, 64), ct.float32)
            for k in range(ct.cdiv(a.shape[1], 32)):
                sums = ct.mma(ct.load(a, (ct.bid(0), k), (64, 32)), ct.load(b, (k, ct.bid(1)), (32, 64)), sums)
            ct.store(c, (ct.bid(0), ct.bid(1)), sums)

        rng = np.random.default_rng(0)
        a, b = (rng.integers(-4, 5, shape).astype(np.float16) for shape in ((128, 96), (96, 64)))
        c = driver.array(np.zeros((128, 64), np.float32))
        ct.launch(0, (2, 1), product, (driver.array(a), driver.array(b), c))
        print((c.get() == a.astype(np.float32) @ b.astype(np.float32)).all())
        from cuda.tile._cext import get_compute_capability
        print(get_compute_capability())
        """,
        PTX_DRIVER_CAPABILITY="9.0",
    )
    assert printed.splitlines() == ["True", "(9, 0)"]
    assert len(launches) == 1


def test_lists_of_arrays_and_numbers(tmp_path):
    printed, _ = run(
        tmp_path,
        """
        @ct.kernel
        def add_all(arrays, scale, y):
            i = ct.bid(0)
            total = ct.zeros((16,), ct.float32)
            for n in range(len(arrays)):
                total = total + ct.load(arrays[n], (i,), (16,))
            ct.store(y, (i,), total * scale)

        arrays = [driver.array(np.full(32, n, np.float32)) for n in (1, 2, 4)]
        y = driver.array(np.zeros(32, np.float32))
        stream = driver.stream()
        ct.launch(stream, (2,), add_all, (arrays, 0.5, y))
        print((y.get() == 3.5).all())
        """,
    )
    assert printed == "True\n"


def test_what_is_wrong_is_said(tmp_path):
    printed, _ = run(
        tmp_path,
        """
        x, y = np.zeros(64, np.float32), driver.array(np.zeros(64, np.float32))
        with pytest.raises(TypeError, match="the ndarray is in the memory of the host; kernels run on a GPU"):
            ct.launch(0, (4,), double, (x, y))
        with pytest.raises(TypeError, match="kernels run on the CPU"):
            tilewright.cutile.launch((4,), double, (y, y))
        with pytest.raises(TypeError, match="Stream is required, got None"):
            ct.launch(None, (4,), double, (y, y))
        with pytest.raises(TypeError, match="Unsupported stream type 'object'"):
            ct.launch(object(), (4,), double, (y, y))
        with pytest.raises(tilewright.LaunchError, match=r"kernel double.*cannot find the GPU of a stream: invalid resource handle"):
            ct.launch(12345, (4,), double, (y, y))
        with pytest.raises(ValueError, match="for the CPU"):
            tilewright.cutile.install("sm_90", device="cuda")
        with pytest.raises(ValueError, match="'cpu' or 'cuda'"):
            tilewright.cutile.install(device="gpu")
        """,
    )
    assert printed == ""


def test_tuning_measures_the_gpu(tmp_path):
    printed, launches = run(
        tmp_path,
        """
        from tilewright.cutile import _tuning

        x, y = driver.array(np.arange(64, dtype=np.float32)), driver.array(np.zeros(64, np.float32))
        print(_tuning.benchmark(0, (4,), double, (x, y)) > 0, (y.get() == 2 * x.get()).all())
        microseconds, seconds = _tuning.benchmark_with_timeout(0, (4,), double, (x, y), 60.0)
        print(0 < microseconds * 1e-6 < seconds)
        """,
    )
    assert printed.splitlines() == ["True True", "True"]
    assert len(launches) == 2


def test_without_a_gpu_it_is_said_what_was_looked_for():
    program = "import tilewright.cutile; tilewright.cutile.install(device='cuda')"
    environment = {**os.environ, "TILEWRIGHT_CUDA_DRIVER": "no/libcuda.so"}
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False, env=environment)
    assert "RuntimeError: there is no CUDA driver: no/libcuda.so (" in done.stderr


def test_scripts_run_on_a_gpu(tmp_path):
    script = tmp_path / "child.py"
    script.write_text(
        "from tilewright.cutile._launch import asked_device\nimport cuda.tile as ct\nprint(ct.launch.__module__, asked_device())\n"
    )
    environment = {**os.environ, "TILEWRIGHT_CUDA_DRIVER": LIBRARY}
    command = [sys.executable, "-m", "tilewright.cutile", "--device", "cuda", script]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert (done.returncode, done.stdout) == (0, "tilewright.cutile._install cuda\n"), done.stderr
