"""Exports small models with JAX, and prints them as MLIR inside jaxlib does: `jax_models.py FOLDER [NAME...]`."""

import os
import sys
from pathlib import Path

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=8"

import jax
import jax.numpy as jnp
import numpy as np
from jax import ShapeDtypeStruct as Shape
from jax import export
from jax._src.interpreters import mlir as interpreters
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import stablehlo

F32 = jnp.float32


def add():
    return (lambda x, y: x + y), (Shape((8,), F32), Shape((8,), F32))


def mlp():
    first = np.random.RandomState(0).randn(16, 32).astype("f")
    second = np.random.RandomState(1).randn(32, 4).astype("f")
    return (lambda x: jnp.tanh(x @ first) @ second), (Shape((3, 16), F32),)


def softmax():
    return (lambda x: jax.nn.softmax(x, axis=-1)), (Shape((4, 7), F32),)


def attention():
    def f(q, k, v):
        scores = jnp.einsum("bhqd,bhkd->bhqk", q, k) / 8
        return jnp.einsum("bhqk,bhkd->bhqd", jax.nn.softmax(scores), v)

    return f, (Shape((1, 2, 8, 16), F32),) * 3


def conv():
    numbers = ("NHWC", "HWIO", "NHWC")
    f = lambda x, w: jax.lax.conv_general_dilated(x, w, (1, 1), "SAME", dimension_numbers=numbers)
    return f, (Shape((1, 8, 8, 3), F32), Shape((3, 3, 3, 4), F32))


def scan():
    return (lambda x, xs: jax.lax.scan(lambda c, a: (c * 0.9 + a, c.sum()), x, xs)), (Shape((4,), F32), Shape((10, 4), F32))


def cond():
    return (lambda p, x: jax.lax.cond(p, lambda a: a * 2, lambda a: a - 1, x)), (Shape((), jnp.bool_), Shape((5,), F32))


def whileloop():
    return (lambda x: jax.lax.while_loop(lambda c: c[1] < 10, lambda c: (c[0] * 2, c[1] + 1), (x, 0))), (Shape((5,), F32),)


def sortargs():
    return (lambda x: (jnp.sort(x), jnp.argsort(x), jnp.cumsum(x), jax.lax.top_k(x, 3))), (Shape((16,), F32),)


def gatherscatter():
    return (lambda x, i: x.at[i].add(x[i])), (Shape((16, 4), F32), Shape((5,), jnp.int32))


def rng():
    return (lambda k: jax.random.normal(jax.random.wrap_key_data(k), (4, 4))), (Shape((2,), jnp.uint32),)


def mixed():
    f = lambda a, b, c: (a.astype(jnp.bfloat16) * 2.5, b.astype(jnp.float8_e4m3fn), jnp.fft.fft(c), a > 1, ~(b > 0))
    return f, (Shape((4,), F32), Shape((4,), jnp.float16), Shape((8,), jnp.complex64))


def grad():
    loss = lambda w, x: jnp.sum(jnp.log1p(jnp.exp(x @ w)) ** 2)
    return jax.grad(loss), (Shape((8, 2), F32), Shape((5, 8), F32))


def consts():
    flags = np.array([True, False, True, True, False, False, True, False, True, True, True])
    signed, unsigned = np.arange(-5, 6, dtype=np.int8), np.arange(200, dtype=np.uint16)
    pairs = np.array([1 + 2j, 3 - 4j], dtype=np.complex64)
    special = np.array([np.nan, np.inf, -np.inf, -0.0, 1e-45, 3.4e38, 0.1], dtype=np.float32)
    f = lambda x: (jnp.where(flags, x, 0), x * signed, unsigned[:11] * 1.0, pairs, special, jnp.asarray([True] * 11) | flags)
    return f, (Shape((11,), F32),)


def dynamic():
    rows, columns = export.symbolic_shape("a, b")
    return (lambda x: jnp.sum(x * 2, axis=0)), (Shape((rows, columns), F32),)


def sharded():
    mesh = jax.sharding.Mesh(np.array(jax.devices()).reshape(2, 4), ("x", "y"))
    named = lambda *axes: jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec(*axes))
    spec = jax.sharding.PartitionSpec
    total = jax.shard_map(lambda a: jax.lax.psum(a * 2, "x"), mesh=mesh, in_specs=spec("x", "y"), out_specs=spec(None, "y"))
    f = lambda a, b: total(jax.lax.with_sharding_constraint(a @ b, named(("x", "y"), None)))
    return f, (Shape((8, 16), F32, sharding=named("x", "y")), Shape((16, 8), F32, sharding=named(None, "y")))


def linalg():
    return (lambda x: tuple(jnp.linalg.qr(x))), (Shape((5, 5), F32),)


MODELS = [add, mlp, softmax, attention, conv, scan, cond, whileloop, sortargs, gatherscatter, rng, mixed, grad, consts, dynamic, sharded, linalg]
RECORDED = ["add", "mlp", "consts", "dynamic", "scan", "mixed", "gatherscatter", "sharded"]

folder = Path(sys.argv[1])
context = interpreters.make_ir_context()
stablehlo.register_dialect(context, True)
wanted = RECORDED if len(sys.argv) == 2 else sys.argv[2:]
for model in MODELS:
    if model.__name__ not in wanted and wanted != ["all"]:
        continue
    function, arguments = model()
    artifact = export.export(jax.jit(function), platforms=["cpu"])(*arguments).mlir_module_serialized
    path = folder / f"jax_{model.__name__}.mlirbc"
    path.write_bytes(artifact)
    operation = ir.Module.parse(artifact, context).operation
    path.with_suffix(".mlir").write_text(operation.get_asm(print_generic_op_form=True))
    path.with_suffix(".located.mlir").write_text(operation.get_asm(print_generic_op_form=True, enable_debug_info=True))
