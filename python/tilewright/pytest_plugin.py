"""A pytest plugin: ``pytest --tile-device=cpu`` runs the cuTile kernels of a project's tests on the CPU."""

from __future__ import annotations

import pytest

from tilewright import _check_options


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options of the plugin."""
    group = parser.getgroup("tilewright")
    group.addoption("--tile-device", choices=["cpu"], help="where kernels of cuTile Python run: on the CPU, by Tilewright")
    _check_options.add_check_options(group.addoption, "--tile-")
    group.addoption("--tile-torch-cuda", action="store_true", help='let PyTorch make tensors on the CPU where "cuda" is asked for')
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
        asked = (options.tile_arch, options.tile_threads, options.tile_torch_cuda or None, options.tile_subprocesses or None)
        if any(value is not None for value in asked):
            raise pytest.UsageError("--tile-arch, --tile-threads, --tile-torch-cuda and --tile-subprocesses are for --tile-device=cpu")
        return
    try:
        from tilewright import cutile
        from tilewright.cutile._children import reach_children

        cutile.install(options.tile_arch, torch_cuda=options.tile_torch_cuda, check=check)
        if options.tile_threads is not None:
            cutile.set_threads(options.tile_threads)
    except (ImportError, RuntimeError, ValueError) as error:
        raise pytest.UsageError(f"--tile-device=cpu: {error}") from error
    if options.tile_subprocesses:
        reach_children(arch=options.tile_arch, threads=options.tile_threads, torch_cuda=options.tile_torch_cuda, check=check)


def pytest_report_header(config: pytest.Config) -> str | None:
    """Say in the header of the run where kernels run."""
    if _check_options.asked_check(config.option, "tile_"):
        return "cuTile kernels: on the CPU, by Tilewright, checked for undefined behaviour"
    return "cuTile kernels: on the CPU, by Tilewright" if config.getoption("--tile-device") == "cpu" else None
