"""What ``cuda.tile.tune`` measures with."""

from __future__ import annotations

import time
from typing import Any

from cuda.tile.tune._tune_utils import TileLaunchTimeoutError

from tilewright.cutile._launch import launch


def benchmark(stream: Any, grid: tuple[int, ...], kernel: Any, args: tuple[Any, ...], flush_l2: bool = True, /) -> float:
    """Run a kernel once and return its time on the CPU in microseconds, without that of compiling it."""
    del stream, flush_l2
    return launch(grid, kernel, args).seconds * 1e6


def benchmark_with_timeout(
    stream: Any, grid: tuple[int, ...], kernel: Any, args: tuple[Any, ...], timeout_sec: float, flush_l2: bool = True
) -> tuple[float, float]:
    """Run a kernel once within a limit of time; return its time on the CPU in microseconds, and that by the clock in seconds."""
    del stream, flush_l2
    start = time.perf_counter()
    try:
        report = launch(grid, kernel, args, timeout=timeout_sec)
    except TimeoutError as error:
        # In cuTile's words, which programs may look for.
        raise TileLaunchTimeoutError(f"CUDA kernel launch exceeded timeout {timeout_sec} sec: {error}") from None
    return report.seconds * 1e6, time.perf_counter() - start
