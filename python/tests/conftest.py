"""What the tests share."""

import sys
from pathlib import Path

import pytest

import tilewright

pytest_plugins = ["pytester"]

ROOT = Path(__file__).resolve().parents[2]
# For the tests of the scripts that lie beside them.
sys.path.append(str(ROOT / "python" / "tests"))


@pytest.fixture(scope="session", autouse=True)
def cache_of_the_tests(tmp_path_factory):
    """Compiled kernels are not kept where the user's are."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TILEWRIGHT_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(scope="session")
def examples() -> Path:
    return ROOT / "examples"


@pytest.fixture
def saxpy(examples):
    return tilewright.load(examples / "saxpy.tilebc")


@pytest.fixture
def installed():
    """``cuda.tile.launch`` runs kernels here."""
    cutile = pytest.importorskip("tilewright.cutile")
    cutile.install()
    yield cutile
    cutile.uninstall()
