"""How modules, kernels, findings and maps of accesses look in a notebook."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from html import escape
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from tilewright._errors import source_line

if TYPE_CHECKING:
    from tilewright._access_map import AccessMap
    from tilewright._check import Finding
    from tilewright._native import Kernel, Module

#: Colours that are good on dark and on light pages.
_FINDING_STYLE = """
.tw-findings article { border: 1px solid rgba(128, 128, 128, .5); border-left: 4px solid #d64545; border-radius: 4px; padding: .5em .8em }
.tw-findings article { margin: .5em 0 }
.tw-findings h4 { margin: 0 0 .4em; font-size: 1em }
.tw-findings h4 code { background: #d64545; color: #fff; border-radius: 3px; padding: .1em .4em }
.tw-findings pre { margin: .2em 0; padding: .3em .6em; background: rgba(128, 128, 128, .12); overflow-x: auto; font-family: monospace }
.tw-findings mark { background: none; color: inherit; border-bottom: 2px solid #d64545 }
.tw-findings p { margin: .3em 0 }
.tw-findings .tw-where { opacity: .75 }
"""

#: The most rows and columns of an array that are drawn, and how large they are drawn, in pixels.
_MAX_ROWS, _MAX_COLUMNS = 96, 160
_WIDTH, _HEIGHT, _LARGEST_CELL, _SINGLE_ROW = 640, 400, 16, 28
#: The room that the number of a block takes in a rectangle.
_LABEL_HEIGHT, _DIGIT_WIDTH = 14, 7


def module(value: Module) -> str:
    """A module: its version, what is wrong with it, and its kernels."""
    findings = "".join(f"<li>{escape(finding)}</li>" for finding in value.verify())
    if findings:
        return f"<p><b>Tile IR {escape(value.version)}, not valid</b></p><ul>{findings}</ul>"
    return f"<p><b>Tile IR {escape(value.version)}</b></p>" + "".join(kernel(item) for item in value.kernels)


def kernel(value: Kernel) -> str:
    """A kernel: its name and parameters, and its operations to be opened."""
    parameters = ", ".join(value.parameters)
    summary = f"<summary><code><b>{escape(value.name)}</b>({escape(parameters)})</code></summary>"
    text = f'<pre style="font-family:monospace;white-space:pre;overflow-x:auto">{escape(value.explain())}</pre>'
    return f"<details>{summary}{text}</details>"


def findings(values: Sequence[Finding]) -> str:
    """What the checker found: for each finding the rule, what happened, the lines of source, and how to mend it."""
    return f'<section class="tw-findings"><style>{_FINDING_STYLE}</style>{"".join(map(_finding, values))}</section>'


def _finding(value: Finding) -> str:
    is_often = value.elements > 1 or value.blocks > 1
    often = f"{_count(value.elements, 'time')} in {_count(value.blocks, 'block')}; this is the first" if is_often else ""
    other = "" if value.other is None else f"<p>{_said(value.other['place'], value.other['what'])}</p>{_place(value.other['place'])}"
    return (
        f"<article><h4><code>{escape(value.rule)}</code> {_said(value.place, value.message)}</h4>{_place(value.place, often)}{other}"
        f"<p><b>Help:</b> {escape(value.help)}</p>"
        f"<details><summary>The whole report</summary><pre>{escape(value.text.strip())}</pre></details></article>"
    )


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _said(place: dict[str, Any], message: str) -> str:
    return f"{escape(place['operation'])}: {escape(message)}"


def _place(place: dict[str, Any], often: str = "") -> str:
    source = place.get("source")
    lines = []
    if source is not None:
        line = source_line(f"{source['file']}:{source['line']}:{source['column']}")
        folder, file = os.path.split(source["file"])
        # The file that IPython says a cell of a notebook is in does not exist.
        is_cell = os.path.basename(folder).startswith("ipykernel_")
        name = f"cell, line {source['line']}" if is_cell else f"{file}:{source['line']}"
        shown = f"<b>{escape(name)}</b>" if line is None else f"<b>{escape(name)}</b>  {_marked(line, source['column'])}"
        lines.append(f'<pre title="{escape(source["file"])}">{shown}</pre>')
    facts = [f"block {tuple(place['block'])}"]
    if element := place.get("element"):
        facts.append(f"element {_coordinates(element)} of the tile")
    if coordinates := place.get("coordinates"):
        facts.append(f"{_coordinates(coordinates)} of the tensor")
    if memory := place.get("memory"):
        facts.append(_memory(memory))
    if often:
        facts.append(often)
    lines.append(f'<p class="tw-where">{escape(" · ".join(facts))}</p>')
    return "".join(lines)


def _marked(line: str, column: int) -> str:
    """A line of source with what stands from a column on underlined; columns count from 1, or are not known."""
    start = max(column - 1, 0)
    start += len(line[start:]) - len(line[start:].lstrip())
    return f"{escape(line[:start])}<mark>{escape(line[start:])}</mark>"


def _coordinates(numbers: Iterable[int]) -> str:
    return f"({', '.join(map(str, numbers))})"


def _memory(memory: dict[str, Any]) -> str:
    buffer = memory.get("buffer")
    if buffer is None:
        return f"address {memory['address']:#x}"
    return f"{memory['bytes']} bytes from byte {buffer['offset']} of {buffer['name']}, which has {buffer['size']}"


def access_map(value: AccessMap) -> str:
    """A map of accesses: a picture of what was read, and one of what was written, with a colour for each block."""
    pictures = [
        _picture(title, blocks, value.grid) for title, blocks in (("reads", value.reads), ("writes", value.writes)) if (blocks >= 0).any()
    ]
    return "".join(pictures) or "<p>no accesses</p>"


def _picture(title: str, blocks: np.ndarray[Any, np.dtype[np.int64]], grid: tuple[int, int, int]) -> str:
    from tilewright._access_map import plane

    whole = plane(blocks)
    row_step, column_step = -(-whole.shape[0] // _MAX_ROWS), -(-whole.shape[1] // _MAX_COLUMNS)
    drawn = whole[::row_step, ::column_step]
    side = min(_LARGEST_CELL, _WIDTH / drawn.shape[1], _HEIGHT / drawn.shape[0])
    cell = (side, _SINGLE_ROW if blocks.ndim < 2 else side)
    rectangles = list(_rectangles(drawn))
    is_whole = row_step == column_step == 1
    shapes = [_shape(rectangle, cell, _said_of(rectangle, grid, blocks.ndim) if is_whole else "") for rectangle in rectangles]
    width, height = drawn.shape[1] * cell[0], drawn.shape[0] * cell[1]
    caption = f"{title}: {len(np.unique(blocks[blocks >= 0]))} of the {grid[0] * grid[1] * grid[2]} blocks of a grid {grid}"
    if blocks.ndim > 2:
        caption += ", at the start of all dimensions but two"
    if not is_whole:
        caption += f", {_some_of(row_step, 'rows')} and {_some_of(column_step, 'columns')}"
    return (
        f'<figure style="margin:.5em 0"><svg role="img" aria-label="{escape(caption)}" width="{width:g}" height="{height:g}" '
        f'viewBox="0 0 {width:g} {height:g}" shape-rendering="crispEdges" font-family="sans-serif" font-size="11" text-anchor="middle">'
        f'<rect width="100%" height="100%" fill="#888" fill-opacity=".2"/>{"".join(shapes)}</svg>'
        f"<figcaption>{escape(caption)}</figcaption></figure>"
    )


def _some_of(step: int, lines: str) -> str:
    return f"all {lines}" if step == 1 else f"one of {step} {lines}"


def _rectangles(plane: np.ndarray[Any, np.dtype[np.int64]]) -> Iterator[tuple[int, int, int, int, int]]:
    """The areas of blocks, as (block, column, row, columns, rows): runs of each row, together with equal runs of the rows below."""
    begun: dict[tuple[int, int, int], int] = {}
    rows = plane.shape[0]
    for row in range(rows + 1):
        runs = set(_runs(plane[row])) if row < rows else set()
        for run in [run for run in begun if run not in runs]:
            block, start, end = run
            first = begun.pop(run)
            yield block, start, first, end - start, row - first
        for run in sorted(runs):
            begun.setdefault(run, row)


def _runs(line: np.ndarray[Any, np.dtype[np.int64]]) -> Iterator[tuple[int, int, int]]:
    """Runs of the same block in a row, as (block, first, end)."""
    bounds = [0, *(np.flatnonzero(np.diff(line)) + 1).tolist(), len(line)]
    for start, end in pairwise(bounds):
        if end > start and line[start] >= 0:
            yield int(line[start]), start, end


def _said_of(rectangle: tuple[int, int, int, int, int], grid: tuple[int, int, int], dimensions: int) -> str:
    """What a rectangle says when it is pointed at: its block, and the elements."""
    block, column, row, columns, rows = rectangle
    place = block % grid[0], block // grid[0] % grid[1], block // (grid[0] * grid[1])
    ranges = [f"{row}:{row + rows}", f"{column}:{column + columns}"][-dimensions:]
    return f"<title>block {place}: [{', '.join(ranges)}]</title>"


def _shape(rectangle: tuple[int, int, int, int, int], cell: tuple[float, float], title: str) -> str:
    block, column, row, columns, rows = rectangle
    x, y, width, height = column * cell[0], row * cell[1], columns * cell[0], rows * cell[1]
    # Neighbours differ: the golden angle apart on the circle of hues.
    fill = f"hsl({block * 137.508 % 360:.0f} 60% 68%)"
    fits = height >= _LABEL_HEIGHT and width >= _DIGIT_WIDTH * len(str(block)) + 4
    label = f'<text x="{x + width / 2:g}" y="{y + height / 2 + 4:g}" fill="#111">{block}</text>' if fits else ""
    return f'<g>{title}<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" fill="{fill}"/>{label}</g>'
