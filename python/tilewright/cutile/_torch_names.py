"""What each public name of ``torch.cuda`` does where the CPU takes the place of the device "cuda".

docs/torch-cuda.md is written from this table, and ``_torch_cuda.py`` does what it says.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Any


class Kind(enum.Enum):
    """How a name is met."""

    WORKS = "works"
    #: Takes any arguments, and gives a constant.
    NOTHING = "does nothing"
    #: Calling it, or making an object of it, is a NotImplementedError.
    REFUSED = "refused"


@dataclass(frozen=True)
class Entry:
    """A name: how it is met, more about that, and what a call gives that does nothing."""

    kind: Kind
    note: str
    value: Any = None

    @property
    def described(self) -> str:
        """The note, with the constant that a call gives."""
        if self.kind is not Kind.NOTHING or self.value is None:
            return self.note
        return f"{self.note}; gives `{self.value!r}`"


def _works(note: str) -> Entry:
    return Entry(Kind.WORKS, note)


def _nothing(note: str, value: Any = None) -> Entry:
    return Entry(Kind.NOTHING, note, value)


def _refused(note: str) -> Entry:
    return Entry(Kind.REFUSED, note)


_STORAGE = _works("that of the CPU")
_TENSOR = _works("the type of tensors on the CPU")
_ERROR = _works("the exception, which nothing raises here")
_GENERATOR = _works("the random numbers of the CPU, of which there is one generator")
_MODULE = _works("the module, whose functions are met as those of the same name here")
_NO_COUNT = "memory of a device is not counted"
_NO_SENSOR = _refused("there is no GPU whose sensors could be read")
_NO_ALLOCATOR = _refused("tensors lie in memory that PyTorch's allocator for the CPU gives")
_NO_GRAPH = _refused("CUDA graphs are not there: call the function as it is")
_NO_CUDA = _refused("the CUDA libraries are not used")

#: Every name of ``torch.cuda.__all__``, of PyTorch 2.8 and others, and what else programs use of the module.
NAMES: dict[str, Entry] = {
    **{f"{kind}Storage": _STORAGE for kind in ("BFloat16", "Bool", "Byte", "Char", "ComplexDouble", "ComplexFloat", "Double", "Float")},
    **{f"{kind}Storage": _STORAGE for kind in ("Half", "Int", "Long", "Short")},
    **{f"{kind}Tensor": _TENSOR for kind in ("BFloat16", "Bool", "Byte", "Char", "Double", "Float", "Half", "Int", "Long", "Short")},
    "AcceleratorError": _ERROR,
    "CUDAGraph": _NO_GRAPH,
    "CUDAPluggableAllocator": _NO_ALLOCATOR,
    "CudaError": _ERROR,
    "DeferredCudaCallError": _ERROR,
    "Event": _works("a point in time, by the clock of the CPU"),
    "ExternalStream": _works("a stream in which nothing is ever waiting"),
    "GreenContext": _NO_CUDA,
    "MemPool": _NO_ALLOCATOR,
    "OutOfMemoryError": _ERROR,
    "Stream": _works("a stream in which nothing is ever waiting"),
    "StreamContext": _works("the current stream is another one within it"),
    "amp": _works('the module as it is: autocast for "cuda" leaves tensors on the CPU in their types'),
    "caching_allocator_alloc": _NO_ALLOCATOR,
    "caching_allocator_delete": _NO_ALLOCATOR,
    "caching_allocator_disabled": _works("a context in which nothing changes"),
    "caching_allocator_enable": _nothing("tensors lie in the memory of the CPU"),
    "can_device_access_peer": _works("each device reaches every other one, which are the CPU"),
    "change_current_allocator": _NO_ALLOCATOR,
    "check_error": _NO_CUDA,
    "clock_rate": _NO_SENSOR,
    "cudaStatus": _works("the class of constants, as it is"),
    "cudart": _NO_CUDA,
    "current_blas_handle": _NO_CUDA,
    "current_device": _works("what `set_device` chose in this thread, or 0"),
    "current_solver_handle": _NO_CUDA,
    "current_stream": _works("the stream of the innermost `stream` or `set_stream`, or the default stream"),
    "default_generators": _works("for each device, the generator of the CPU"),
    "default_stream": _works("a stream in which nothing is ever waiting"),
    "device": _works("a type, and a context in which a device is the current one"),
    "device_count": _works("what `--devices` says, or the number of processes that torchrun starts on this machine, or 1"),
    "device_memory_used": _NO_SENSOR,
    "device_of": _works("a type, and a context in which the current device stays what it is"),
    "empty_cache": _nothing("nothing is cached"),
    "export_dot": _NO_GRAPH,
    "export_graph_data": _NO_GRAPH,
    "get_allocator_backend": _nothing("tensors lie in the memory of the CPU", "native"),
    "get_arch_list": _works("the target that kernels are compiled for"),
    "get_device_capability": _works("that of the target that kernels are compiled for"),
    "get_device_name": _nothing("the CPU, by this package", "CPU (Tilewright)"),
    "get_device_properties": _works("name, target, cores and memory of this machine; what else a GPU has is no attribute"),
    "get_gencode_flags": _NO_CUDA,
    "get_per_process_memory_fraction": _nothing("memory is not limited", 1.0),
    "get_rng_state": _GENERATOR,
    "get_rng_state_all": _GENERATOR,
    "get_stream_from_external": _works("a stream with this address, in which nothing is ever waiting"),
    "get_sync_debug_mode": _nothing("all launches are synchronous", 0),
    "graph": _NO_GRAPH,
    "graph_annotations": _works("the module as it is: there are no graphs to be annotated"),
    "graph_pool_handle": _NO_GRAPH,
    "graphs": _MODULE,
    "has_half": _works("the constant, as it is"),
    "has_magma": _works("the constant, as it is"),
    "host_memory_stats": _nothing(_NO_COUNT, {}),
    "host_memory_stats_as_nested_dict": _nothing(_NO_COUNT, {}),
    "init": _nothing("there is nothing to be initialized"),
    "initial_seed": _GENERATOR,
    "ipc_collect": _nothing("no memory of a device is shared"),
    "is_available": _nothing("kernels run on the CPU", True),
    "is_bf16_supported": _nothing("the CPU has bfloat16", True),
    "is_current_stream_capturing": _nothing("nothing is captured", False),
    "is_initialized": _nothing("there is nothing to be initialized", True),
    "is_tf32_supported": _nothing("products are rounded to tf32 where a program allows it", True),
    "jiterator": _works("the module as it is, whose functions refuse tensors on the CPU"),
    "list_gpu_processes": _NO_SENSOR,
    "make_graphed_callables": _NO_GRAPH,
    "manual_seed": _GENERATOR,
    "manual_seed_all": _GENERATOR,
    "max_memory_allocated": _nothing(_NO_COUNT, 0),
    "max_memory_cached": _nothing(_NO_COUNT, 0),
    "max_memory_reserved": _nothing(_NO_COUNT, 0),
    "mem_get_info": _works("the free and the whole memory of this machine, in bytes"),
    "memory": _MODULE,
    "memory_allocated": _nothing(_NO_COUNT, 0),
    "memory_cached": _nothing(_NO_COUNT, 0),
    "memory_reserved": _nothing(_NO_COUNT, 0),
    "memory_snapshot": _nothing(_NO_COUNT, []),
    "memory_stats": _nothing(_NO_COUNT, {}),
    "memory_stats_as_nested_dict": _nothing(_NO_COUNT, {}),
    "memory_summary": _nothing(_NO_COUNT, ""),
    "memory_usage": _NO_SENSOR,
    "nccl": _works("the module as it is: its functions refuse tensors on the CPU; `torch.distributed` is what works"),
    "nvtx": _works("the module: its ranges and marks do nothing"),
    "power_draw": _NO_SENSOR,
    "profiler": _works("the module as it is, whose `profile` raises `cudart`'s error"),
    "random": _MODULE,
    "reset_accumulated_host_memory_stats": _nothing(_NO_COUNT),
    "reset_accumulated_memory_stats": _nothing(_NO_COUNT),
    "reset_max_memory_allocated": _nothing(_NO_COUNT),
    "reset_max_memory_cached": _nothing(_NO_COUNT),
    "reset_peak_host_memory_stats": _nothing(_NO_COUNT),
    "reset_peak_memory_stats": _nothing(_NO_COUNT),
    "seed": _GENERATOR,
    "seed_all": _GENERATOR,
    "set_device": _works("changes the current device of this thread; a `torch.device` is that of the CPU, and changes nothing"),
    "set_per_process_memory_fraction": _nothing("memory is not limited"),
    "set_rng_state": _GENERATOR,
    "set_rng_state_all": _GENERATOR,
    "set_stream": _works("changes the current stream"),
    "set_sync_debug_mode": _nothing("all launches are synchronous"),
    "sparse": _works("the module as it is, which has nothing in it"),
    "stream": _works("the current stream is another one within it"),
    "streams": _MODULE,
    "synchronize": _nothing("a launch has ended when it returns"),
    "temperature": _NO_SENSOR,
    "tunable": _works("the module as it is, whose settings have no effect on the CPU"),
    "use_mem_pool": _NO_ALLOCATOR,
    "utilization": _NO_SENSOR,
}


def markdown() -> str:
    """The table as a page."""
    rows = "".join(f"| `{name}` | {entry.kind.value} | {entry.described} |\n" for name, entry in sorted(NAMES.items()))
    return f"""# `torch.cuda` on the CPU

With `--torch-cuda` (`install(torch_cuda=True)`, `pytest --tile-torch-cuda`), PyTorch's device "cuda" is the CPU. This is what each name
of `torch.cuda` does then. What is refused raises a `NotImplementedError` that names it.

Outside of `torch.cuda`: `torch.Generator(device="cuda")` is a generator of the CPU, `pin_memory=True` and `Tensor.pin_memory()` leave
tensors in ordinary memory, and functions that take a device take "cuda", with or without a number, and a number alone for the CPU.
`torch.accelerator` counts and synchronizes what `torch.cuda` does. Of `torch.distributed`, the backend "nccl" is Gloo, and symmetric memory
is shared by the processes ([programs of several devices](python.md#programs-of-several-devices)).

| name | here | |
|---|---|---|
{rows}
This page is written by `python -m tilewright.cutile._torch_names`.
"""


if __name__ == "__main__":
    print(markdown(), end="")
