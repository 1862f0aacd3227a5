"""Compiled kernels on disk, shared by all processes of a user.

An entry is a file: a line of JSON with the length and the hash of the bytecode, then the bytecode. Whatever is not exactly that counts as
absent, and is replaced when the kernel has been compiled. Files appear whole, by renaming, so that processes need no locks.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import sys
import tempfile
from pathlib import Path

_log = logging.getLogger("tilewright.cutile")

#: What a file begins with, as JSON has it: the layout of an entry.
_FORMAT = "tilewright-kernel-1"
#: The length of the first line of a file, at most.
_MAX_HEADER = 512
#: The folder has this many parts, each with its share of the size; a part is looked through when an entry comes to it.
_PARTS = 256
_DEFAULT_SIZE = 256 << 20


class DiskCache:
    """Bytecode by key, in a folder that keeps below a size: the entries that were not used for the longest time go."""

    def __init__(self, folder: str | os.PathLike[str], size: int = _DEFAULT_SIZE) -> None:
        """Keep entries in ``folder``, of ``size`` bytes in all."""
        self.folder = Path(folder)
        self._part_size = size // _PARTS

    @classmethod
    def from_environment(cls) -> DiskCache | None:
        """The cache that TILEWRIGHT_CACHE_DIR and TILEWRIGHT_CACHE_SIZE ask for; None if the folder's name is empty."""
        folder = os.environ.get("TILEWRIGHT_CACHE_DIR")
        if folder is None:
            folder = _users_folder()
        if not folder:
            return None
        size = os.environ.get("TILEWRIGHT_CACHE_SIZE", str(_DEFAULT_SIZE))
        if not size.isdecimal():
            raise ValueError(f"TILEWRIGHT_CACHE_SIZE must be a number of bytes, not {size!r}")
        return cls(folder, int(size))

    def load(self, key: str) -> bytes | None:
        """The bytecode of a key, if it is there and undamaged."""
        path = self._path(key)
        try:
            data = path.read_bytes()
            code = _decode(key, data)
            if code is not None:
                os.utime(path)
            return code
        except OSError:
            return None

    def store(self, key: str, code: bytes) -> None:
        """Keep bytecode; where the folder cannot be written, nothing happens."""
        path = self._path(key)
        data = _encode(key, code)
        if len(data) > self._part_size:
            return
        try:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            _write(path, data)
            _evict(path.parent, self._part_size)
        except OSError as error:
            _log.debug("compiled kernels are not kept on disk: %s", error)

    def _path(self, key: str) -> Path:
        return self.folder / key[:2] / key


def _users_folder() -> str:
    """Where programs of this platform keep what they can make again; empty if there is no such place."""
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA", "")
    elif sys.platform == "darwin":
        base = os.path.expanduser("~/Library/Caches")
    else:
        base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    # A home folder that is not known stays as it is.
    return os.path.join(base, "tilewright") if os.path.isabs(base) else ""


def _encode(key: str, code: bytes) -> bytes:
    header = {"format": _FORMAT, "key": key, "length": len(code), "sha256": hashlib.sha256(code).hexdigest()}
    return json.dumps(header).encode() + b"\n" + code


def _decode(key: str, data: bytes) -> bytes | None:
    end = data.find(b"\n", 0, _MAX_HEADER)
    code = data[end + 1 :]
    return code if end >= 0 and data == _encode(key, code) else None


def _write(path: Path, data: bytes) -> None:
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=".new-")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
        os.replace(name, path)
    except BaseException:
        _remove(name)
        raise


def _evict(folder: Path, size: int) -> None:
    """Remove the files that were not used for the longest time until a folder keeps to its size."""
    files = []
    for entry in os.scandir(folder):
        try:
            status = entry.stat()
        except FileNotFoundError:
            continue
        files.append((status.st_mtime_ns, status.st_size, entry.path))
    total = sum(length for _, length, _ in files)
    for _, length, path in sorted(files):
        if total <= size:
            return
        _remove(path)
        total -= length


def _remove(path: str) -> None:
    try:
        os.remove(path)
    except OSError as error:
        _log.debug("a file of the cache cannot be removed: %s", error)
