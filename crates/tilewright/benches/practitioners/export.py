"""Compiles the kernels of a suite and writes what `tilewright bench --suite practitioners` reads into `compiled`.

    pip install cuda-tile==1.7.0 torch numpy
    python export.py              all of them
    python export.py rope conv    those whose name contains one of these

No GPU is needed. `cargo build --release -p tilewright` goes first.
"""

import json
import pathlib
import sys

import declare

TILEWRIGHT = pathlib.Path(__file__).parents[4] / "target/release/tilewright"


def export(folder):
    """Writes the suite whose kernels are declared into a folder."""
    chosen = sys.argv[1:] or [""]
    file = folder / "suite.json"
    known = {kernel["name"]: kernel for kernel in (json.loads(file.read_text()) if file.exists() else [])}
    kernels, failed = [], []
    for practice in declare.PRACTICES:
        name = practice.name
        if any(text in name for text in chosen) or name not in known:
            try:
                declare.compile_kernel(practice, folder / f"{name}.tilebc", TILEWRIGHT)
                known[name] = {"name": name, "full": declare.description(practice, False), "quick": declare.description(practice, True)}
            except Exception as error:  # noqa: BLE001  every kernel has its turn
                print(f"{name}: {type(error).__name__}: {error}", file=sys.stderr)
                failed.append(name)
                continue
        kernels.append(known[name])
    names = {kernel["name"] for kernel in kernels}
    for stale in folder.glob("*.tilebc"):
        if stale.stem not in names and stale.stem not in failed:
            stale.unlink()
    lines = ",\n".join(json.dumps(kernel, separators=(",", ":"), allow_nan=False) for kernel in kernels)
    file.write_text(f"[\n{lines}\n]\n")
    print(f"{len(kernels)} kernels")
    sys.exit(bool(failed))


if __name__ == "__main__":
    import suite  # noqa: F401  declares the kernels

    export(pathlib.Path(__file__).parent / "compiled")
