"""Makes MLIR bytecode of Triton kernels with Pallas, and what MLIR inside jaxlib prints of them: triton.py FOLDER."""

import re
import sys
from pathlib import Path

import jax
import jax.numpy as jnp
from jax import ShapeDtypeStruct as Shape
from jax import export
from jax.experimental import pallas as pl
from jax.experimental.pallas import triton as plt
from jaxlib.mlir import ir
from jaxlib.triton import dialect

# Locations name files without their folders.
jax.config.update("jax_hlo_source_file_canonicalization_regex", ".*/")

F32 = jnp.float32
CALL = "__gpu$xla.gpu.triton"


def call(kernel, shape, **how):
    return pl.pallas_call(kernel, out_shape=shape, compiler_params=plt.CompilerParams(), **how)


def add(x, y):
    def kernel(x, y, out):
        out[...] = x[...] + jnp.exp(y[...])

    return call(kernel, Shape(x.shape, x.dtype))(x, y)


def softmax(x, _):
    def kernel(x, out):
        exps = jnp.exp(x[...] - jnp.max(x[...], axis=1, keepdims=True))
        out[...] = (exps / jnp.sum(exps, axis=1, keepdims=True)).astype(out.dtype)

    rows = pl.BlockSpec((64, 256), lambda i: (i, 0))
    return call(kernel, Shape((256, 256), jnp.float16), grid=(4,), in_specs=[rows], out_specs=rows)(x)


def product(x, y):
    def kernel(x, y, out):
        def step(k, total):
            return total + plt.dot(plt.load(x.at[:, pl.ds(k * 32, 32)]), plt.load(y.at[pl.ds(k * 32, 32), :]))

        out[...] = jax.lax.fori_loop(0, 8, step, jnp.zeros((64, 64), F32))

    specs = [pl.BlockSpec((64, 256), lambda i, j: (i, 0)), pl.BlockSpec((256, 64), lambda i, j: (0, j))]
    tile = pl.BlockSpec((64, 64), lambda i, j: (i, j))
    return call(kernel, Shape((256, 256), F32), grid=(4, 4), in_specs=specs, out_specs=tile)(x, y)


def atomic(x, _):
    def kernel(x, out):
        part = plt.load(x.at[pl.ds(pl.program_id(0) * 64, 64)], mask=jnp.arange(64) < 50, other=0.0)
        plt.atomic_add(out, (pl.ds(0, 64),), part)

    return call(kernel, Shape((64,), F32), grid=(4,))(x.reshape(-1))


def unescaped(text):
    """The bytes of a string in MLIR's text."""
    byte = lambda found: bytes([int(found[1], 16)]) if len(found[1]) == 2 else found[1]
    return re.sub(rb'\\([0-9A-F]{2}|\\|")', byte, text.encode())


folder = Path(sys.argv[1])
for model in [add, softmax, product, atomic]:
    matrix = Shape((256, 256), F32)
    unchecked = [export.DisabledSafetyCheck.custom_call(CALL)]
    module = export.export(jax.jit(model), platforms=["cuda"], disabled_checks=unchecked)(matrix, matrix).mlir_module()
    path = folder / f"triton_{model.__name__}.mlirbc"
    path.write_bytes(unescaped(re.search(r'ir = "(ML\\EFR(?:\\.|[^"\\])*)"', module)[1]))
    with ir.Context() as context:
        dialect.register_dialect(context)
        context.load_all_available_dialects()
        operation = ir.Module.parse(path.read_bytes()).operation
        path.with_suffix(".mlir").write_text(operation.get_asm(print_generic_op_form=True))
        path.with_suffix(".located.mlir").write_text(operation.get_asm(print_generic_op_form=True, enable_debug_info=True))
