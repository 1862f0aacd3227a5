"""A pytest plugin: ``pytest --tile-device=cpu`` runs the cuTile kernels of a project's tests on the CPU."""

from __future__ import annotations

import argparse
import os

import pytest

from tilewright import _check_options


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options of the plugin."""
    group = parser.getgroup("tilewright")
    where = "where kernels of cuTile Python run: on the CPU, by Tilewright; each of the other options asks for that, too"
    group.addoption("--tile-device", choices=["cpu"], help=where)
    _check_options.add_check_options(group.addoption, "--tile-")
    group.addoption("--tile-torch-cuda", action="store_true", help='let PyTorch make tensors on the CPU where "cuda" is asked for')
    group.addoption("--tile-devices", type=int, metavar="N", help="devices of torch.cuda with --tile-torch-cuda; default: 1")
    group.addoption("--tile-subprocesses", action="store_true", help="do the same in the Python programs that tests start")
    group.addoption("--tile-arch", metavar="ARCH", help="target that kernels are compiled for, such as sm_90; default: sm_100")
    group.addoption("--tile-threads", type=int, metavar="N", help="threads of a launch on the CPU; default: one for each core")


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> None:
    """Take the place of ``cuda.tile.launch`` before a conftest or a test can import it."""
    options = early_config.known_args_namespace
    try:
        check = _check_options.asked_check(options, "tile_")
    except ValueError as error:
        raise pytest.UsageError(f"--tile-check: {error}") from error
    if not _is_asked(options):
        return
    if options.tile_devices is not None and not options.tile_torch_cuda:
        raise pytest.UsageError("--tile-devices is for --tile-torch-cuda")
    try:
        from tilewright.cutile._children import Asked, reach_children
        from tilewright.cutile._launch import share_cores

        to_do = Asked(options.tile_arch, options.tile_threads, options.tile_torch_cuda, options.tile_devices, check)
        to_do.install()
        # Of pytest-xdist; the processes of a run share the machine.
        share_cores(int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1")))
    except (ImportError, RuntimeError, ValueError) as error:
        raise pytest.UsageError(f"--tile-device=cpu: {error}") from error
    if options.tile_subprocesses:
        reach_children(to_do)


def _is_asked(options: argparse.Namespace) -> bool:
    """Whether kernels are to run on the CPU: any option of the plugin says so."""
    names = ("device", "arch", "threads", "torch_cuda", "devices", "subprocesses")
    is_given = any(getattr(options, f"tile_{name}") not in (None, False) for name in names)
    return is_given or bool(_check_options.asked_check(options, "tile_"))


def pytest_report_header(config: pytest.Config) -> str | None:
    """Say in the header of the run where kernels run."""
    if _check_options.asked_check(config.option, "tile_"):
        return "cuTile kernels: on the CPU, by Tilewright, checked for undefined behaviour"
    return "cuTile kernels: on the CPU, by Tilewright" if _is_asked(config.option) else None
