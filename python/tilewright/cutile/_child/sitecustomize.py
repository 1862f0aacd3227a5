"""What Python imports when it starts, in a program whose parent runs cuTile kernels on the CPU."""

import importlib.machinery
import importlib.util
import os
import sys

_folder = os.path.dirname(os.path.abspath(__file__))


def _module_behind_this_one() -> None:
    """Run the ``sitecustomize`` of the installation, which this one stands in front of."""
    paths = [path for path in sys.path if path != _folder]
    spec = importlib.machinery.PathFinder.find_spec("sitecustomize", paths)
    if spec is not None and spec.loader is not None:
        spec.loader.exec_module(importlib.util.module_from_spec(spec))


_module_behind_this_one()
try:
    from tilewright.cutile._children import install_in_child
except ModuleNotFoundError as error:
    # An environment without this package has no kernels to run.
    if error.name is None or error.name.partition(".")[0] not in ("tilewright", "cuda"):
        raise
else:
    install_in_child()
