"""The exceptions of the package."""

from __future__ import annotations

import linecache


class TilewrightError(Exception):
    """The base of all exceptions of this package."""


class LoadError(TilewrightError):
    """A file is neither bytecode nor text of Tile IR."""


class WriteError(TilewrightError):
    """A module uses what the version to be written lacks."""


class VerifyError(TilewrightError):
    """A module breaks rules of Tile IR. ``findings`` lists them."""

    def __init__(self, message: str, *, findings: list[str]) -> None:
        """Keep what was found."""
        super().__init__(message)
        self.findings = findings


class KernelError(TilewrightError):
    """Something about a kernel, and where: ``kernel``, ``block``, ``operation``, ``location`` (file:line:column)."""

    def __init__(
        self,
        message: str,
        *,
        kernel: str,
        block: tuple[int, int, int] | None = None,
        operation: str | None = None,
        location: str | None = None,
    ) -> None:
        """Keep the place, and add the line of the kernel's source to the message where the file is there."""
        self.source_line = source_line(location)
        excerpt = "" if location is None or self.source_line is None else _excerpt(location, self.source_line)
        super().__init__(message + excerpt)
        self.kernel = kernel
        self.block = block
        self.operation = operation
        self.location = location


class PlanError(KernelError):
    """The engine cannot run a kernel, and says why."""


class LaunchError(KernelError):
    """A launch failed: an assertion, an access outside of the arrays, arguments that do not fit."""


def split_location(location: str) -> tuple[str, int, int] | None:
    """The file, line and column of ``file:line:column``."""
    match location.rsplit(":", 2):
        case [file, line, column] if line.isdigit() and column.isdigit():
            return file, int(line), int(column)
    return None


def source_line(location: str | None) -> str | None:
    """The line of source that a location names, if its file can be read."""
    place = split_location(location) if location else None
    if place is None:
        return None
    return linecache.getline(place[0], place[1]).rstrip() or None


def _excerpt(location: str, line: str) -> str:
    # Without a mark at the column: some compilers count columns from 0, some from 1.
    place = split_location(location)
    return "" if place is None else f'\n  File "{place[0]}", line {place[1]}\n    {line.lstrip()}'


for _error in (TilewrightError, LoadError, WriteError, VerifyError, KernelError, PlanError, LaunchError):
    _error.__module__ = "tilewright"
