"""The packages that are needed to run kernels of cuTile Python, with errors that say what to install."""

from __future__ import annotations

import importlib
import types

#: The releases of cuTile Python whose inner functions this package knows.
_CUTILE = "1.7"


def cutile() -> types.ModuleType:
    """``cuda.tile``; the driver that it loads has to be there."""
    module = _import("cuda.tile", f"kernels of cuTile Python need the package cuda-tile: pip install 'cuda-tile=={_CUTILE}.*'")
    if not f"{module.__version__}.".startswith(f"{_CUTILE}."):
        found = f"version {module.__version__} of cuda-tile is installed"
        raise ImportError(f"{found}, but this version of Tilewright works with {_CUTILE}: pip install 'cuda-tile=={_CUTILE}.*'")
    return module


def torch() -> types.ModuleType:
    """PyTorch."""
    return _import("torch", 'what takes the place of the device "cuda" of PyTorch needs the package torch: pip install torch')


def _import(name: str, message: str) -> types.ModuleType:
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        # A module that is missing inside of the package is another matter.
        if error.name is None or not f"{name}.".startswith(f"{error.name}."):
            raise
        raise ModuleNotFoundError(message, name=error.name) from None
