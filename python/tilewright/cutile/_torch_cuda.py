"""What takes the place of the names of ``torch.cuda``, as the table in ``_torch_names.py`` says."""

from __future__ import annotations

import os
import sys
import threading
import time
import types
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

import torch

from tilewright.cutile import _torch_devices
from tilewright.cutile._driver import compute_capability
from tilewright.cutile._torch_names import NAMES, Entry, Kind


class Stream:
    """A stream in which nothing is ever waiting."""

    def __init__(self, *_args: Any, stream_ptr: int = 0, **_kwargs: Any) -> None:
        """Take what a stream takes."""
        self.cuda_stream = stream_ptr
        self.device = torch.device("cuda", 0)

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


class ExternalStream(Stream):
    """A stream with an address of the program's."""

    def __init__(self, stream_ptr: int, device: Any = None, **_kwargs: Any) -> None:
        """Keep the address."""
        super().__init__(device, stream_ptr=stream_ptr)


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


_DEFAULT_STREAM = Stream()
_current = threading.local()


def _current_stream(_device: Any = None) -> Stream:
    return getattr(_current, "stream", _DEFAULT_STREAM)


def _set_stream(stream: Stream | None) -> None:
    if stream is not None:
        _current.stream = stream


class StreamContext:
    """A context in which a stream is the current one."""

    def __init__(self, stream: Stream | None) -> None:
        """Keep the stream for the context; None changes nothing."""
        self.stream = stream
        self._before: Stream | None = None

    def __enter__(self) -> None:
        """Begin the context."""
        self._before = _current_stream()
        _set_stream(self.stream)

    def __exit__(self, *_error: object) -> None:
        """End the context."""
        _set_stream(self._before)


class device:
    """A context in which a device is the current one."""

    def __init__(self, device: Any) -> None:
        """Take the device."""
        self.idx = _torch_devices.index_of(device)
        self.prev_idx = -1

    def __enter__(self) -> None:
        """Begin the context."""
        self.prev_idx = _torch_devices.current()
        _torch_devices.set_current(self.idx)

    def __exit__(self, *_error: object) -> None:
        """End the context."""
        _torch_devices.set_current(self.prev_idx)


class device_of(device):
    """A context in which the device of a tensor is the current one."""

    def __init__(self, obj: Any) -> None:
        """Take the tensor."""
        super().__init__(_torch_devices.current() if obj.is_cuda else None)


class _Generators(Sequence[torch.Generator]):
    """The generators of all devices, which are the one of the CPU."""

    def __len__(self) -> int:
        return _torch_devices.count()

    def __getitem__(self, index: Any) -> Any:
        return ((_generator(),) * len(self))[index]


@dataclass(frozen=True)
class DeviceProperties:
    """What ``get_device_properties`` tells of the CPU."""

    name: str
    major: int
    minor: int
    multi_processor_count: int
    total_memory: int
    L2_cache_size: int


def _device_properties(_device: Any = None) -> DeviceProperties:
    major, minor = compute_capability()
    name = NAMES["get_device_name"].value
    return DeviceProperties(name, major, minor, os.cpu_count() or 1, total_memory=_memory_of_machine()[1], L2_cache_size=0)


def _memory_of_machine(_device: Any = None) -> tuple[int, int]:
    """The free and the whole memory, in bytes."""
    if not hasattr(os, "sysconf"):
        raise NotImplementedError(f"the memory of this machine cannot be told on {sys.platform}")
    page = os.sysconf("SC_PAGE_SIZE")
    total = page * os.sysconf("SC_PHYS_PAGES")
    try:
        with open("/proc/meminfo") as lines:
            # What can be had includes the cache of files, which the number of unused pages leaves out.
            [available] = [int(line.split()[1]) << 10 for line in lines if line.startswith("MemAvailable:")]
    except (OSError, ValueError):
        unused = "SC_AVPHYS_PAGES"
        available = page * os.sysconf(unused) if unused in os.sysconf_names else total
    return min(available, total), total


def _set_device(device: Any) -> None:
    _torch_devices.set_current(_torch_devices.index_of(device))


def _can_access_peer(device: Any, peer_device: Any) -> bool:
    return _torch_devices.index_of(device) != _torch_devices.index_of(peer_device)


def _generator() -> torch.Generator:
    return torch.default_generator


def _set_rng_states(states: Any) -> None:
    for state in states:
        _generator().set_state(state)


def _arch_list() -> list[str]:
    major, minor = compute_capability()
    return [f"sm_{major}{minor}"]


def _refusing(name: str, entry: Entry) -> type:
    """A type of which there are no objects, in the place of a function or a type."""

    def refuse(*_args: Any, **_kwargs: Any) -> NoReturn:
        raise NotImplementedError(f"torch.cuda.{name} is not there with --torch-cuda: {entry.note}")

    # PyTorch looks at what its own context managers wrap.
    wrapped = {"__wrapped__": refuse} if hasattr(getattr(torch.cuda, name), "__wrapped__") else {}
    return type(name, (), {"__new__": refuse, "__doc__": entry.note, "__module__": "torch.cuda", **wrapped})


def _giving(value: Any) -> Callable[..., Any]:
    def give(*_args: Any, **_kwargs: Any) -> Any:
        # The caller may change it.
        return value.copy() if isinstance(value, (dict, list)) else value

    return give


#: What works by something else than what PyTorch has.
WORKING: dict[str, Any] = {
    "Event": Event,
    "ExternalStream": ExternalStream,
    "Stream": Stream,
    "StreamContext": StreamContext,
    "caching_allocator_disabled": lambda: StreamContext(None),
    "can_device_access_peer": _can_access_peer,
    "current_device": _torch_devices.current,
    "current_stream": _current_stream,
    "default_generators": _Generators(),
    "default_stream": lambda _device=None: _DEFAULT_STREAM,
    "device": device,
    "device_count": _torch_devices.count,
    "device_of": device_of,
    "get_arch_list": _arch_list,
    "get_device_capability": lambda _device=None: compute_capability(),
    "get_device_properties": _device_properties,
    "get_rng_state": lambda _device=None: _generator().get_state(),
    "get_rng_state_all": lambda: [generator.get_state() for generator in _Generators()],
    "get_stream_from_external": ExternalStream,
    "initial_seed": lambda: _generator().initial_seed(),
    "manual_seed": lambda seed: _generator().manual_seed(int(seed)) and None,
    "manual_seed_all": lambda seed: _generator().manual_seed(int(seed)) and None,
    "mem_get_info": _memory_of_machine,
    "seed": lambda: _generator().seed() and None,
    "seed_all": lambda: _generator().seed() and None,
    "set_device": _set_device,
    "set_rng_state": lambda state, device=None: _generator().set_state(state) and None,
    "set_rng_state_all": _set_rng_states,
    "set_stream": _set_stream,
    "stream": StreamContext,
    **{name: getattr(torch, name) for name in NAMES if name.endswith(("Storage", "Tensor"))},
}

#: What takes the place of functions of ``torch.cuda.nvtx``.
_NVTX: dict[str, Any] = {
    "mark": _giving(None),
    "range": lambda *_args, **_kwargs: StreamContext(None),
    "range_end": _giving(None),
    "range_pop": _giving(0),
    "range_push": _giving(0),
    "range_start": _giving(0),
}

#: What takes the place of functions of ``torch.accelerator``, which ask a driver where PyTorch is built for CUDA.
_ACCELERATOR: dict[str, Any] = {
    "current_device_idx": _torch_devices.current,
    "current_device_index": _torch_devices.current,
    "current_stream": _current_stream,
    "device_count": _torch_devices.count,
    "set_device_idx": _set_device,
    "set_device_index": _set_device,
    "set_stream": _set_stream,
    "synchronize": _giving(None),
}


def replacements() -> dict[types.ModuleType, dict[str, Any]]:
    """What takes the place of which names, in ``torch.cuda`` and in the modules in it that have the same objects."""
    # Another release may lack some of them.
    here = {name: value for name, value in WORKING.items() if hasattr(torch.cuda, name)}
    for name, entry in ((name, entry) for name, entry in NAMES.items() if hasattr(torch.cuda, name)):
        if entry.kind is Kind.NOTHING:
            here[name] = _giving(entry.value)
        elif entry.kind is Kind.REFUSED:
            here[name] = _refusing(name, entry)
    by_original = {id(getattr(torch.cuda, name)): value for name, value in here.items() if callable(getattr(torch.cuda, name))}
    found = {torch.cuda: here, torch.cuda.nvtx: {name: value for name, value in _NVTX.items() if hasattr(torch.cuda.nvtx, name)}}
    if accelerator := getattr(torch, "accelerator", None):
        found[accelerator] = {name: value for name, value in _ACCELERATOR.items() if hasattr(accelerator, name)}
    for module_name in [name for name in sys.modules if name.startswith("torch.cuda.")]:
        module = sys.modules[module_name]
        if isinstance(module, types.ModuleType) and module is not torch.cuda.nvtx:
            same = {name: by_original[id(value)] for name, value in vars(module).items() if id(value) in by_original}
            found[module] = same
    return found
