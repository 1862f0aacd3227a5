"""PyTorch's device "cuda" on the CPU, so that code written for a GPU runs as it is.

Tensors that are asked for on "cuda", or on a device by its number, are made on the CPU, and say that they are on a GPU when asked with
``is_cuda``. Streams, events and synchronization are there and do nothing, since every launch has ended when it returns.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

import torch
import torch.distributed
from torch.overrides import TorchFunctionMode

from tilewright.cutile import _torch_cuda, _torch_devices, _torch_numbers
from tilewright.cutile._launch import look_at_arrays_in


class CudaOnCpu(TorchFunctionMode):
    """Sends to the CPU what asks for the device "cuda"."""

    def __torch_function__(
        self, func: Callable[..., Any], types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        """Call a function of PyTorch with the CPU in the place of a GPU."""
        if func == torch.Tensor.is_cuda.__get__:
            return True
        if func == torch.Tensor.get_device:
            return _torch_devices.current()
        if func in (torch.Tensor.cuda, torch.Tensor.pin_memory):
            return args[0]
        if func is torch.device:
            return _on_cpu(func(*args, **(kwargs or {})))
        args = tuple(map(_on_cpu, args))
        if func == torch.Tensor.to and len(args) > 1:
            args = (args[0], _numbered_on_cpu(args[1]), *args[2:])
        # Only a driver of CUDA can pin memory, and there is no copy to a device that it would make faster.
        kwargs = {name: _on_cpu(value) for name, value in (kwargs or {}).items() if name != "pin_memory"}
        if "device" in kwargs:
            kwargs["device"] = _numbered_on_cpu(kwargs["device"])
        return _torch_numbers.call(func, args, kwargs)


def _on_cpu(value: Any) -> Any:
    if isinstance(value, torch.device) and value.type == "cuda":
        return torch.device("cpu")
    if isinstance(value, str) and (value == "cuda" or value.startswith("cuda:")):
        return "cpu"
    return value


def _numbered_on_cpu(device: Any) -> Any:
    """The CPU in the place of a device that is given by its number, too."""
    return "cpu" if isinstance(device, int) else _on_cpu(device)


class _AnyGenerator(type):
    """The type of the type below: generators of PyTorch are its objects."""

    def __call__(cls, device: Any = "cpu") -> torch.Generator:
        return _Generator(device=_numbered_on_cpu(device))

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


#: What is replaced in which modules and classes.
_REPLACED: dict[Any, dict[str, Any]] = {
    **_torch_cuda.replacements(),
    torch: {"Generator": Generator},
    torch.random: {"fork_rng": _fork_rng_of_cpu},
}
if torch.distributed.is_available():
    from tilewright.cutile import _torch_distributed, _torch_symmetric

    for replacements in (_torch_symmetric.replacements(), _torch_distributed.replacements()):
        for place, names in replacements.items():
            _REPLACED.setdefault(place, {}).update(names)

_mode: CudaOnCpu | None = None
#: What operations of PyTorch do on the CPU.
_library: Any = None
_original: dict[tuple[Any, str], Any] = {}


def enabled() -> bool:
    """Whether the CPU is in the place of the device "cuda"."""
    return _mode is not None


def enable(devices: int | None = None) -> None:
    """Put the CPU in the place of the device "cuda", in this thread; of so many devices, if they are given."""
    global _library, _mode
    if devices is not None:
        _torch_devices.set_count(devices)
    if _mode is not None:
        return
    for place, replacements in _REPLACED.items():
        for name, replacement in replacements.items():
            _original[place, name] = getattr(place, name)
            setattr(place, name, replacement)
    if torch.distributed.is_available():
        from tilewright.cutile import _torch_symm_mem

        _library = _torch_symm_mem.register()
    _mode = CudaOnCpu()
    _mode.__enter__()
    look_at_arrays_in(torch._C.DisableTorchFunction)


def disable() -> None:
    """Take back what ``enable`` did."""
    global _library, _mode
    if _mode is None:
        return
    if _library is not None:
        _library._destroy()
        _library = None
    look_at_arrays_in(contextlib.nullcontext)
    _torch_devices.set_count(None)
    _mode.__exit__(None, None, None)
    _mode = None
    for (place, name), original in _original.items():
        setattr(place, name, original)
    _original.clear()
