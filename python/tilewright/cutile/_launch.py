"""Launching kernels of cuTile Python on the CPU."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from tilewright._native import Dispatcher, Kernel, Report, number_from_environment
from tilewright.cutile import _requirements
from tilewright.cutile._driver import provide_driver

if TYPE_CHECKING:
    from tilewright._access_map import AccessMap
    from tilewright._check import Check
    from tilewright.cutile._compile import CacheInfo

#: What ``cuda.tile.launch`` runs kernels on.
Device = Literal["cpu", "cuda"]

#: Where a kernel keeps its dispatcher, and with it everything compiled for it.
_ATTRIBUTE = "_tilewright_dispatcher"

#: In which arrays are looked at. What takes the place of PyTorch's device "cuda" would make that slow.
_looking_at_arrays: Callable[[], AbstractContextManager[Any]] = nullcontext


class TuningLaunches(NamedTuple):
    """How many launches a search of ``ct.tune`` makes at most."""

    #: For one configuration, the three included that warm up.
    per_configuration: int = 40
    #: For all of them together. Each gets an equal share, but eight at least: cuTile needs so many to tell anything.
    total: int = 400


_device: Device = "cpu"
#: Whether launches run under the checker, and how.
_check: bool | Check = False
_threads: int | None = number_from_environment("TILEWRIGHT_THREADS")
#: On how many threads a launch runs of which nobody says it; None stands for one for each core.
_share_of_cores: int | None = None
_tuning_launches = TuningLaunches(
    number_from_environment("TILEWRIGHT_TUNE_LAUNCHES_PER_CONFIGURATION") or TuningLaunches().per_configuration,
    number_from_environment("TILEWRIGHT_TUNE_LAUNCHES") or TuningLaunches().total,
)


def tuning_launches() -> TuningLaunches:
    """How many launches a search of ``ct.tune`` makes at most."""
    return _tuning_launches


def set_tuning_launches(*, per_configuration: int | None = None, total: int | None = None) -> None:
    """Let a search of ``ct.tune`` make so many launches at most: for one configuration (40), and for all of them (400).

    A configuration is launched eight times in any case. What is None stays what it is. The environment variables
    TILEWRIGHT_TUNE_LAUNCHES_PER_CONFIGURATION and TILEWRIGHT_TUNE_LAUNCHES have the values at the start.
    """
    global _tuning_launches
    asked = {"per_configuration": per_configuration, "total": total}
    given = {name: number for name, number in asked.items() if number is not None}
    for name, number in given.items():
        if number < 1:
            raise ValueError(f"{name} must be at least 1, got {number}")
    _tuning_launches = _tuning_launches._replace(**given)


def set_threads(threads: int | None) -> None:
    """Run launches on this many threads; None stands for what TILEWRIGHT_THREADS says, or one for each core.

    That environment variable also has the value at the start. More than four for each core are taken as that many.
    """
    global _threads
    if threads is not None and threads < 1:
        raise ValueError(f"the number of threads must be at least 1, got {threads}")
    _threads = threads


def asked_threads() -> int | None:
    """The number of threads that was asked for."""
    return _threads


def share_cores(processes: int) -> None:
    """Let launches of which nobody says the number of threads leave cores to other processes: so many that do the same, with this one."""
    global _share_of_cores
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    _share_of_cores = max(cores // processes, 1) if processes > 1 else None


def asked_check() -> bool | Check:
    """Whether launches run under the checker, and how."""
    return _check


def set_check(check: bool | Check) -> None:
    """Run launches under the checker, or not, unless they say what they want."""
    global _check
    if not isinstance(check, bool) and check.uninitialised:
        raise ValueError("uninitialised names arrays of one launch: give it to that launch")
    _check = check


def asked_device() -> Device:
    """What ``cuda.tile.launch`` runs kernels on."""
    return _device


def set_device(device: Device) -> None:
    """Let ``cuda.tile.launch`` run kernels on this device from now on."""
    global _device
    _device = device


def look_at_arrays_in(context: Callable[[], AbstractContextManager[Any]]) -> None:
    """Look at the arrays of launches in such a context from now on."""
    global _looking_at_arrays
    _looking_at_arrays = context


def launch(
    grid: int | tuple[int, ...],
    kernel: Any,
    args: tuple[Any, ...],
    *,
    threads: int | None = None,
    timeout: float | None = None,
    max_memory: int | None = None,
    max_output: int | None = None,
    check: bool | Check | None = None,
    profile: bool = False,
) -> Report:
    """Run a ``ct.kernel`` over a grid of blocks, and return when it has ended.

    ``args`` are what ``ct.launch`` takes, with arrays in the memory of this machine: of NumPy, PyTorch or JAX, or anything with
    DLPack or the buffer protocol. The kernel is compiled as ``ct.launch`` would compile it, once for each signature. Arrays are
    changed in place and without a copy. Other Python threads go on meanwhile, and must leave the arrays alone.

    A launch that takes longer than ``timeout`` seconds, without the time to compile, is stopped with a TimeoutError, as Ctrl-C stops it
    with a KeyboardInterrupt; the arrays then hold what was written until then. ``max_memory`` is how many bytes a launch may take
    besides the arrays, ``max_output`` how many it may print; more is a LaunchError. With ``check``, the launch runs under the checker, on
    one thread, and undefined behaviour raises a CheckError with all findings; a ``tilewright.Check`` says how to
    check, None stands for what ``install`` was told. With ``profile``, the report has a ``profile``: what each operation and line of source
    took.
    """
    # What went wrong is the launch's of the caller: pytest shows that.
    __tracebackhide__ = True
    with _looking_at_arrays():
        threads = next((number for number in (threads, _threads, _share_of_cores) if number is not None), None)
        check = _check if check is None else check
        return _dispatcher(kernel).launch(grid, args, threads, timeout, max_memory, max_output, check, profile)


def launch_on_gpu(stream: Any, grid: int | tuple[int, ...], kernel: Any, args: tuple[Any, ...], *, timed: bool = False) -> float | None:
    """Begin a ``ct.kernel`` on a GPU, on arrays there; with ``timed``, wait for it, and return the seconds that it took.

    A kernel that gets lists of arrays has ended when this returns, since its table of them is then gone.
    """
    return _dispatcher(kernel).launch_on_gpu(grid, args, _handle(stream), timed)


def _handle(stream: Any) -> int:
    """The handle of a stream: of PyTorch, CuPy, ``cuda.bindings``, or any other object with the protocol of CUDA streams."""
    if stream is None:
        raise TypeError("Stream is required, got None")
    if isinstance(stream, int):
        return stream
    if hasattr(stream, "__cuda_stream__"):
        return int(stream.__cuda_stream__()[1])
    for name in ("cuda_stream", "ptr"):
        if isinstance(handle := getattr(stream, name, None), int):
            return handle
    if hasattr(stream, "__int__"):
        return int(stream)
    raise TypeError(f"Unsupported stream type {type(stream).__name__!r}")


def compiled(kernel: Any, args: tuple[Any, ...]) -> Kernel:
    """The Tile IR of a ``ct.kernel`` for these arguments, to be looked at: ``compiled(kernel, args).explain()``."""
    return _dispatcher(kernel).compiler(tuple(args))[0]


def cache_info() -> CacheInfo:
    """How the cache of compiled kernels on disk did in this process, and where it is: ``(hits, misses, uncached, folder)``.

    ``hits`` counts kernels that came from disk, ``misses`` those that were not there and were compiled, ``uncached`` those that were
    compiled without a look at the disk, since they depend on more than a key can tell or since there is no folder.
    """
    provide_driver()
    _requirements.cutile()
    from tilewright.cutile import _compile

    return _compile.cache_info()


def access_map(grid: int | tuple[int, ...], kernel: Any, args: tuple[Any, ...], *, array: Any = None) -> AccessMap:
    """Which block of a launch touches which elements of an array. The launch happens.

    ``array`` is one of the arrays among the arguments, or its position among them; left out: the last one.
    """
    from tilewright._access_map import access_map

    return access_map(_dispatcher(kernel).trace(grid, args), grid, args, array)


def _dispatcher(kernel: Any) -> Dispatcher:
    try:
        return kernel.__dict__[_ATTRIBUTE]
    except (AttributeError, KeyError):
        return _new_dispatcher(kernel)


def _new_dispatcher(kernel: Any) -> Dispatcher:
    provide_driver()
    if not isinstance(kernel, _requirements.cutile().kernel):
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
