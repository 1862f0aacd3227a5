"""Kernels with the source that they come from."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from tilewright._errors import source_line

if TYPE_CHECKING:
    from tilewright._native import Kernel

#: Where the column of the source begins, at most.
_WIDTH = 100


def explain(kernel: Kernel) -> str:
    """The operations of a kernel, one on a line, each with the line of source that it comes from."""
    rows = [("  " * depth + text, _source(place)) for depth, text, place in kernel.operations()]
    width = min(max((len(text) for text, _ in rows), default=0), _WIDTH)
    lines = [f"{kernel.name}({', '.join(kernel.parameters)})"]
    before = ""
    for text, source in rows:
        # What repeats the line above would only hide where the next one begins.
        lines.append(text if source in ("", before) else f"{text:{width}}  | {source}")
        before = source
    return "\n".join(lines)


def _source(place: tuple[str, int, int] | None) -> str:
    if place is None:
        return ""
    file, line, column = place
    code = source_line(f"{file}:{line}:{column}")
    return f"{os.path.basename(file)}:{line}" if code is None else f"{line}: {code.strip()}"
