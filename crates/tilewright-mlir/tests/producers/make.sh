#!/usr/bin/env bash
# Makes the files of this folder with the tools of other producers, from PyPI: TORCH and IREE are torch-mlir-opt of torch-mlir 20261001 and
# iree-opt of iree-base-compiler 3.13.0; CIRCT is a Python with circt 1.162.0, JAX one with jax 0.10.2 and jax-cuda12-plugin 0.10.2, CUDAQ one
# with cuda-quantum-cu13 0.16.0.post1, LITERT one with litert-converter 0.5.0. LLVM19 is mlir-opt of
# Debian's mlir-19-tools.
set -euo pipefail
cd "$(dirname "$0")"
for pair in "torch $TORCH" "iree $IREE" "spirv $IREE" "llvm19 $LLVM19"; do
    read -r name tool <<<"$pair"
    "$tool" - --emit-bytecode <"sources/$name.mlir" >"$name.mlirbc"
    "$tool" - --mlir-print-op-generic <"$name.mlirbc" >"$name.mlir"
    "$tool" - --mlir-print-op-generic --mlir-print-debuginfo <"$name.mlirbc" >"$name.located.mlir"
done
"$CIRCT" sources/bindings.py circt sources/circt.mlir circt
"$JAX" sources/triton.py .
"$JAX" sources/bindings.py jaxlib sources/mhlo.mlir mhlo
"$CUDAQ" sources/bindings.py cudaq sources/quake.mlir quake
"$LITERT" sources/bindings.py litert sources/litert.mlir litert
