"""Programs in Python that this one starts, with their kernels on the CPU too."""

from __future__ import annotations

import dataclasses
import functools
import json
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tilewright._check import Check
from tilewright.cutile._launch import Device

#: Has the folder with a ``sitecustomize`` that every Python imports when it starts.
_FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "_child")
#: What ``sitecustomize`` is to do, as JSON.
_VARIABLE = "TILEWRIGHT_CUTILE"


@dataclass(frozen=True)
class Asked:
    """What was asked of this process, and is to hold in others."""

    arch: str | None
    threads: int | None
    torch_cuda: bool
    devices: int | None
    check: bool | Check
    device: Device = "cpu"

    def install(self) -> None:
        """Do in this process what was asked of another."""
        from tilewright.cutile import install, set_threads

        arch = None if self.device == "cuda" else self.arch
        install(arch, device=self.device, torch_cuda=self.torch_cuda, devices=self.devices, check=self.check)
        if self.threads is not None:
            set_threads(self.threads)

    def to_json(self) -> str:
        """All of it, as text."""
        return json.dumps(dataclasses.asdict(self))

    @staticmethod
    def from_json(text: str) -> Asked:
        """What ``to_json`` gave."""
        fields: dict[str, Any] = json.loads(text)
        check = fields.pop("check")
        return Asked(**fields, check=check if isinstance(check, bool) else Check(**check))


def reach_children(asked: Asked) -> None:
    """Let programs that are started from now on install this package as they start."""
    os.environ[_VARIABLE] = asked.to_json()
    paths = [path for path in os.environ.get("PYTHONPATH", "").split(os.pathsep) if path and path != _FOLDER]
    os.environ["PYTHONPATH"] = os.pathsep.join([_FOLDER, *paths])


def install_in_child() -> None:
    """Do in a program what its parent asked for."""
    # The path is for the interpreter's start only; the environment keeps it for the programs that this one starts.
    sys.path[:] = [path for path in sys.path if path != _FOLDER]
    if text := os.environ.get(_VARIABLE):
        Asked.from_json(text).install()


def reaching_processes(
    get_preparation_data: Callable[[str], dict[str, Any]], asked: Callable[[], Asked]
) -> Callable[[str], dict[str, Any]]:
    """What takes the place of ``multiprocessing.spawn.get_preparation_data``, so that the processes of that module install this package."""

    @functools.wraps(get_preparation_data)
    def get(name: str) -> dict[str, Any]:
        return _Preparation(asked(), get_preparation_data(name))

    return get


class _Preparation(dict[str, Any]):
    """What a new process is told before it gets its work; where it is unpickled, this package is installed."""

    def __init__(self, asked: Asked, data: dict[str, Any]) -> None:
        super().__init__(data)
        self._asked = asked

    def __reduce__(self) -> tuple[Any, ...]:
        return _prepared, (self._asked, dict(self))


def _prepared(asked: Asked, data: dict[str, Any]) -> dict[str, Any]:
    # Packages are imported from where the parent does.
    sys.path[:] = data.get("sys_path", sys.path)
    asked.install()
    return data
