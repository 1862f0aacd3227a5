"""``torch.distributed._symmetric_memory`` where the CPU takes the place of the device "cuda": memory that the processes share.

A tensor of ``symm_mem.empty`` lies in a segment that other processes can map. ``rendezvous`` maps the segments of all processes of a group
into each of them, so that kernels read and write the memory of the others. Behind the bytes of the tensor, a segment has the signal
pad: words by which processes wait for each other.
"""

from __future__ import annotations

import functools
import itertools
import json
import socket
import sys
import time
import types
import weakref
from collections import defaultdict
from collections.abc import Iterator, Sequence
from math import prod
from typing import Any, NoReturn

import numpy as np
import torch
import torch.distributed as dist
import torch.distributed._symmetric_memory as symm_mem
from torch.distributed import distributed_c10d as c10d

from tilewright._load import parse
from tilewright._native import Kernel
from tilewright.cutile._shared_memory import Place, Segment

#: What every tensor begins at a multiple of.
_ALIGNMENT = 16
#: A release and an acquire among all processes, which Python itself has not.
_EXCHANGE = """
entry @exchange(%word: tile<ptr<i32>>, %expected: tile<i32>, %new: tile<i32>, %found: tile<ptr<i32>>) {
  %old, %exchanged = atomic_cas_tko acq_rel sys %word, %expected, %new : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
  %told = store_ptr_tko weak %found, %old token = %exchanged : tile<ptr<i32>>, tile<i32> -> token
  return
}
"""

#: Each segment of this process, by the address of its first byte, while a tensor lies in it.
_segments: weakref.WeakValueDictionary[int, _TensorSegment] = weakref.WeakValueDictionary()
#: How many times the processes of a group have exchanged segments.
_turns: defaultdict[str, Iterator[int]] = defaultdict(itertools.count)


class _TensorSegment(Segment):
    """A segment of this process with a tensor in it, and its signal pad."""

    buffer_size: int
    pad_size: int
    group_name: str | None
    #: The segments of the other processes of groups, by the groups' names and their ranks. This one is not among them: what holds itself
    #: would be given back late, or never.
    of_others: dict[str, dict[int, Segment]]


@functools.cache
def _exchange_kernel() -> Kernel:
    return parse(_EXCHANGE)["exchange"]


def _exchange(words: np.ndarray[Any, Any], expected: int, new: int) -> int:
    """Write the first word if it is as expected; what it was."""
    found = np.zeros(1, np.int32)
    _exchange_kernel().launch(1, words, np.int32(expected), np.int32(new), found, threads=1)
    return int(found[0])


def _await_exchange(words: np.ndarray[Any, Any], expected: int, new: int, timeout_ms: int, what: str) -> None:
    """Write the first word as soon as it is as expected."""
    end = time.monotonic() + timeout_ms / 1e3 if timeout_ms else None
    pause = 0.0
    while _exchange(words, expected, new) != expected:
        if end is not None and time.monotonic() > end:
            raise TimeoutError(f"{what} within {timeout_ms} ms")
        time.sleep(pause)
        pause = min(pause + 2e-5, 1e-3)


class SymmetricMemory:
    """The memory of all processes of a group in which a tensor lies; what ``rendezvous`` gives."""

    signal_pad_size = 9216
    #: There is no memory that one access reaches in all processes.
    multicast_ptr = 0

    def __init__(self, segment: _TensorSegment, group: dist.ProcessGroup, offset: int) -> None:
        """Take the segments of a group, which are mapped."""
        self.rank, self.world_size = group.rank(), group.size()
        self.device = torch.device("cpu")
        self.buffer_size, self.signal_pad_size = segment.buffer_size, segment.pad_size
        self.offset = offset
        segments = segment.of_others[group.group_name] | {self.rank: segment}
        self._segments = [segments[rank] for rank in range(self.world_size)]
        self._bytes = [
            torch.frombuffer(memory, dtype=torch.uint8, count=self.buffer_size + self.signal_pad_size) for memory in self._segments
        ]
        self.buffer_ptrs = [whole.data_ptr() for whole in self._bytes]
        self.signal_pad_ptrs = [address + self.buffer_size for address in self.buffer_ptrs]
        self._tables = [torch.tensor(addresses, dtype=torch.int64) for addresses in (self.buffer_ptrs, self.signal_pad_ptrs)]
        self.buffer_ptrs_dev, self.signal_pad_ptrs_dev = (table.data_ptr() for table in self._tables)

    def get_buffer(self, rank: int, sizes: Sequence[int], dtype: torch.dtype, storage_offset: int = 0) -> torch.Tensor:
        """A tensor in the memory of a process, so many elements behind its first byte."""
        return _tensor_in(self._bytes[rank][: self.buffer_size], sizes, dtype, storage_offset * dtype.itemsize)

    def get_remote_tensor(self, peer: int, sizes: Sequence[int], dtype: torch.dtype) -> torch.Tensor:
        """The tensor of another process that lies where the tensor of this one does."""
        return _tensor_in(self._bytes[peer][: self.buffer_size], sizes, dtype, self.offset)

    def get_signal_pad(
        self, rank: int, sizes: Sequence[int] = (), dtype: torch.dtype | None = None, storage_offset: int = 0
    ) -> torch.Tensor:
        """The signal pad of a process, or a part of it, as 32-bit words if nothing else is said."""
        dtype = dtype or torch.uint32
        sizes = sizes or (self.signal_pad_size // dtype.itemsize - storage_offset,)
        return _tensor_in(self._bytes[rank][self.buffer_size :], sizes, dtype, storage_offset * dtype.itemsize)

    def put_signal(self, dst_rank: int, channel: int = 0, timeout_ms: int = 0) -> None:
        """Signal a process, as soon as it has taken the last signal of this one."""
        self._check(dst_rank, channel)
        what = f"put_signal: rank {dst_rank} did not take the last signal of rank {self.rank} on channel {channel}"
        _await_exchange(self._words(dst_rank, channel, self.rank), 0, 1, timeout_ms, what)

    def wait_signal(self, src_rank: int, channel: int = 0, timeout_ms: int = 0) -> None:
        """Wait for a signal of a process, and take it."""
        self._check(src_rank, channel)
        what = f"wait_signal: no signal of rank {src_rank} came to rank {self.rank} on channel {channel}"
        _await_exchange(self._words(self.rank, channel, src_rank), 1, 0, timeout_ms, what)

    def barrier(self, channel: int = 0, timeout_ms: int = 0) -> None:
        """Wait for all processes of the group."""
        others = [rank for rank in range(self.world_size) if rank != self.rank]
        for rank in others:
            self.put_signal(rank, channel, timeout_ms)
        for rank in others:
            self.wait_signal(rank, channel, timeout_ms)

    def _check(self, rank: int, channel: int) -> None:
        channels = self.signal_pad_size // (4 * self.world_size)
        if not (0 <= rank < self.world_size and 0 <= channel < channels):
            given = f"rank {rank}, channel {channel}"
            raise ValueError(
                f"{given}: there are {self.world_size} ranks, and a signal pad of {self.signal_pad_size} bytes has {channels} channels"
            )

    def _words(self, rank: int, channel: int, sender: int) -> np.ndarray[Any, Any]:
        """The signal pad of a process from the word on that another one signals with."""
        start = self.buffer_size + 4 * (channel * self.world_size + sender)
        return np.frombuffer(self._segments[rank], np.int32, count=1, offset=start)

    @staticmethod
    def empty_strided_p2p(
        size: Sequence[int],
        stride: Sequence[int],
        dtype: torch.dtype,
        device: Any,
        group_name: str | None = None,
        alloc_id: int | None = None,
    ) -> torch.Tensor:
        """A tensor in memory that other processes can map."""
        del device
        if alloc_id is not None:
            raise NotImplementedError("memory that alloc_id names is not there with --torch-cuda: leave it out")
        last = 0 if 0 in size else 1 + sum((extent - 1) * step for extent, step in zip(size, stride, strict=True))
        room = max(-(-last * dtype.itemsize // _ALIGNMENT), 1) * _ALIGNMENT
        segment = _TensorSegment.new(room + SymmetricMemory.signal_pad_size)
        segment.buffer_size, segment.pad_size = room, SymmetricMemory.signal_pad_size
        segment.group_name, segment.of_others = group_name, {}
        # The storage of the tensor holds the segment.
        whole = torch.frombuffer(segment, dtype=torch.uint8, count=room)
        _segments[whole.data_ptr()] = segment
        return whole.view(dtype).as_strided(tuple(size), tuple(stride))

    @staticmethod
    def is_symm_mem_tensor(tensor: torch.Tensor) -> bool:
        """Whether a tensor lies in memory that other processes can map."""
        return tensor.untyped_storage().data_ptr() in _segments

    @staticmethod
    def rendezvous(tensor: torch.Tensor, group_name: str | None = None) -> SymmetricMemory:
        """Map the memory of all processes of a group, all of which call this with tensors of the same size."""
        start = tensor.untyped_storage().data_ptr()
        segment = _segments.get(start)
        if segment is None:
            raise RuntimeError(
                "rendezvous takes tensors of torch.distributed._symmetric_memory.empty, whose memory can be shared: this is another"
            )
        name = group_name or segment.group_name
        if name is None:
            raise RuntimeError("rendezvous needs the name of a group: give group.group_name")
        group = c10d._resolve_process_group(name)
        if name not in segment.of_others:
            segment.of_others[name] = _segments_of_others(segment, group, name)
        return SymmetricMemory(segment, group, tensor.data_ptr() - start)

    @staticmethod
    def memset32(tensor: torch.Tensor, offset: int, val: int, count: int = 1) -> torch.Tensor:
        """Write a word several times, from the one with this number on."""
        _words_of(tensor, offset, count)[:] = val
        return tensor

    @staticmethod
    def stream_write_value32(tensor: torch.Tensor, offset: int, val: int) -> torch.Tensor:
        """Write a word that others wait for: they see everything that was written before."""
        word = _words_of(tensor, offset, 1).view(np.int32)
        new = int(np.uint32(val).view(np.int32))
        expected = int(word[0])
        while (found := _exchange(word, expected, new)) != expected:
            expected = found
        return tensor

    @staticmethod
    def set_group_info(*_of_group: Any) -> None:
        """Do nothing: the group is asked when it is needed."""

    @staticmethod
    def has_multicast_support(_device_type: Any, _device_index: int) -> bool:
        """Tell that there is none."""
        return False

    @staticmethod
    def get_backend(_device: Any) -> str:
        """Give the name of the backend whose memory others reach by its address."""
        return "CUDA"

    @staticmethod
    def set_backend(name: str) -> None:
        """Take the one backend."""
        if name != "CUDA":
            raise NotImplementedError(
                f"symmetric memory of {name} is not there with --torch-cuda: processes of one machine share it ('CUDA')"
            )

    @staticmethod
    def get_mempool_allocator(_device: Any) -> NoReturn:
        """Refuse."""
        raise NotImplementedError(
            "pools of symmetric memory are not there with --torch-cuda: use torch.distributed._symmetric_memory.empty"
        )

    def boxed(self) -> NoReturn:
        """Refuse."""
        raise NotImplementedError(
            "operations that take a handle of symmetric memory are not there with --torch-cuda: use get_buffer, signals and barrier"
        )


def _tensor_in(memory: torch.Tensor, sizes: Sequence[int], dtype: torch.dtype, start: int) -> torch.Tensor:
    end = start + prod(sizes) * dtype.itemsize
    if start < 0 or end > memory.numel():
        raise ValueError(f"{list(sizes)} of {dtype} from byte {start} on end at byte {end} of {memory.numel()}")
    return memory[start:end].view(dtype).view(tuple(sizes))


def _words_of(tensor: torch.Tensor, offset: int, count: int) -> np.ndarray[Any, Any]:
    if not tensor.is_contiguous() or tensor.dtype not in (torch.int32, torch.uint32):
        raise TypeError(f"expected a contiguous tensor of 32-bit integers, got {tensor.dtype}")
    if offset < 0 or count < 0 or offset + count > tensor.numel():
        raise ValueError(f"{count} words from {offset} on are not in a tensor of {tensor.numel()}")
    return tensor.view(-1).view(torch.int32)[offset : offset + count].numpy().view(np.uint32)


def _segments_of_others(segment: _TensorSegment, group: dist.ProcessGroup, name: str) -> dict[int, Segment]:
    """Exchange the places of segments with all processes of a group, and map theirs."""
    store = c10d.PrefixStore(f"tilewright/symmetric/{next(_turns[name])}", c10d._get_process_group_store(group))
    rank, ranks = group.rank(), range(group.size())
    store.set(f"place/{rank}", json.dumps(segment.place))
    places = {other: _place_of(other, store) for other in ranks if other != rank}
    found: dict[int, Segment] = {}
    problem = ""
    try:
        for other, place in places.items():
            found[other] = _segment_at(place, other, rank, segment)
    except RuntimeError as error:
        problem = str(error)
    # No segment may go before all are done with it, and all have to know if one could not map it.
    store.set(f"problem/{rank}", problem)
    problems = [store.get(f"problem/{other}").decode() for other in ranks]
    if any(problems):
        raise RuntimeError(next(filter(None, problems)))
    return found


def _place_of(rank: int, store: dist.Store) -> Place:
    try:
        return Place(*json.loads(store.get(f"place/{rank}")))
    except dist.DistError as error:
        raise RuntimeError(f"rank {rank} did not come to the rendezvous, which all processes of the group have to call: {error}") from error


def _segment_at(place: Place, rank: int, own_rank: int, own: _TensorSegment) -> Segment:
    if place.size != own.place.size:
        raise RuntimeError(
            f"rendezvous of {own.buffer_size} bytes on rank {own_rank} and of {place.size - own.pad_size} on rank {rank}: "
            "give all processes tensors of the same size"
        )
    try:
        return Segment.of_other_process(place)
    except OSError as error:
        hosts = f"rank {rank} is on {place.host}, rank {own_rank} on {socket.gethostname()}"
        raise RuntimeError(
            f"rank {own_rank} cannot map the symmetric memory of rank {rank} ({error}), which only processes of the same user on the same "
            f"machine can share: {hosts}"
        ) from error


def replacements() -> dict[Any, dict[str, Any]]:
    """What takes the place of which names."""
    original = symm_mem._SymmetricMemory
    size = getattr(original, "signal_pad_size", None)
    # Of older releases it is a property, which only the memory of a tensor has.
    if isinstance(size, int):
        SymmetricMemory.signal_pad_size = size
    found: dict[Any, dict[str, Any]] = {}
    for name, module in list(sys.modules.items()):
        if isinstance(module, types.ModuleType) and name.startswith(("torch.distributed", "torch._C._distributed_c10d")):
            names = [name for name, value in vars(module).items() if value is original]
            if names:
                found[module] = dict.fromkeys(names, SymmetricMemory)
    # NVSHMEM is found where its library is installed, whether or not there is a GPU.
    found[symm_mem] |= {"is_nvshmem_available": lambda: False} if hasattr(symm_mem, "is_nvshmem_available") else {}
    return found
