"""Process groups of ``torch.distributed`` where the CPU takes the place of the device "cuda": the backend "nccl" is Gloo."""

from __future__ import annotations

import functools
import inspect
import os
import sys
import types
from collections.abc import Callable
from typing import Any

import torch
import torch.distributed as dist

from tilewright.cutile import _torch_devices
from tilewright.cutile._launch import share_cores

#: What torchrun tells the processes that it starts, and the argument of ``init_process_group`` that takes its place.
_OF_TORCHRUN = {"RANK": "rank", "WORLD_SIZE": "world_size", "MASTER_ADDR": None, "MASTER_PORT": None}


def _gloo_for_nccl(backend: str | None) -> str:
    """The backend that is used where this one is asked for: tensors lie on the CPU, so that of CPU and GPU are one."""
    if backend is not None and "nccl" not in backend.lower():
        return backend
    if not dist.is_gloo_available():
        raise RuntimeError("this build of PyTorch has no Gloo, which takes the place of NCCL with --torch-cuda: install another build")
    return "gloo"


def _adapted(original: Callable[..., Any], prepare: Callable[[dict[str, Any]], None]) -> Callable[..., Any]:
    """A function that makes groups, whose arguments by name are changed first."""
    signature = inspect.signature(original)

    @functools.wraps(original)
    def adapted(*args: Any, **kwargs: Any) -> Any:
        bound = signature.bind(*args, **kwargs)
        prepare(bound.arguments)
        return original(*bound.args, **bound.kwargs)

    return adapted


def _for_cpu(arguments: dict[str, Any]) -> None:
    """Leave out what is for NCCL and its devices."""
    arguments.pop("device_id", None)
    if type(arguments.get("pg_options")).__qualname__.startswith("ProcessGroupNCCL"):
        del arguments["pg_options"]


def _first_group(arguments: dict[str, Any]) -> None:
    arguments["backend"] = _gloo_for_nccl(arguments.get("backend"))
    _for_cpu(arguments)
    if arguments.get("store") is None and arguments.get("init_method") in (None, "env://"):
        _look_for_torchrun(arguments)


def _further_group(arguments: dict[str, Any]) -> None:
    # Left out, the backend is that of the first group.
    if arguments.get("backend") is not None:
        arguments["backend"] = _gloo_for_nccl(arguments["backend"])
    _for_cpu(arguments)


def _look_for_torchrun(arguments: dict[str, Any]) -> None:
    missing = [name for name, instead in _OF_TORCHRUN.items() if name not in os.environ and arguments.get(str(instead), -1) == -1]
    if missing:
        raise ValueError(
            f"init_process_group finds no {', '.join(missing)} in the environment, which torchrun tells the processes that it starts: "
            "run `torchrun --nproc-per-node N -m tilewright.cutile --torch-cuda SCRIPT`, or give init_method, rank and world_size"
        )


def _with_share_of_cores(init_process_group: Callable[..., Any]) -> Callable[..., Any]:
    """``init_process_group``, after which launches leave cores to the other processes of this machine."""

    @functools.wraps(init_process_group)
    def init(*args: Any, **kwargs: Any) -> None:
        init_process_group(*args, **kwargs)
        share_cores(int(os.environ.get("LOCAL_WORLD_SIZE", min(dist.get_world_size(), _torch_devices.count()))))

    return init


def _init_of_data_parallel(original: Callable[..., None]) -> Callable[..., None]:
    """``DistributedDataParallel`` of modules on the CPU, which takes no devices."""

    @functools.wraps(original)
    def init(self: Any, module: torch.nn.Module, device_ids: Any = None, output_device: Any = None, *args: Any, **kwargs: Any) -> None:
        del device_ids, output_device
        original(self, module, None, None, *args, **kwargs)

    return init


def replacements() -> dict[Any, dict[str, Any]]:
    """What takes the place of which names, in the modules of ``torch.distributed`` that have the same objects."""
    first = _with_share_of_cores(_adapted(dist.init_process_group, _first_group))
    by_original = {id(dist.init_process_group): first, id(dist.new_group): _adapted(dist.new_group, _further_group)}
    found: dict[Any, dict[str, Any]] = {}
    for name, module in list(sys.modules.items()):
        if isinstance(module, types.ModuleType) and f"{name}.".startswith("torch.distributed."):
            found[module] = {name: by_original[id(value)] for name, value in vars(module).items() if id(value) in by_original}
    found[dist]["is_nccl_available"] = dist.is_gloo_available
    data_parallel = torch.nn.parallel.DistributedDataParallel
    found[data_parallel] = {"__init__": _init_of_data_parallel(data_parallel.__init__)}
    return found
