"""Taking the place of ``cuda.tile.launch``."""

from __future__ import annotations

import functools
import multiprocessing.spawn
import sys
import types
from collections.abc import Callable
from typing import Any

from tilewright import _native
from tilewright._check import Check
from tilewright.cutile import _requirements, _torch_devices
from tilewright.cutile._children import Asked, reaching_processes
from tilewright.cutile._driver import provide_driver
from tilewright.cutile._launch import Device, asked_check, asked_device, asked_threads, launch, launch_on_gpu, set_check, set_device

#: What is replaced in which modules: (module, name) and what was there before.
_replaced: dict[tuple[str, str], Any] = {}
#: The target that was asked for.
_arch: str | None = None


def install(
    arch: str | None = None,
    *,
    device: Device = "cpu",
    torch_cuda: bool = False,
    devices: int | None = None,
    check: bool | Check = False,
) -> None:
    """Let ``cuda.tile.launch`` and ``cuda.tile.tune`` of unmodified code run kernels here, on CPU arrays.

    With ``device="cuda"``, kernels run on the GPU of the stream that a launch names, on arrays there: what Tilewright compiles is loaded by
    the CUDA driver, and a launch only begins it. What follows is for the CPU.


    ``KernelSignature.from_kernel_args`` takes such arrays too, so that code can export kernels and look at their Tile IR.
    Modules that have imported ``launch`` already are changed too. ``arch``, such as "sm_90", is the target that kernels are compiled
    for from now on. With ``torch_cuda``, PyTorch makes tensors on the CPU where the device "cuda" is asked for; ``devices`` is how many
    of them ``torch.cuda`` has, one for each process that torchrun starts on this machine if nothing is said. With ``check``,
    launches run under the checker, and undefined behaviour raises a ``tilewright.CheckError``; a ``tilewright.Check`` says how to check.
    Processes that ``multiprocessing`` starts do the same.
    """
    global _arch
    if device not in ("cpu", "cuda"):
        raise ValueError(f"expected the device 'cpu' or 'cuda', got {device!r}")
    if device == "cuda":
        if arch is not None or torch_cuda or check:
            raise ValueError("arch, torch_cuda and check are for the CPU: leave them out with device='cuda'")
        arch = _arch_of_gpu()
    if devices is not None and not torch_cuda:
        raise ValueError("devices are those of torch.cuda: set torch_cuda too")
    if not provide_driver(arch) and arch is not None and device == "cpu":
        raise RuntimeError("this machine has a CUDA device, whose own target is used: leave out `arch`")
    _requirements.cutile()
    if torch_cuda:
        _requirements.torch()
        from tilewright.cutile import _torch

        _torch.enable(devices)
    from cuda.tile import _cext, _compile
    from cuda.tile.tune import _tune, _tune_utils

    from tilewright.cutile import _compile as compiler
    from tilewright.cutile import _tuning

    set_check(check)
    set_device(device)
    _arch = (arch if device == "cpu" else None) or _arch
    if _replaced:
        return
    replacements = [
        (_cext.launch, ct_launch),
        (_cext._benchmark, _tuning.benchmark),
        (_tune.exhaustive_search, _tuning.limited(_tune.exhaustive_search)),
        (_tune_utils.benchmark_with_timeout, _tuning.benchmark_with_timeout),
        (_cext.get_parameter_constraints_from_pyargs, compiler.parameter_constraints),
        (_compile._get_max_supported_bytecode_version, _newest_version(_compile._get_max_supported_bytecode_version)),
        (multiprocessing.spawn.get_preparation_data, reaching_processes(multiprocessing.spawn.get_preparation_data, _asked)),
    ]
    for module in list(sys.modules.values()):
        # What takes the place of a function may call it.
        if isinstance(module, types.ModuleType) and not module.__name__.startswith("tilewright."):
            _replace_in(module, replacements)


def _arch_of_gpu() -> str:
    """The target of the first GPU."""
    major, minor = _native.gpu_compute_capability(0)
    return f"sm_{major}{minor}"


def _replace_in(module: types.ModuleType, replacements: list[tuple[Any, Any]]) -> None:
    for name, value in list(vars(module).items()):
        for original, replacement in replacements:
            if value is original:
                _replaced[module.__name__, name] = original
                setattr(module, name, replacement)


def _asked() -> Asked:
    """What was asked of this process until now."""
    # The module is there only if PyTorch is.
    torch = sys.modules.get("tilewright.cutile._torch")
    torch_cuda = torch is not None and torch.enabled()
    devices = _torch_devices.asked() if torch_cuda else None
    return Asked(_arch, asked_threads(), torch_cuda, devices, asked_check(), asked_device())


def _newest_version(of_tileiras: Callable[..., Any]) -> Callable[..., Any]:
    """What tells the newest version of Tile IR that can be compiled: by NVIDIA's compiler, or here if it is not installed."""

    @functools.wraps(of_tileiras)
    def newest(*args: Any, **kwargs: Any) -> Any:
        from tilewright.cutile._compile import VERSION

        try:
            return of_tileiras(*args, **kwargs)
        except FileNotFoundError:
            return VERSION

    return newest


def uninstall() -> None:
    """Put back what ``install`` replaced."""
    if "tilewright.cutile._torch" in sys.modules:
        sys.modules["tilewright.cutile._torch"].disable()
    for (module, name), original in _replaced.items():
        if module in sys.modules:
            setattr(sys.modules[module], name, original)
    _replaced.clear()
    set_check(False)
    set_device("cpu")


def installed() -> bool:
    """Whether ``cuda.tile.launch`` runs kernels here."""
    return bool(_replaced)


def ct_launch(
    stream: Any,
    grid: tuple[int, ...],
    kernel: Any,
    kernel_args: tuple[Any, ...],
    /,
    *,
    programmatic_dependent_launch: bool = False,
) -> None:
    """Take the place of ``cuda.tile.launch``.

    On the CPU, the stream may be anything, since a launch has ended when this returns.
    """
    __tracebackhide__ = True
    del programmatic_dependent_launch
    if asked_device() == "cuda":
        launch_on_gpu(stream, grid, kernel, kernel_args)
    else:
        launch(grid, kernel, kernel_args)
