"""Tile IR and cuTile Python on any machine: load, inspect and run kernels on the CPU.

>>> import numpy as np, tilewright
>>> module = tilewright.load("examples/saxpy.tilebc")
>>> x, y = np.ones(1000, np.float32), np.full(1000, 0.5, np.float32)
>>> module["saxpy"].launch(4, 2.0, *tilewright.spread(x), *tilewright.spread(y))

``tilewright.cutile`` runs kernels of cuTile Python (``pip install cuda-tile``) without a GPU.
"""

from tilewright._check import Check, CheckError, Finding
from tilewright._errors import (
    KernelError,
    LaunchError,
    LoadError,
    PlanError,
    TilewrightError,
    VerifyError,
    WriteError,
)
from tilewright._load import load, parse, spread
from tilewright._native import Kernel, Module, Profile, Report, __version__

__all__ = [
    "Check",
    "CheckError",
    "Finding",
    "Kernel",
    "KernelError",
    "LaunchError",
    "LoadError",
    "Module",
    "PlanError",
    "Profile",
    "Report",
    "TilewrightError",
    "VerifyError",
    "WriteError",
    "__version__",
    "load",
    "parse",
    "spread",
]
