"""Memory that several processes have in common."""

from __future__ import annotations

import contextlib
import mmap
import os
import secrets
import socket
import tempfile
import weakref
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from typing_extensions import Self

_TOKEN_BYTES = 16


class Place(NamedTuple):
    """Where other processes find a segment."""

    host: str
    path: str
    size: int
    token: str


class Segment(mmap.mmap):
    """Memory of one process that others map too; it is given back when the last of them has dropped it."""

    place: Place

    @classmethod
    def new(cls, size: int) -> Self:
        """So many bytes, which are zeros."""
        if hasattr(os, "memfd_create"):
            # The system drops it with its last process, however that ends.
            file = os.memfd_create("tilewright")
            path, remove = f"/proc/{os.getpid()}/fd/{file}", False
        else:
            (file, path), remove = tempfile.mkstemp(prefix="tilewright-"), True
        try:
            os.ftruncate(file, size + _TOKEN_BYTES)
            segment = cls(file, size + _TOKEN_BYTES)
        except BaseException:
            _drop(file, path, remove, os.getpid())
            raise
        weakref.finalize(segment, _drop, file, path, remove, os.getpid())
        token = secrets.token_bytes(_TOKEN_BYTES)
        segment[size:] = token
        segment.place = Place(socket.gethostname(), path, size, token.hex())
        return segment

    @classmethod
    def of_other_process(cls, place: Place) -> Self:
        """The segment that another process of this machine has made; an OSError if it is not there."""
        file = os.open(place.path, os.O_RDWR)
        try:
            segment = cls(file, place.size + _TOKEN_BYTES)
        except ValueError as error:
            raise OSError(f"{place.path} is shorter than {place.size} bytes") from error
        finally:
            os.close(file)
        if segment[place.size :].hex() != place.token:
            raise OSError(f"{place.path} is something else")
        segment.place = place
        return segment


def _drop(file: int, path: str, remove: bool, process: int) -> None:
    """Close a file, and remove it, unless this is a process that was forked from the one that made it."""
    with contextlib.suppress(OSError):
        os.close(file)
        if remove and os.getpid() == process:
            os.unlink(path)
