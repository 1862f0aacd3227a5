"""PyTorch's device "cuda" on the CPU, so that code written for a GPU runs as it is.

Tensors that are asked for on "cuda" are made on the CPU, and say that they are on a GPU when asked with ``is_cuda``. Streams, events
and synchronization are there and do nothing, since every launch has ended when it returns.
"""

from __future__ import annotations

import contextlib
import os
import time
import types
from collections.abc import Callable, Iterator
from typing import Any

import torch
import torch.distributed
from torch.overrides import TorchFunctionMode

from tilewright.cutile import _torch_numbers
from tilewright.cutile._driver import compute_capability
from tilewright.cutile._launch import look_at_arrays_in


class CudaOnCpu(TorchFunctionMode):
    """Sends to the CPU what asks for the device "cuda"."""

    def __torch_function__(
        self, func: Callable[..., Any], types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        """Call a function of PyTorch with the CPU in the place of a GPU."""
        if func == torch.Tensor.is_cuda.__get__:
            return True
        if func is torch.Tensor.cuda:
            return args[0]
        args = tuple(map(_on_cpu, args))
        kwargs = {name: _on_cpu(value) for name, value in (kwargs or {}).items()}
        return _torch_numbers.call(func, args, kwargs)


def _on_cpu(value: Any) -> Any:
    if isinstance(value, torch.device) and value.type == "cuda":
        return torch.device("cpu")
    if isinstance(value, str) and (value == "cuda" or value.startswith("cuda:")):
        return "cpu"
    return value


class Stream:
    """A stream in which nothing is ever waiting."""

    cuda_stream = 0

    def __init__(self, *_args: Any, **_kwargs: Any) -> None:
        """Take what a stream takes."""

    def synchronize(self) -> None:
        """Return at once."""

    def query(self) -> bool:
        """Tell that all work is done."""
        return True

    def wait_stream(self, _stream: Any) -> None:
        """Return at once."""

    def wait_event(self, _event: Any) -> None:
        """Return at once."""

    def record_event(self, event: Event | None = None) -> Event:
        """Record an event now."""
        event = event or Event()
        event.record(self)
        return event


class Event:
    """A point in time."""

    def __init__(self, *_args: Any, **_kwargs: Any) -> None:
        """Take what an event takes."""
        self._time = time.perf_counter()

    def record(self, _stream: Any = None) -> None:
        """Take the time."""
        self._time = time.perf_counter()

    def elapsed_time(self, end: Event) -> float:
        """Milliseconds from this event to another."""
        return (end._time - self._time) * 1e3

    def synchronize(self) -> None:
        """Return at once."""

    def wait(self, _stream: Any = None) -> None:
        """Return at once."""

    def query(self) -> bool:
        """Tell that the event has happened."""
        return True


@contextlib.contextmanager
def _context(_value: Any = None) -> Iterator[None]:
    yield


def _device_properties(_device: Any = None) -> types.SimpleNamespace:
    major, minor = compute_capability()
    return types.SimpleNamespace(
        name="CPU (Tilewright)", major=major, minor=minor, multi_processor_count=os.cpu_count() or 1, total_memory=0, L2_cache_size=0
    )


_STREAM = Stream()

#: What takes the place of the functions and classes of ``torch.cuda``.
_CUDA: dict[str, Any] = {
    "Event": Event,
    "Stream": Stream,
    "current_device": lambda: 0,
    "current_stream": lambda _device=None: _STREAM,
    "default_stream": lambda _device=None: _STREAM,
    "device": _context,
    "device_count": lambda: 1,
    "empty_cache": lambda: None,
    "get_device_capability": lambda _device=None: compute_capability(),
    "get_device_name": lambda _device=None: "CPU (Tilewright)",
    "get_device_properties": _device_properties,
    "is_available": lambda: True,
    "set_device": lambda _device: None,
    "stream": _context,
    "synchronize": lambda _device=None: None,
}

_REPLACED: dict[types.ModuleType, dict[str, Any]] = {torch.cuda: _CUDA}
if torch.distributed.is_available():
    # There is one device, with nothing to be gathered from others.
    _REPLACED[torch.distributed] = {"is_nccl_available": lambda: False}

_mode: CudaOnCpu | None = None
_original: dict[tuple[types.ModuleType, str], Any] = {}


def enable() -> None:
    """Put the CPU in the place of the device "cuda", in this thread."""
    global _mode
    if _mode is not None:
        return
    for module, replacements in _REPLACED.items():
        for name, replacement in replacements.items():
            _original[module, name] = getattr(module, name)
            setattr(module, name, replacement)
    _mode = CudaOnCpu()
    _mode.__enter__()
    look_at_arrays_in(torch._C.DisableTorchFunction)


def disable() -> None:
    """Take back what ``enable`` did."""
    global _mode
    if _mode is None:
        return
    look_at_arrays_in(contextlib.nullcontext)
    _mode.__exit__(None, None, None)
    _mode = None
    for (module, name), original in _original.items():
        setattr(module, name, original)
    _original.clear()
