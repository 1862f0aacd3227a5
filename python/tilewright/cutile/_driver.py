"""What cuTile Python needs of a CUDA driver, on machines that have none.

cuTile Python loads ``libcuda`` to infer the signature of a kernel and to ask for the target. Where that library or a device is
missing, a small substitute takes its place, before cuTile Python looks: it reports one device, and refuses to do anything with it.
"""

from __future__ import annotations

import ctypes
import re
import sys
import types

from tilewright import _native
from tilewright.cutile import _requirements

_LOADER = "cuda.tile._load_libcuda"


def provide_driver(arch: str | None = None) -> bool:
    """Put the substitute in place if this machine has no CUDA device; return whether it is in place.

    ``arch`` is the target that kernels are compiled for from now on: it selects values of ``ct.ByTarget`` and the formats that the
    compiler admits. Left out, the target stays what it is: sm_100, if none was ever asked for.
    """
    match = None if arch is None else re.fullmatch(r"sm_(\d+)(\d)", arch)
    if arch is not None and match is None:
        raise ValueError(f"expected a target such as 'sm_100', got {arch!r}")
    loader = sys.modules.get(_LOADER)
    if loader is None:
        if _has_device():
            return False
        loader = types.ModuleType(_LOADER, __doc__)
        loader.cuGetProcAddress_v2_ptrptr = _native.driver_entry_point()  # type: ignore[attr-defined]
        sys.modules[_LOADER] = loader
    in_place: bool = getattr(loader, "cuGetProcAddress_v2_ptrptr", None) == _native.driver_entry_point()
    if match is not None and in_place:
        asked = int(match[1]), int(match[2])
        _native.set_compute_capability(*asked)
        # cuTile asks a driver once, and keeps the answer.
        found = compute_capability()
        if found != asked:
            _native.set_compute_capability(*found)
            kept = f"sm_{found[0]}{found[1]}"
            raise RuntimeError(f"cuTile compiles for {kept} in this process already: choose {arch} before the first kernel is compiled")
    return in_place


def compute_capability() -> tuple[int, int]:
    """The compute capability of the device that cuTile Python compiles for."""
    _requirements.cutile()
    from cuda.tile._cext import get_compute_capability

    return get_compute_capability()


def _has_device() -> bool:
    try:
        driver = ctypes.CDLL("nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1")
    except OSError:
        return False
    count = ctypes.c_int(0)
    return driver.cuInit(0) == 0 and driver.cuDeviceGetCount(ctypes.byref(count)) == 0 and count.value > 0
