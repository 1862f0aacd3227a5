"""What ``cuda.tile.tune`` measures with, and how often.

cuTile launches a configuration until its time is known to 1 %, a thousand times at most. A GPU gets there in few launches; on a CPU
that has other work, times scatter so much that most configurations would take all of them. So the number of launches has a limit of its
own here. It depends on nothing but the number of configurations.
"""

from __future__ import annotations

import functools
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

from cuda.tile.tune import _tune
from cuda.tile.tune._tune_utils import TileLaunchTimeoutError

from tilewright.cutile._launch import asked_device, launch, launch_on_gpu, tuning_launches

#: One search at a time: each has a limit of its own, and would disturb what the other measures.
_searching = threading.RLock()


def limited(search: Callable[..., Any]) -> Callable[..., Any]:
    """``exhaustive_search`` with a limit to its launches."""

    @functools.wraps(search)
    def limited_search(search_space: Sequence[Any], *args: Any, **kwargs: Any) -> Any:
        with _searching:
            before = _tune._MAX_REPEATS
            _tune._MAX_REPEATS = min(before, _measured_launches(len(search_space)))
            try:
                return search(search_space, *args, **kwargs)
            finally:
                _tune._MAX_REPEATS = before

    return limited_search


def _measured_launches(configurations: int) -> int:
    """How often each configuration may be measured: cuTile's smallest number at least, as less tells nothing of how times scatter."""
    limit = tuning_launches()
    share = limit.total // max(configurations, 1)
    return max(min(limit.per_configuration, share) - _tune._WARM_UP_REPEATS, _tune._MIN_REPEATS)


def benchmark(stream: Any, grid: tuple[int, ...], kernel: Any, args: tuple[Any, ...], flush_l2: bool = True, /) -> float:
    """Run a kernel once and return its time in microseconds, without that of compiling it.

    Caches of a GPU are as the launch before left them.
    """
    del flush_l2
    if asked_device() == "cuda":
        return _seconds_on_gpu(stream, grid, kernel, args) * 1e6
    return launch(grid, kernel, args).seconds * 1e6


def benchmark_with_timeout(
    stream: Any, grid: tuple[int, ...], kernel: Any, args: tuple[Any, ...], timeout_sec: float, flush_l2: bool = True
) -> tuple[float, float]:
    """Run a kernel once within a limit of time; return its time in microseconds, and that by the clock in seconds.

    A GPU cannot stop a kernel: one that takes longer is waited for.
    """
    del flush_l2
    start = time.perf_counter()
    if asked_device() == "cuda":
        seconds = _seconds_on_gpu(stream, grid, kernel, args)
        if seconds > timeout_sec:
            raise TileLaunchTimeoutError(f"CUDA kernel launch exceeded timeout {timeout_sec} sec: it took {seconds:.3f} sec")
        return seconds * 1e6, time.perf_counter() - start
    try:
        report = launch(grid, kernel, args, timeout=timeout_sec)
    except TimeoutError as error:
        # In cuTile's words, which programs may look for.
        raise TileLaunchTimeoutError(f"CUDA kernel launch exceeded timeout {timeout_sec} sec: {error}") from None
    return report.seconds * 1e6, time.perf_counter() - start


def _seconds_on_gpu(stream: Any, grid: tuple[int, ...], kernel: Any, args: tuple[Any, ...]) -> float:
    seconds = launch_on_gpu(stream, grid, kernel, args, timed=True)
    assert seconds is not None, "a launch that is timed gives its time"
    return seconds
