"""What ``cuda.tile.tune`` measures with."""

from __future__ import annotations

from typing import Any, NoReturn

from tilewright.cutile._launch import launch


def benchmark(stream: Any, grid: tuple[int, ...], kernel: Any, args: tuple[Any, ...], flush_l2: bool = True, /) -> float:
    """Run a kernel once and return its time on the CPU in microseconds, without that of compiling it."""
    del stream, flush_l2
    return launch(grid, kernel, args).seconds * 1e6


def benchmark_with_timeout(*_args: Any) -> NoReturn:
    """Refuse: a launch on the CPU runs inside this process and cannot be ended from outside."""
    raise NotImplementedError("single_run_timeout_sec is not available on the CPU: leave it out")
