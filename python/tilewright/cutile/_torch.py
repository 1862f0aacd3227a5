"""PyTorch's device "cuda" on the CPU, so that code written for a GPU runs as it is.

Tensors that are asked for on "cuda" are made on the CPU, and say that they are on a GPU when asked with ``is_cuda``. Streams, events
and synchronization are there and do nothing, since every launch has ended when it returns.
"""

from __future__ import annotations

import contextlib
import types
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

import torch
import torch.distributed
from torch.overrides import TorchFunctionMode

from tilewright.cutile import _torch_cuda, _torch_numbers
from tilewright.cutile._launch import look_at_arrays_in


class CudaOnCpu(TorchFunctionMode):
    """Sends to the CPU what asks for the device "cuda"."""

    def __torch_function__(
        self, func: Callable[..., Any], types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        """Call a function of PyTorch with the CPU in the place of a GPU."""
        if func == torch.Tensor.is_cuda.__get__:
            return True
        if func in (torch.Tensor.cuda, torch.Tensor.pin_memory):
            return args[0]
        args = tuple(map(_on_cpu, args))
        # Only a driver of CUDA can pin memory, and there is no copy to a device that it would make faster.
        kwargs = {name: _on_cpu(value) for name, value in (kwargs or {}).items() if name != "pin_memory"}
        return _torch_numbers.call(func, args, kwargs)


def _on_cpu(value: Any) -> Any:
    if isinstance(value, torch.device) and value.type == "cuda":
        return torch.device("cpu")
    if isinstance(value, str) and (value == "cuda" or value.startswith("cuda:")):
        return "cpu"
    return value


class _AnyGenerator(type):
    """The type of the type below: generators of PyTorch are its objects."""

    def __call__(cls, device: Any = "cpu") -> torch.Generator:
        return _Generator(device=_on_cpu(device))

    def __instancecheck__(cls, value: object) -> bool:
        return isinstance(value, _Generator)


#: PyTorch's own.
_Generator = torch.Generator


class Generator(metaclass=_AnyGenerator):
    """Makes generators of random numbers on the CPU, on whatever device they are asked for."""


#: PyTorch's own.
_fork_rng = torch.random.fork_rng


def _fork_rng_of_cpu(devices: Any = None, enabled: bool = True, *_rest: Any, **_keywords: Any) -> AbstractContextManager[None]:
    """Random numbers within are those of a fork: of the one generator."""
    del devices
    return _fork_rng((), enabled)


_REPLACED: dict[types.ModuleType, dict[str, Any]] = {
    **_torch_cuda.replacements(),
    torch: {"Generator": Generator},
    torch.random: {"fork_rng": _fork_rng_of_cpu},
}
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
