"""Loading modules, and arguments for their kernels."""

from __future__ import annotations

import os
from typing import Any

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
        name = os.fsencode(source).decode(errors="backslashreplace")
        with open(source, "rb") as file:
            data = file.read()
    elif isinstance(source, (bytes, bytearray, memoryview)):
        data = bytes(source)
    else:
        raise TypeError(f"expected a path or the bytes of a file, got {type(source).__name__}")
    return Module.from_bytes(data, name, version)


def parse(text: str, *, name: str = "<text>", version: str | None = None) -> Module:
    """Parse the text of a module; ``name`` is what errors call it.

    Text is checked by the rules of ``version``, such as "13.4", or by the latest. Raises LoadError for text with errors.
    """
    if not isinstance(text, str):
        raise TypeError(f"expected text, got {type(text).__name__}: tilewright.load takes paths and bytes")
    # A part of a character that is not text is an error with its place.
    return Module.from_bytes(text.encode(errors="surrogatepass"), name, version)


def _is_file(path: str) -> bool:
    try:
        return os.path.exists(path)
    except ValueError:
        return False


def spread(array: Any) -> tuple[Any, ...]:
    """Give an array, its extents and its strides in elements: the arguments that a kernel of cuTile Python takes for an array."""
    found = describe(array)
    if found is None:
        raise TypeError(f"expected an array, got {type(array).__name__}")
    return (array, *found.shape, *found.strides)
