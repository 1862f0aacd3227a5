"""``python -m tilewright.cutile script.py``: run a script with its cuTile kernels on the CPU."""

from __future__ import annotations

import argparse
import importlib.util
import os
import runpy
import sys

from tilewright._check_options import add_check_options, asked_check
from tilewright.cutile import install, set_threads
from tilewright.cutile._children import Asked, reach_children


def main() -> None:
    """Run the script that the command line names."""
    parser = argparse.ArgumentParser(prog="python -m tilewright.cutile", description="Run a script with its cuTile kernels on the CPU.")
    parser.add_argument("--arch", help="target to compile kernels for, such as sm_100")
    parser.add_argument(
        "--device", choices=("cpu", "cuda"), default="cpu", help="what kernels run on: cuda is the GPU of each launch's stream"
    )
    parser.add_argument("--threads", type=int, help="threads of a launch; default: one for each core")
    parser.add_argument("--torch-cuda", action="store_true", help='let PyTorch make tensors on the CPU where "cuda" is asked for')
    parser.add_argument(
        "--devices",
        type=int,
        metavar="N",
        help="devices of torch.cuda, all of which are the CPU; default: one for each process that torchrun starts on this machine",
    )
    add_check_options(parser.add_argument)
    parser.add_argument("--subprocesses", action="store_true", help="do the same in the Python programs that the script starts")
    parser.add_argument("-m", dest="is_module", action="store_true", help="the script is the name of a module")
    parser.add_argument("script")
    # A script without arguments is one, too: else messages ask for them.
    parser.add_argument("args", nargs=argparse.REMAINDER).required = False
    options = parser.parse_args()
    sys.path[0] = os.getcwd() if options.is_module else os.path.dirname(os.path.abspath(options.script))
    try:
        _look_for(options.script, options.is_module)
        check = asked_check(options)
        if options.devices is not None and not options.torch_cuda:
            raise ValueError("--devices is for --torch-cuda")
        install(options.arch, device=options.device, torch_cuda=options.torch_cuda, devices=options.devices, check=check)
        if options.threads is not None:
            set_threads(options.threads)
    except (ImportError, OSError, RuntimeError, ValueError) as error:
        parser.error(str(error))
    if options.subprocesses:
        reach_children(Asked(options.arch, options.threads, options.torch_cuda, options.devices, check, options.device))
    sys.argv = [options.script, *options.args]
    if options.is_module:
        runpy.run_module(options.script, run_name="__main__", alter_sys=True)
    else:
        runpy.run_path(options.script, run_name="__main__")


def _look_for(script: str, is_module: bool) -> None:
    """Raise an error that names the script if it is not there, before anything else is done."""
    if is_module:
        try:
            found = importlib.util.find_spec(script)
        except ModuleNotFoundError:
            found = None
        if found is None:
            raise ModuleNotFoundError(f"there is no module {script!r}", name=script)
    elif not os.path.isdir(script):
        try:
            with open(script, "rb"):
                pass
        except OSError as error:
            raise OSError(f"cannot read {script}: {error.strerror}") from error


if __name__ == "__main__":
    main()
