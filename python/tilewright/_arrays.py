"""Arrays of other libraries, by the protocols that NumPy understands."""

from __future__ import annotations

from typing import Any

import numpy as np


def as_ndarray(value: Any) -> np.ndarray[Any, Any] | None:
    """The NumPy array that shares its memory with a value; None if it is no array."""
    if hasattr(value, "__dlpack__"):
        return _from_dlpack(value)
    try:
        view = memoryview(value)
    except TypeError:
        return None
    return np.asarray(view)


def _from_dlpack(value: Any) -> np.ndarray[Any, Any]:
    try:
        return np.from_dlpack(value)
    except (BufferError, RuntimeError, TypeError, ValueError) as error:
        # NumPy knows fewer types than DLPack has; what converts itself without a copy is as good.
        array = _shared_by_conversion(value)
        if array is None:
            raise TypeError(f"the {type(value).__name__} cannot be used on the CPU without a copy: {error}") from error
        return array


def _shared_by_conversion(value: Any) -> np.ndarray[Any, Any] | None:
    """The array that ``__array__`` gives, if it is the same memory each time."""
    if not hasattr(value, "__array__"):
        return None
    first, second = np.asarray(value), np.asarray(value)
    same = first.__array_interface__["data"][0] == second.__array_interface__["data"][0]
    return first if same else None
