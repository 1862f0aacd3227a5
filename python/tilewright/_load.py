"""Loading modules, and arguments for their kernels."""

from __future__ import annotations

import os
from typing import Any

from tilewright._errors import LoadError
from tilewright._native import Module, describe


def load(source: str | os.PathLike[str] | bytes | bytearray | memoryview, *, version: str | None = None) -> Module:
    """Load a module from a file, or from the bytes of one: bytecode or text, whichever it is.

    A string is a path; ``parse`` takes text. Text is checked by the rules of ``version``, such as "13.4", or by the latest.

    Raises LoadError for what is neither; a module that breaks the rules of Tile IR can be loaded, and ``verify`` says what is
    wrong with it.
    """
    name = "<bytes>"
    if isinstance(source, (str, os.PathLike)):
        if isinstance(source, str) and ("{" in source or "\n" in source) and not _is_file(source):
            raise ValueError("expected a path, got what looks like the text of a module: tilewright.parse takes text")
        name = os.fsdecode(source)
        with open(source, "rb") as file:
            data = file.read()
    elif isinstance(source, (bytes, bytearray, memoryview)):
        data = bytes(source)
    else:
        raise TypeError(f"expected a path or the bytes of a file, got {type(source).__name__}")
    text = _as_text(data)
    try:
        return Module.from_bytecode(data) if text is None else Module.from_text(text, name, version)
    except LoadError as error:
        raise LoadError(f"{name}: {error}") from None


def parse(text: str, *, name: str = "<text>", version: str | None = None) -> Module:
    """Parse the text of a module; ``name`` is what errors call it.

    Text is checked by the rules of ``version``, such as "13.4", or by the latest. Raises LoadError for text with errors.
    """
    if not isinstance(text, str):
        raise TypeError(f"expected text, got {type(text).__name__}: tilewright.load takes paths and bytes")
    return Module.from_text(text, name, version)


def _is_file(path: str) -> bool:
    try:
        return os.path.exists(path)
    except ValueError:
        return False


def _as_text(data: bytes) -> str | None:
    """The text that bytes are; None if they are not text."""
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return None
    return text if text and all(c.isprintable() or c.isspace() for c in text) else None


def spread(array: Any) -> tuple[Any, ...]:
    """Give an array, its extents and its strides in elements: the arguments that a kernel of cuTile Python takes for an array."""
    found = describe(array)
    if found is None:
        raise TypeError(f"expected an array, got {type(array).__name__}")
    return (array, *found.shape, *found.strides)
