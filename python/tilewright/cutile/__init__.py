"""cuTile Python on the CPU.

``launch(grid, kernel, args)`` runs a ``ct.kernel`` on CPU arrays. After ``install()``, so does ``cuda.tile.launch`` in
unmodified code. No GPU and no CUDA driver is needed, only ``pip install cuda-tile``.
"""

from tilewright.cutile._driver import provide_driver
from tilewright.cutile._install import install, installed, uninstall
from tilewright.cutile._launch import access_map, cache_info, compiled, launch, set_threads, set_tuning_launches

__all__ = [
    "access_map",
    "cache_info",
    "compiled",
    "install",
    "installed",
    "launch",
    "provide_driver",
    "set_threads",
    "set_tuning_launches",
    "uninstall",
]
