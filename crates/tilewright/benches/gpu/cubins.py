"""Compiles the kernels of the suite for GPUs with tileiras, for `tilewright bench --device cuda --suite gpu --beside FOLDER`.

    pip install nvidia-cuda-tileiras==13.5.37 nvidia-cuda-nvcc==13.5.37 nvidia-nvvm==13.5.37
    python cubins.py FOLDER                   for sm_80, sm_90 and sm_100
    python cubins.py FOLDER sm_86 sm_120      for these

No GPU is needed. The cubins carry their PTX, which says how their kernels are launched.
"""

import os
import pathlib
import shutil
import subprocess
import sys
import sysconfig

COMPILED = pathlib.Path(__file__).parent / "compiled"


def tools():
    """The folder of the tools: on the path, or among the packages of this Python."""
    found = shutil.which("tileiras")
    if found:
        return pathlib.Path(found).parent
    packages = pathlib.Path(sysconfig.get_path("purelib")) / "nvidia/cu13/bin"
    if (packages / "tileiras").exists():
        return packages
    sys.exit("tileiras is neither on the path nor a package of this Python: pip install nvidia-cuda-tileiras nvidia-cuda-nvcc nvidia-nvvm")


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    folder, gpus = pathlib.Path(sys.argv[1]), sys.argv[2:] or ["sm_80", "sm_90", "sm_100"]
    folder.mkdir(parents=True, exist_ok=True)
    bin = tools()
    # It looks for ptxas on the path.
    environment = {**os.environ, "PATH": f"{bin}{os.pathsep}{os.environ['PATH']}"}
    refused = 0
    for kernel in sorted(COMPILED.glob("*.tilebc")):
        for gpu in gpus:
            cubin = folder / f"{kernel.stem}.{gpu}.cubin"
            command = [bin / "tileiras", f"--gpu-name={gpu}", "--lineinfo", "-o", cubin, kernel]
            answer = subprocess.run(command, env=environment, capture_output=True, text=True)
            if answer.returncode != 0:
                refused += 1
                print(f"{kernel.stem} for {gpu}: {answer.stderr.strip() or answer.returncode}", file=sys.stderr)
    print(f"{len(list(folder.glob('*.cubin')))} cubins, {refused} refused")


if __name__ == "__main__":
    main()
