"""Programs in Python that this one starts, with their kernels on the CPU too."""

from __future__ import annotations

import dataclasses
import json
import os
import sys
from typing import Any

from tilewright._check import Check

#: Has the folder with a ``sitecustomize`` that every Python imports when it starts.
_FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "_child")
#: What ``sitecustomize`` is to do, as JSON.
_VARIABLE = "TILEWRIGHT_CUTILE"


def reach_children(*, arch: str | None, threads: int | None, torch_cuda: bool, check: bool | Check) -> None:
    """Let programs that are started from now on install this package as they start."""
    fields = check if isinstance(check, bool) else dataclasses.asdict(check)
    os.environ[_VARIABLE] = json.dumps({"arch": arch, "threads": threads, "torch_cuda": torch_cuda, "check": fields})
    paths = [path for path in os.environ.get("PYTHONPATH", "").split(os.pathsep) if path and path != _FOLDER]
    os.environ["PYTHONPATH"] = os.pathsep.join([_FOLDER, *paths])


def install_in_child() -> None:
    """Do in a program what its parent asked for."""
    # The path is for the interpreter's start only; the environment keeps it for the programs that this one starts.
    sys.path[:] = [path for path in sys.path if path != _FOLDER]
    asked: dict[str, Any] = json.loads(os.environ.get(_VARIABLE, "{}"))
    if not asked:
        return
    from tilewright.cutile import install, set_threads

    check = asked["check"]
    install(asked["arch"], torch_cuda=asked["torch_cuda"], check=check if isinstance(check, bool) else Check(**check))
    if asked["threads"] is not None:
        set_threads(asked["threads"])
