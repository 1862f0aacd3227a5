"""Which block of a launch touches which elements of an array."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

if TYPE_CHECKING:
    from tilewright._native import ArrayDescription, Trace

#: How blocks are drawn in text, in turns.
_SYMBOLS = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
#: The largest part of an array that is drawn in text.
_MAX_ROWS, _MAX_COLUMNS = 64, 128


@dataclass(frozen=True, repr=False)
class AccessMap:
    """The accesses of a launch to one array.

    ``reads`` and ``writes`` have the shape of the array, and hold the number of the block that came last, or -1. Blocks are numbered
    along x first, then y, then z.
    """

    grid: tuple[int, int, int]
    reads: np.ndarray[Any, np.dtype[np.int64]]
    writes: np.ndarray[Any, np.dtype[np.int64]]

    def __repr__(self) -> str:
        readers, writers = (len(np.unique(blocks[blocks >= 0])) for blocks in (self.reads, self.writes))
        return f"<AccessMap of an array {self.reads.shape}: of the blocks of a grid {self.grid}, {readers} read and {writers} write it>"

    def __str__(self) -> str:
        """Draw the map as text: a symbol for the block of each element, a dot where none came."""
        parts = []
        for title, blocks in (("reads", self.reads), ("writes", self.writes)):
            if (blocks >= 0).any():
                parts.append(f"{title}\n{_draw(plane(blocks))}")
        return "\n".join(parts) or "no accesses"

    def _repr_html_(self) -> str:
        from tilewright import _html

        return _html.access_map(self)

    def plot(self, axes: Any = None) -> Any:
        """Draw the map with matplotlib, and return the axes: what was written, or else what was read."""
        import matplotlib.pyplot as plt

        blocks, title = (self.writes, "writes") if (self.writes >= 0).any() else (self.reads, "reads")
        axes = axes if axes is not None else plt.subplots()[1]
        axes.imshow(np.ma.masked_less(plane(blocks), 0), cmap="tab20", interpolation="nearest", aspect="auto")
        axes.set_title(f"{title}, by block of a grid {self.grid}")
        axes.set_xlabel(f"dimension {blocks.ndim - 1}")
        if blocks.ndim > 1:
            axes.set_ylabel(f"dimension {blocks.ndim - 2}")
        return axes


def access_map(trace: Trace, grid: int | tuple[int, ...], args: tuple[Any, ...], array: Any = None) -> AccessMap:
    """The map of one array of a launch: the object ``array`` itself, its position among the arrays, or the last array."""
    position = _position(trace, args, array)
    x, y, z = (*((grid,) if isinstance(grid, int) else tuple(grid)), 1, 1)[:3]
    description = trace.arrays[position]
    maps = _Maps(description)
    for block, reads, writes, offset, count in trace.accesses(position):
        maps.add(block[0] + x * (block[1] + y * block[2]), reads, writes, offset, count)
    return AccessMap((x, y, z), *maps.views())


def _position(trace: Trace, args: tuple[Any, ...], array: Any) -> int:
    if not trace.arrays:
        raise ValueError("the launch has no arrays")
    if array is None:
        return len(trace.arrays) - 1
    if isinstance(array, int):
        if not 0 <= array < len(trace.arrays):
            raise IndexError(f"the launch has {len(trace.arrays)} arrays")
        return array
    from tilewright._native import describe

    wanted = describe(array)
    for position, found in enumerate(trace.arrays):
        if wanted is not None and (wanted.address, wanted.shape, wanted.strides) == (found.address, found.shape, found.strides):
            return position
    raise ValueError("the array is none of the launch")


class _Maps:
    """The maps of an array, over all elements from its first to its last in memory."""

    def __init__(self, array: ArrayDescription) -> None:
        self._array = array
        reach = [(extent - 1) * stride for extent, stride in zip(array.shape, array.strides, strict=True)]
        self._below = -sum(r for r in reach if r < 0)
        length = 0 if 0 in array.shape else self._below + sum(r for r in reach if r > 0) + 1
        self._last = np.full((2, length), -1, np.int64)

    def add(self, block: int, reads: bool, writes: bool, offset: int, count: int) -> None:
        size = self._array.itemsize
        part = slice(self._below + offset // size, self._below + (offset + count + size - 1) // size)
        for row, happens in enumerate((reads, writes)):
            if happens:
                self._last[row, part] = block

    def views(self) -> list[np.ndarray[Any, np.dtype[np.int64]]]:
        return [self._view(flat) for flat in self._last]

    def _view(self, flat: np.ndarray[Any, np.dtype[np.int64]]) -> np.ndarray[Any, np.dtype[np.int64]]:
        if 0 in self._array.shape:
            return np.zeros(self._array.shape, np.int64)
        strides = [stride * flat.itemsize for stride in self._array.strides]
        return as_strided(flat[self._below :], self._array.shape, strides).copy()


def plane(blocks: np.ndarray[Any, np.dtype[np.int64]]) -> np.ndarray[Any, np.dtype[np.int64]]:
    """The last two dimensions, at the start of all others."""
    while blocks.ndim > 2:
        blocks = blocks[0]
    return np.atleast_2d(blocks)


def _draw(drawn: np.ndarray[Any, np.dtype[np.int64]]) -> str:
    rows, columns = drawn.shape
    shown = drawn[:_MAX_ROWS, :_MAX_COLUMNS]
    lines = ["".join("." if block < 0 else _SYMBOLS[block % len(_SYMBOLS)] for block in row) for row in shown]
    if columns > _MAX_COLUMNS:
        lines = [line + " ..." for line in lines]
    if rows > _MAX_ROWS:
        lines.append(f"... {rows - _MAX_ROWS} more rows")
    return "\n".join(lines)
