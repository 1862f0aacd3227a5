#!/usr/bin/env bash
# Makes the files of this folder. Needs mlir-opt-22 on the path and a Python with jax.
set -euo pipefail
cd "$(dirname "$0")"
for module in ../modules/*.mlir; do
    name=$(basename "$module" .mlir)
    for version in 0 3 6; do
        mlir-opt-22 --allow-unregistered-dialect "$module" --emit-bytecode --emit-bytecode-version=$version -o "$name.v$version.mlirbc"
    done
    mlir-opt-22 --allow-unregistered-dialect "$name.v6.mlirbc" --mlir-print-op-generic >"$name.mlir"
    mlir-opt-22 --allow-unregistered-dialect "$name.v6.mlirbc" --mlir-print-op-generic --mlir-print-debuginfo >"$name.located.mlir"
done
"${PYTHON:-python3}" ../jax_models.py .
# Files of LLVM 24, whose builtin dialect encodes more, come from the iree-opt of iree-base-compiler on PyPI (3.13.0):
#   iree-opt --allow-unregistered-dialect --emit-bytecode - <../modules/types.mlir >types.llvm24.mlirbc
# and debug.llvm24 and fields.llvm24 of their located text.
# Those whose symbols have a property more come from the heir-opt of heir_py on PyPI (2026.11.1):
#   heir-opt --emit-bytecode symbols.llvm24.located.mlir -o symbols.llvm24.mlirbc
