"""A pytest plugin: ``pytest --tile-device=cpu`` runs the cuTile kernels of a project's tests on the CPU."""

from __future__ import annotations

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options of the plugin."""
    group = parser.getgroup("tilewright")
    group.addoption("--tile-device", choices=["cpu"], help="where kernels of cuTile Python run: on the CPU, by Tilewright")
    group.addoption("--tile-threads", type=int, metavar="N", help="threads of a launch on the CPU; default: one for each core")


def pytest_configure(config: pytest.Config) -> None:
    """Take the place of ``cuda.tile.launch`` before tests are collected, and so before they import it."""
    if config.getoption("--tile-device") != "cpu":
        if config.getoption("--tile-threads") is not None:
            raise pytest.UsageError("--tile-threads is for --tile-device=cpu")
        return
    try:
        from tilewright import cutile

        cutile.install()
    except ImportError as error:
        raise pytest.UsageError(f"--tile-device=cpu needs cuTile Python (pip install cuda-tile): {error}") from error
    if config.getoption("--tile-threads") is not None:
        cutile.set_threads(config.getoption("--tile-threads"))


def pytest_report_header(config: pytest.Config) -> str | None:
    """Say in the header of the run where kernels run."""
    return "cuTile kernels: on the CPU, by Tilewright" if config.getoption("--tile-device") == "cpu" else None
