"""A pytest plugin: ``pytest --tile-device=cpu`` runs the cuTile kernels of a project's tests on the CPU."""

from __future__ import annotations

import os

import pytest

from tilewright import _check_options


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options of the plugin."""
    group = parser.getgroup("tilewright")
    group.addoption("--tile-device", choices=["cpu"], help="where kernels of cuTile Python run: on the CPU, by Tilewright")
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
    if options.tile_device != "cpu" and not check:
        asked = (options.tile_arch, options.tile_threads, options.tile_torch_cuda, options.tile_devices, options.tile_subprocesses)
        if any(value not in (None, False) for value in asked):
            options_of_cpu = "--tile-arch, --tile-threads, --tile-torch-cuda, --tile-devices and --tile-subprocesses"
            raise pytest.UsageError(f"{options_of_cpu} are for --tile-device=cpu")
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


def pytest_report_header(config: pytest.Config) -> str | None:
    """Say in the header of the run where kernels run."""
    if _check_options.asked_check(config.option, "tile_"):
        return "cuTile kernels: on the CPU, by Tilewright, checked for undefined behaviour"
    return "cuTile kernels: on the CPU, by Tilewright" if config.getoption("--tile-device") == "cpu" else None
