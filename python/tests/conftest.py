"""What the tests share."""

from pathlib import Path

import pytest

import tilewright

pytest_plugins = ["pytester"]

ROOT = Path(__file__).resolve().parents[2]


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
