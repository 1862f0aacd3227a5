"""Launching kernels of cuTile Python on the CPU."""

from __future__ import annotations

import os
from typing import Any

from tilewright._native import Dispatcher, Report
from tilewright.cutile._driver import provide_driver

#: Where a kernel keeps its dispatcher, and with it everything compiled for it.
_ATTRIBUTE = "_tilewright_dispatcher"

_threads: int | None = int(os.environ["TILEWRIGHT_THREADS"]) if "TILEWRIGHT_THREADS" in os.environ else None


def set_threads(threads: int | None) -> None:
    """Run launches on this many threads; None stands for one for each core.

    The environment variable TILEWRIGHT_THREADS has the value at the start.
    """
    global _threads
    if threads is not None and threads < 1:
        raise ValueError(f"the number of threads must be at least 1, got {threads}")
    _threads = threads


def launch(grid: int | tuple[int, ...], kernel: Any, args: tuple[Any, ...], *, threads: int | None = None) -> Report:
    """Run a ``ct.kernel`` over a grid of blocks, and return when it has ended.

    ``args`` are what ``ct.launch`` takes, with arrays in the memory of this machine: of NumPy, PyTorch or JAX, or anything with
    DLPack or the buffer protocol. The kernel is compiled as ``ct.launch`` would compile it, once for each signature. Arrays are
    changed in place and without a copy. Other Python threads go on meanwhile, and must leave the arrays alone.
    """
    try:
        dispatcher = kernel.__dict__[_ATTRIBUTE]
    except (AttributeError, KeyError):
        dispatcher = _new_dispatcher(kernel)
    return dispatcher.launch(grid, args, _threads if threads is None else threads)


def _new_dispatcher(kernel: Any) -> Dispatcher:
    provide_driver()
    import cuda.tile as ct

    if not isinstance(kernel, ct.kernel):
        raise TypeError(f"expected a ct.kernel, got {type(kernel).__name__}")
    from tilewright.cutile._compile import Compiler

    annotations = kernel._annotated_function.parameter_annotations
    dispatcher = Dispatcher([_mentions_constant(annotation) for annotation in annotations], Compiler(kernel))
    setattr(kernel, _ATTRIBUTE, dispatcher)
    return dispatcher


def _mentions_constant(annotation: Any) -> bool:
    """Whether a parameter, or an item of it, is annotated as a constant."""
    if annotation.KIND == "leaf":
        return annotation.constant
    if annotation.KIND == "homogeneous_tuple":
        return _mentions_constant(annotation.each)
    return any(_mentions_constant(item) for item in annotation.items)
