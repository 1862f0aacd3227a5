"""``torch.ops.symm_mem`` where the CPU takes the place of the device "cuda": collectives on memory that the processes share.

Those of multicast (``multimem_...``) do what they do on a GPU, by reading and writing the memory of each process in turn. Sums of 16-bit
floats are formed in f32, in the order of the ranks, and rounded once. Operations that are not here say so.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

import torch

from tilewright.cutile._torch_symmetric import SymmetricMemory

_NAMESPACE = "symm_mem"


def _total(handle: SymmetricMemory, like: torch.Tensor, reduce_op: str) -> torch.Tensor:
    """The sum of what all processes have put into a symmetric tensor; all have read it when this returns."""
    if reduce_op != "sum":
        raise ValueError(f"torch.ops.symm_mem: expected the reduction 'sum', got '{reduce_op}'")
    handle.barrier()
    wide = torch.float32 if like.dtype in (torch.float16, torch.bfloat16) else like.dtype
    total = torch.zeros(like.shape, dtype=wide)
    for rank in range(handle.world_size):
        total += handle.get_remote_tensor(rank, like.shape, like.dtype)
    handle.barrier()
    return total.to(like.dtype)


def _sum_of(tensor: torch.Tensor, reduce_op: str, group_name: str) -> torch.Tensor:
    if not tensor.is_contiguous():
        raise ValueError("torch.ops.symm_mem: expected a contiguous tensor")
    return _total(SymmetricMemory.rendezvous(tensor, group_name), tensor, reduce_op)


def _all_reduce(tensor: torch.Tensor, reduce_op: str, group_name: str) -> torch.Tensor:
    return _sum_of(tensor, reduce_op, group_name)


def _all_reduce_out(tensor: torch.Tensor, reduce_op: str, group_name: str, out: torch.Tensor) -> torch.Tensor:
    return out.copy_(_sum_of(tensor, reduce_op, group_name))


def _all_reduce_in_place(tensor: torch.Tensor, reduce_op: str, group_name: str) -> torch.Tensor:
    return tensor.copy_(_sum_of(tensor, reduce_op, group_name))


def _all_reduce_copy(buffer: torch.Tensor, local: torch.Tensor, reduce_op: str, group_name: str) -> torch.Tensor:
    handle = SymmetricMemory.rendezvous(buffer, group_name)
    handle.get_remote_tensor(handle.rank, local.shape, local.dtype).copy_(local)
    return _total(handle, local, reduce_op)


def _all_reduce_copy_out(buffer: torch.Tensor, local: torch.Tensor, reduce_op: str, group_name: str, out: torch.Tensor) -> torch.Tensor:
    return out.copy_(_all_reduce_copy(buffer, local, reduce_op, group_name))


def _reduce_out(tensor: torch.Tensor, reduce_op: str, root: int, group_name: str, out: torch.Tensor) -> torch.Tensor:
    total = _sum_of(tensor, reduce_op, group_name)
    return out.copy_(total) if SymmetricMemory.rendezvous(tensor, group_name).rank == root else out


def _reduce_scatter_out(tensor: torch.Tensor, group_name: str, split_last_dim: bool, out: torch.Tensor) -> torch.Tensor:
    handle = SymmetricMemory.rendezvous(tensor, group_name)
    parts = _sum_of(tensor, "sum", group_name).chunk(handle.world_size, dim=-1 if split_last_dim else 0)
    return out.copy_(parts[handle.rank].reshape(out.shape))


def _all_gather_out(tensor: torch.Tensor, group_name: str, out: torch.Tensor) -> torch.Tensor:
    handle = SymmetricMemory.rendezvous(out, group_name)
    if out.numel() != handle.world_size * tensor.numel() or out.dtype != tensor.dtype:
        raise ValueError(f"torch.ops.symm_mem: {tensor.numel()} elements of each of {handle.world_size} processes are not {out.numel()}")
    handle.barrier()
    first = handle.rank * tensor.numel()
    for rank in range(handle.world_size):
        whole = handle.get_remote_tensor(rank, (out.numel(),), out.dtype)
        whole[first : first + tensor.numel()].copy_(tensor.reshape(-1))
    handle.barrier()
    return out


def _remote_tensors(tensor: torch.Tensor, group_name: str) -> list[torch.Tensor]:
    handle = SymmetricMemory.rendezvous(tensor, group_name)
    return [handle.get_remote_tensor(rank, tensor.shape, tensor.dtype) for rank in range(handle.world_size)]


_OPERATIONS: dict[str, Callable[..., Any]] = {
    "get_remote_tensors": _remote_tensors,
    "memset32_": SymmetricMemory.memset32,
    "multimem_all_gather_out": _all_gather_out,
    "multimem_all_reduce_": _all_reduce_in_place,
    "multimem_one_shot_all_reduce": _all_reduce,
    "multimem_one_shot_all_reduce_out": _all_reduce_out,
    "multimem_one_shot_reduce_out": _reduce_out,
    "one_shot_all_reduce": _all_reduce,
    "one_shot_all_reduce_copy": _all_reduce_copy,
    "one_shot_all_reduce_copy_out": _all_reduce_copy_out,
    "one_shot_all_reduce_out": _all_reduce_out,
    "reduce_scatter_out": _reduce_scatter_out,
    "stream_write_value32_": SymmetricMemory.stream_write_value32,
    "two_shot_all_reduce_": _all_reduce_in_place,
    "two_shot_all_reduce_out": _all_reduce_out,
}


def _refusal(name: str) -> Callable[..., NoReturn]:
    def refuse(*_arguments: Any, **_keywords: Any) -> NoReturn:
        raise NotImplementedError(
            f"torch.ops.symm_mem.{name} is not there with --torch-cuda: use the collectives of torch.distributed, or get_buffer and signals"
        )

    return refuse


def register() -> Any:
    """Let operations take tensors of the CPU, until what this gives is destroyed."""
    library = torch.library.Library(_NAMESPACE, "IMPL", "CPU")
    names = (schema.name.partition("::") for schema in torch._C._jit_get_all_schemas())
    for name in sorted({name for namespace, _, name in names if namespace == _NAMESPACE}):
        if not torch._C._dispatch_has_kernel_for_dispatch_key(f"{_NAMESPACE}::{name}", "CPU"):
            library.impl(name, _OPERATIONS.get(name, _refusal(name)))
    return library
