"""Functions of PyTorch with the numbers of a GPU.

PyTorch's functions for the CPU round sums of 16-bit numbers in between, where those for a GPU round them once. And where a program allows
it (``torch.set_float32_matmul_precision``), a GPU rounds the factors of products of 32-bit numbers to tf32.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.functional import layer_norm, linear, scaled_dot_product_attention

#: Functions of tensors that are all factors.
_PRODUCTS = frozenset(
    {
        torch.bmm,
        torch.einsum,
        torch.matmul,
        torch.mm,
        torch.Tensor.__matmul__,
        torch.Tensor.__rmatmul__,
        torch.Tensor.bmm,
        torch.Tensor.matmul,
        torch.Tensor.mm,
    }
)
_SUMS = _PRODUCTS | {layer_norm, linear, torch.addmm, torch.baddbmm, torch.Tensor.addmm, torch.Tensor.baddbmm}
#: Code for a GPU asks for backends that the CPU lacks.
_BACKENDS = [SDPBackend.FLASH_ATTENTION, SDPBackend.MATH]


def call(func: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call a function of PyTorch."""
    if func is scaled_dot_product_attention:
        with sdpa_kernel(_BACKENDS):
            return _rounded_once(func, args, kwargs, torch.float32)
    if func in _SUMS:
        if func in _PRODUCTS and torch.get_float32_matmul_precision() != "highest":
            args = tuple(map(_rounded_to_tf32, args))
        return _rounded_once(func, args, kwargs, torch.float64)
    return func(*args, **kwargs)


def _rounded_once(func: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], wide: torch.dtype) -> Any:
    """Call a function in a wide type if its tensors are 16-bit floats of one type, or if it is to give another type."""
    dtypes = {value.dtype for value in (*args, *kwargs.values()) if isinstance(value, torch.Tensor)}
    if len(dtypes) != 1 or not (dtypes <= {torch.float16, torch.bfloat16} or kwargs.get("out_dtype")):
        return func(*args, **kwargs)
    [dtype] = dtypes
    wide = torch.promote_types(dtype, wide)

    def widened(value: Any) -> Any:
        return value.to(wide) if isinstance(value, torch.Tensor) else value

    of_result = {name: kwargs.get(name) for name in ("out", "out_dtype")}
    rest = {name: widened(value) for name, value in kwargs.items() if name not in of_result}
    result = func(*map(widened, args), **rest).to(of_result["out_dtype"] or dtype)
    return result if of_result["out"] is None else of_result["out"].copy_(result)


def _rounded_to_tf32(value: Any) -> Any:
    """The nearest numbers with 10 bits behind the point; gradients pass unchanged."""
    if not isinstance(value, torch.Tensor) or value.dtype != torch.float32:
        return value
    bits = value.detach().contiguous().view(torch.int32)
    rounded = ((bits + 0xFFF + ((bits >> 13) & 1)) & ~0x1FFF).view(torch.float32)
    change = (rounded - value.detach()).where(value.detach().isfinite(), 0)
    # Numbers and their neighbours in tf32 are so close that the difference is exact, and so is the sum.
    return value + change
