"""Kernels that a GPU is measured by, large and aligned as those are that people tune: products, attention, rows, streams.

Their arrays begin at multiples of 16 bytes, and so do their rows, as `ct.launch` finds out of tensors. What each is in PyTorch is text, which
`tilewright bench --beside pytorch` hands to PyTorch on the machine where it runs. Kernels that the usual suite has, too, are those of `kernels.py`.
"""

import math

import cuda.tile as ct
import kernels
import torch
from declare import ConstInt, Number, Problem, below, bf16, expression, f16, f32, floats, i8, i32, practice, result, sums

ZERO = ct.PaddingMode.ZERO


@ct.kernel
def matmul_tf32_kernel(a, b, c, M: ConstInt, N: ConstInt, K: ConstInt):
    i, j = ct.bid(0), ct.bid(1)
    acc = ct.full((M, N), 0.0, dtype=ct.float32)
    for k in range(ct.cdiv(a.shape[1], K)):
        ta = ct.load(a, index=(i, k), shape=(M, K), padding_mode=ZERO).astype(ct.tfloat32)
        tb = ct.load(b, index=(k, j), shape=(K, N), padding_mode=ZERO).astype(ct.tfloat32)
        acc = ct.mma(ta, tb, acc)
    ct.store(c, index=(i, j), tile=acc)


@ct.kernel
def batched_kernel(a, b, c, M: ConstInt, N: ConstInt, K: ConstInt):
    batch, i, j = ct.bid(2), ct.bid(0), ct.bid(1)
    acc = ct.full((1, M, N), 0.0, dtype=ct.float32)
    for k in range(ct.cdiv(a.shape[2], K)):
        ta = ct.load(a, index=(batch, i, k), shape=(1, M, K), padding_mode=ZERO)
        tb = ct.load(b, index=(batch, k, j), shape=(1, K, N), padding_mode=ZERO)
        acc = ct.mma(ta, tb, acc)
    ct.store(c, index=(batch, i, j), tile=acc.astype(c.dtype))


PRODUCT = expression("a @ b")
# PyTorch has no other product of bytes than this one.
PRODUCT_I8 = expression("torch._int_mm(a, b)")


def in_f32(a, b):
    """A product whose sums f32 holds exactly of bytes, and far more exactly than its result of shorter floats."""
    sums = a.float() @ b.float()
    return sums.to(torch.int32) if a.dtype == torch.int8 else sums


def product(name, kernel, factor, made, inner, meant, tolerance=None):
    """A kernel at each size of the list."""

    def make(n):
        factors = [below(16, factor, n, n) if factor == i8 else floats(factor, n, n) for _ in range(2)]
        return Problem(
            kernel, [*factors, result(made, n, n), 128, 128, inner], (n // 128, n // 128), torch=meant, reference=in_f32,
            flops=2 * n**3, product=(1, n, n, n), aligned=True, tolerance=tolerance,
        )  # fmt: skip

    for n in 1024, 2048, 4096, 8192:
        practice(f"matmul_{name}_{n}", full={"n": n}, quick={"n": 128})(make)


product("f16", kernels.matmul, f16, f16, 64, PRODUCT)
product("bf16", kernels.matmul, bf16, bf16, 64, PRODUCT)
# The products are of numbers with 10 bits behind the point.
product("tf32", matmul_tf32_kernel, f32, f32, 32, PRODUCT, tolerance=2e-3)
product("i8", kernels.matmul_i8, i8, i32, 64, PRODUCT_I8)


@practice("batched_matmul_f16", full={"batch": 32, "n": 1024}, quick={"batch": 2, "n": 128})
def batched(batch, n):
    arguments = [floats(f16, batch, n, n), floats(f16, batch, n, n), result(f16, batch, n, n), 128, 128, 64]
    grid = (n // 128, n // 128, batch)
    return Problem(
        batched_kernel, arguments, grid, torch=PRODUCT, reference=in_f32, flops=2 * batch * n**3, product=(batch, n, n, n), aligned=True,
    )  # fmt: skip


def head_by_head(causal):
    """Attention in f32, one head after the other: all scores at once do not fit into memory."""

    def run(q, k, v):
        out = torch.empty(q.shape, dtype=torch.float32)
        for batch in range(q.shape[0]):
            for head in range(q.shape[1]):
                of = [x[batch, head].float().unsqueeze(0) for x in (q, k, v)]
                out[batch, head] = torch.nn.functional.scaled_dot_product_attention(*of, is_causal=causal)[0]
        return out

    return run


def attention(causal):
    def make(batch, heads, length, width):
        shape = (batch, heads, length, width)
        # The kernel works in powers of two.
        scale = Number(f32, math.log2(math.e) / math.sqrt(width))
        arguments = [*[floats(f16, *shape) for _ in range(3)], result(f16, *shape), scale, width, heads, 64, 64, causal]
        work = 4 * batch * heads * length**2 * width
        return Problem(
            kernels.attention, arguments, (length // 64, batch * heads),
            torch=expression(f"F.scaled_dot_product_attention(a, b, c, is_causal={causal})"), reference=head_by_head(causal),
            flops=work // 2 if causal else work, aligned=True, tolerance=2e-2,
        )  # fmt: skip

    return make


SIZE = {"batch": 4, "heads": 32, "length": 4096, "width": 128}
SMALL = {"batch": 1, "heads": 2, "length": 128, "width": 128}
practice("attention_f16", full=SIZE, quick=SMALL)(attention(False))
practice("attention_f16_causal", full=SIZE, quick=SMALL)(attention(True))


@ct.kernel
def layernorm_kernel(x, weight, bias, y, N: ConstInt):
    row = ct.bid(0)
    xs = ct.load(x, index=(row, 0), shape=(1, N)).astype(ct.float32)
    mean = ct.sum(xs, axis=1, keepdims=True) / N
    centred = xs - mean
    variance = ct.sum(centred * centred, axis=1, keepdims=True) / N
    w = ct.load(weight, index=(0,), shape=(N,)).astype(ct.float32)
    b = ct.load(bias, index=(0,), shape=(N,)).astype(ct.float32)
    ct.store(y, index=(row, 0), tile=(centred * ct.rsqrt(variance + 1e-5) * w[None, :] + b[None, :]).astype(y.dtype))


@ct.kernel
def rmsnorm_kernel(x, weight, y, N: ConstInt):
    row = ct.bid(0)
    xs = ct.load(x, index=(row, 0), shape=(1, N)).astype(ct.float32)
    mean_square = ct.sum(xs * xs, axis=1, keepdims=True) / N
    w = ct.load(weight, index=(0,), shape=(N,)).astype(ct.float32)
    ct.store(y, index=(row, 0), tile=(xs * ct.rsqrt(mean_square + 1e-5) * w[None, :]).astype(y.dtype))


ROWS = {"full": {"rows": 16384, "columns": 4096}, "quick": {"rows": 4, "columns": 4096}}
LAYERNORM = expression("F.layer_norm(a, a.shape[1:], b, c, 1e-5)")
RMSNORM = expression("F.rms_norm(a, a.shape[1:], b, 1e-5)")
for kind, tolerance in (f32, None), (f16, 1e-2), (bf16, 5e-2):

    def softmax(rows, columns, kind=kind, tolerance=tolerance):
        arguments = [floats(kind, rows, columns), result(kind, rows, columns), columns]
        meant = expression("torch.softmax(a, 1)")
        return Problem(kernels.softmax, arguments, rows, torch=meant, aligned=True, tolerance=tolerance)

    def layernorm(rows, columns, kind=kind, tolerance=tolerance):
        vectors = [floats(kind, columns), floats(kind, columns)]
        arguments = [floats(kind, rows, columns), *vectors, result(kind, rows, columns), columns]
        return Problem(layernorm_kernel, arguments, rows, torch=LAYERNORM, aligned=True, tolerance=tolerance)

    def rmsnorm(rows, columns, kind=kind, tolerance=tolerance):
        arguments = [floats(kind, rows, columns), floats(kind, columns), result(kind, rows, columns), columns]
        return Problem(rmsnorm_kernel, arguments, rows, torch=RMSNORM, aligned=True, tolerance=tolerance)

    practice(f"softmax_{kind}", **ROWS)(softmax)
    practice(f"layernorm_{kind}", **ROWS)(layernorm)
    practice(f"rmsnorm_{kind}", **ROWS)(rmsnorm)


for kind in f32, f16:

    def transpose(n, kind=kind):
        meant = expression("a.T.contiguous()")
        return Problem(
            kernels.transpose, [floats(kind, n, n), result(kind, n, n), 64, 64], (n // 64, n // 64), torch=meant, aligned=True
        )

    practice(f"transpose_{kind}", full={"n": 8192}, quick={"n": 128})(transpose)


@practice("row_sums_f32", **ROWS)
def row_sums(rows, columns):
    arguments = [floats(f32, rows, columns), result(f32, rows), columns]
    return Problem(kernels.row_sums, arguments, rows, torch=expression("a.sum(1)"), aligned=True)


@practice("column_sums_f32", full={"rows": 16384, "columns": 4096}, quick={"rows": 128, "columns": 128})
def column_sums(rows, columns):
    arguments = [floats(f32, rows, columns), result(f32, columns), 64, 32]
    return Problem(kernels.column_sums, arguments, columns // 32, torch=expression("a.sum(0)"), aligned=True)


@ct.kernel
def sum_kernel(x, y, N: ConstInt):
    ct.atomic_add(y, (0,), ct.sum(ct.load(x, index=(ct.bid(0),), shape=(N,))))


@practice("sum_f32", full={"n": 1 << 26}, quick={"n": 1 << 14})
def total(n):
    arguments = [floats(f32, n, low=0.0), sums(f32, 1), 4096]
    return Problem(sum_kernel, arguments, n // 4096, torch=expression("a.sum().reshape(1)"), aligned=True, tolerance=1e-3)


@ct.kernel
def histogram_kernel(x, bins, TILE: ConstInt):
    ct.atomic_add(bins, ct.load(x, index=(ct.bid(0),), shape=(TILE,)), 1)


@practice("histogram_i32", full={"n": 1 << 26}, quick={"n": 1 << 14})
def histogram(n):
    meant = expression("torch.bincount(a, minlength=256).to(torch.int32)")
    return Problem(histogram_kernel, [below(256, i32, n), sums(i32, 256), 1024], n // 1024, torch=meant, aligned=True)


@ct.kernel
def copy_kernel(x, y, TILE: ConstInt):
    i = ct.bid(0)
    ct.store(y, index=(i,), tile=ct.load(x, index=(i,), shape=(TILE,)))


for kind in f32, f16:

    def copy(n, kind=kind):
        return Problem(copy_kernel, [floats(kind, n), result(kind, n), 4096], n // 4096, torch=expression("a.clone()"), aligned=True)

    def add(n, kind=kind):
        arguments = [floats(kind, n), floats(kind, n), result(kind, n), 4096]
        return Problem(kernels.vector_add, arguments, n // 4096, torch=expression("a + b"), aligned=True)

    practice(f"copy_{kind}", full={"n": 1 << 27}, quick={"n": 1 << 14})(copy)
    practice(f"vector_add_{kind}", full={"n": 1 << 26}, quick={"n": 1 << 14})(add)
