"""Taking the place of ``cuda.tile.launch``."""

from __future__ import annotations

import sys
import types
from typing import Any

from tilewright.cutile._driver import provide_driver
from tilewright.cutile._launch import launch

#: What is replaced in which modules: (module, name) and what was there before.
_replaced: dict[tuple[str, str], Any] = {}


def install(arch: str | None = None) -> None:
    """Let ``cuda.tile.launch`` and ``cuda.tile.tune`` of unmodified code run kernels here, on CPU arrays.

    Modules that have imported ``launch`` already are changed too. ``arch``, such as "sm_90", is the target that kernels are compiled
    for.
    """
    if arch is None:
        provide_driver()
    elif not provide_driver(arch):
        raise RuntimeError("this machine has a CUDA device, whose own target is used: leave out `arch`")
    import cuda.tile  # noqa: F401
    from cuda.tile import _cext
    from cuda.tile.tune import _tune_utils

    from tilewright.cutile import _tuning

    if _replaced:
        return
    replacements = [
        (_cext.launch, ct_launch),
        (_cext._benchmark, _tuning.benchmark),
        (_tune_utils.benchmark_with_timeout, _tuning.benchmark_with_timeout),
    ]
    for module in list(sys.modules.values()):
        if isinstance(module, types.ModuleType):
            _replace_in(module, replacements)


def _replace_in(module: types.ModuleType, replacements: list[tuple[Any, Any]]) -> None:
    for name, value in list(vars(module).items()):
        for original, replacement in replacements:
            if value is original:
                _replaced[module.__name__, name] = original
                setattr(module, name, replacement)


def uninstall() -> None:
    """Put back what ``install`` replaced."""
    for (module, name), original in _replaced.items():
        if module in sys.modules:
            setattr(sys.modules[module], name, original)
    _replaced.clear()


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
    """Take the place of ``cuda.tile.launch``: the stream may be anything, since a launch has ended when this returns."""
    del stream, programmatic_dependent_launch
    launch(grid, kernel, kernel_args)
