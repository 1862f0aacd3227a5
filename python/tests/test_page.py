"""Runs what docs/python.md shows, and compares what comes out with the page."""

import doctest
import os
import re
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "python.md").read_text()
BLOCKS = [(kind, body) for kind, body in re.findall(r"^```(\w*)\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)]


def block(text):
    """The block of the page that holds a text."""
    [found] = [body for _, body in BLOCKS if text in body]
    return found


@pytest.fixture
def script(tmp_path):
    """The script of the quick start."""
    path = tmp_path / "add.py"
    path.write_text(block("def add(a, b, c, n: ct.Constant[int]):"))
    return path


def run(*arguments, cwd, cache):
    env = {**os.environ, "TILEWRIGHT_CACHE_DIR": str(cache)}
    command = [sys.executable, *map(str, arguments)]
    return subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True, timeout=300, check=False)


def test_the_quick_start(script, tmp_path):
    command, output = block("$ python -m tilewright.cutile add.py").split("\n", 1)
    done = run(*command.removeprefix("$ python ").split(), cwd=tmp_path, cache=tmp_path / "cache")
    assert (done.returncode, done.stdout) == (0, output), done.stderr


def test_the_readme_begins_with_the_same():
    readme = (ROOT / "README.md").read_text()
    for text in ["def add(a, b, c, n: ct.Constant[int]):", "$ python -m tilewright.cutile add.py"]:
        assert f"\n{block(text)}```\n" in readme


def test_compiled_kernels_are_found_by_another_process(script, tmp_path):
    call, shown = block("cache_info()").removeprefix(">>> ").splitlines()
    script.write_text(f"import tilewright.cutile\ntilewright.cutile.install()\n{script.read_text()}\nprint({call})\n")
    cache = tmp_path / "cache"
    run(script, cwd=tmp_path, cache=cache)
    done = run(script, cwd=tmp_path, cache=cache)
    assert done.stdout.splitlines()[-1] == re.sub("folder='.*'", f"folder='{cache}'", shown), done.stderr


def test_errors_have_the_line_of_the_kernel(tmp_path):
    shown = block("tilewright.LaunchError: kernel checked")
    line = shown.splitlines()[-1].strip()
    (tmp_path / "checked.py").write_text(
        textwrap.dedent(f"""\
            import cuda.tile as ct
            @ct.kernel
            def checked(x):
                tile = ct.load(x, (0,), (4,))
                {line}
            import numpy as np
            ct.launch(None, (1,), checked, (np.array([1, 2, 0, 3], np.float32),))
            """)
    )
    done = run("-m", "tilewright.cutile", "checked.py", cwd=tmp_path, cache="")
    assert done.returncode == 1
    assert done.stderr.endswith(shown)


def test_looking_at_kernels(script, tmp_path):
    script.write_text(script.read_text() + "import tilewright.cutile\nprint(tilewright.cutile.compiled(add, (a, b, c, 128)).explain())\n")
    done = run("-m", "tilewright.cutile", script, cwd=tmp_path, cache="")
    cut, shown = block("%blockId_x, %blockId_y, %blockId_z = get_tile_block_id").split("\n", 1)
    assert cut == "..."
    assert textwrap.dedent(done.stdout).rstrip().endswith(textwrap.dedent(shown).rstrip()), done.stdout


def test_the_map_of_accesses(tmp_path):
    import cuda.tile as ct

    import tilewright.cutile

    @ct.kernel
    def transpose(x, y):
        i, j = ct.bid(0), ct.bid(1)
        ct.store(y, (j, i), ct.transpose(ct.load(x, (i, j), (2, 4))))

    names = {"tilewright": tilewright, "transpose": transpose, "x": np.zeros((4, 12), np.float32), "y": np.zeros((12, 4), np.float32)}
    check(block("tilewright.cutile.access_map("), names)


def test_modules(monkeypatch):
    monkeypatch.chdir(ROOT)
    check(block('tilewright.load("examples/saxpy.tilebc")'), {})


def check(session, names):
    """Compares a session at Python's prompt with the page."""
    test = doctest.DocTestParser().get_doctest(session, names, "docs/python.md", None, 0)
    told = []
    doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(test, out=told.append)
    assert test.examples
    assert not told, "".join(told)


def test_the_whole_command():
    [command] = re.findall(r"`python -m tilewright\s+(print [^`]*)`", PAGE)
    done = run("-m", "tilewright", *command.split(), cwd=ROOT, cache="")
    assert done.returncode == 0
    assert "entry @saxpy(" in done.stdout


def test_all_names_are_there():
    """Each function and option that the page names."""
    import tilewright.cutile

    for name in set(re.findall(r"tilewright\.cutile\.(\w+)\(", PAGE)) | {"launch", "compiled", "cache_info"}:
        assert callable(getattr(tilewright.cutile, name)), name
    options = set(re.findall(r"`pytest (--[\w-]+)", PAGE)) | {"--tile-check"}
    told = run("-m", "pytest", "--help", cwd=ROOT / "python" / "tests", cache="").stdout
    assert {option for option in options if option not in told} == set()
    told = run("-m", "tilewright.cutile", "--help", cwd=ROOT, cache="").stdout
    for option in ("--arch", "--torch-cuda", "--subprocesses", "--check"):
        assert option in PAGE, option
        assert option in told, option
