"""The devices of ``torch.cuda`` where the CPU takes their place: all of them are this machine's CPU.

A program of several processes takes one for each of them. Tensors lie in the same kind of memory whatever device they are asked for on.
"""

from __future__ import annotations

import os
import threading
from typing import Any

#: How many devices were asked for.
_asked: int | None = None
#: What ``set_device`` chose, for each thread.
_current = threading.local()


def set_count(devices: int | None) -> None:
    """Let there be so many devices; None stands for one for each process that torchrun starts on this machine."""
    global _asked
    if devices is not None and devices < 1:
        raise ValueError(f"the number of devices must be at least 1, got {devices}")
    _asked = devices


def asked() -> int | None:
    """How many devices were asked for."""
    return _asked


def count() -> int:
    """The number of devices."""
    return _asked or int(os.environ.get("LOCAL_WORLD_SIZE", "1"))


def current() -> int:
    """The number of the current device of this thread."""
    return getattr(_current, "index", 0)


def set_current(index: int) -> None:
    """Make a device the current one of this thread; a number below 0 changes nothing, as in PyTorch."""
    if index >= 0:
        _current.index = index


def index_of(device: Any) -> int:
    """The number of a device.

    It is -1 for None, and whatever is below 0, as PyTorch has it. A ``torch.device`` is that of the CPU, and stands for the current one.
    """
    if isinstance(device, int):
        index = device
    elif device is None:
        index = -1
    else:
        kind, _, number = str(device).partition(":")
        if kind not in ("cuda", "cpu"):
            raise ValueError(f"expected a device of CUDA, got {device}")
        index = int(number) if number else current()
    devices = count()
    if index >= devices:
        those = "one device, 0" if devices == 1 else f"{devices} devices, 0 to {devices - 1}"
        raise RuntimeError(f"there is no device {index}: --torch-cuda has {those}; --devices N makes them N")
    return index
