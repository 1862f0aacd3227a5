"""Matrix products: dequantised, transposed, skinny and batched, with prologues and epilogues."""

import cuda.tile as ct
import numpy as np
import torch
import torch.nn.functional as F
from declare import ConstInt, Problem, below, bf16, f16, f32, floats, i8, i32, practice, result, u8

ZERO = ct.PaddingMode.ZERO


def product(a, b):
    """A product in PyTorch. That of f16 takes up to 100 times as long as that of f32 on most CPUs, so nobody would leave it at that."""
    return (a.float() @ b.float()).half() if a.dtype == torch.float16 else a @ b


@ct.kernel
def w8a16_kernel(x, w, scale, y, M: ConstInt, N: ConstInt, K: ConstInt):
    i, j = ct.bid(0), ct.bid(1)
    acc = ct.full((M, N), 0.0, dtype=ct.float32)
    for k in range(ct.cdiv(x.shape[1], K)):
        a = ct.load(x, index=(i, k), shape=(M, K))
        b = ct.load(w, index=(k, j), shape=(K, N)).astype(x.dtype)
        acc = ct.mma(a, b, acc)
    s = ct.load(scale, index=(j,), shape=(N,)).astype(ct.float32)
    ct.store(y, index=(i, j), tile=(acc * s[None, :]).astype(y.dtype))


def w8a16(type):
    def make(m, n, k):
        arguments = [floats(type, m, k), below(255, i8, k, n), floats(type, n, low=0, high=0.01), result(type, m, n), 64, 64, 64]
        return Problem(
            w8a16_kernel, arguments, (m // 64, n // 64), torch=lambda x, w, s: product(x, w.to(x.dtype)) * s,
            flops=2 * m * n * k, tolerance={f16: 1e-2, bf16: 5e-2}[type],
        )  # fmt: skip

    return make


practice("matmul_w8a16_f16", full={"m": 256, "n": 1024, "k": 1024}, quick={"m": 64, "n": 64, "k": 128})(w8a16(f16))
practice("matmul_w8a16_bf16", full={"m": 256, "n": 1024, "k": 1024}, quick={"m": 64, "n": 64, "k": 128})(w8a16(bf16))


@ct.kernel
def w4a16_kernel(x, packed, scale, y, M: ConstInt, N: ConstInt, K: ConstInt):
    """Two weights in a byte: the low half belongs to the first K rows of a step, the high half to the K after them."""
    i, j = ct.bid(0), ct.bid(1)
    acc = ct.full((M, N), 0.0, dtype=ct.float32)
    for k in range(ct.cdiv(packed.shape[0], K)):
        both = ct.load(packed, index=(k, j), shape=(K, N))
        low = (both & 15).astype(ct.int8) - 8
        high = (both >> 4).astype(ct.int8) - 8
        s = ct.load(scale, index=(k, j), shape=(1, N))
        acc = ct.mma(ct.load(x, index=(i, 2 * k), shape=(M, K)), low.astype(x.dtype) * s, acc)
        acc = ct.mma(ct.load(x, index=(i, 2 * k + 1), shape=(M, K)), high.astype(x.dtype) * s, acc)
    ct.store(y, index=(i, j), tile=acc.astype(y.dtype))


@practice("matmul_w4a16_f16", full={"m": 128, "n": 1024, "k": 2048}, quick={"m": 32, "n": 64, "k": 256})
def w4a16(m, n, k):
    def run(x, packed, scale):
        p = packed.view(k // 128, 64, n).to(torch.int8)
        both = torch.stack([(packed & 15).view(k // 128, 64, n), (packed >> 4).view(k // 128, 64, n)], 1).to(x.dtype) - 8
        w = both * scale.view(k // 128, 1, 1, n)
        return product(x, w.reshape(k, n))

    arguments = [floats(f16, m, k), below(256, u8, k // 2, n), floats(f16, k // 128, n, low=0, high=0.05), result(f16, m, n), 32, 64, 64]
    return Problem(w4a16_kernel, arguments, (m // 32, n // 64), torch=run, flops=2 * m * n * k, tolerance=1e-2)


@ct.kernel
def matmul_nt_kernel(a, b, c, M: ConstInt, N: ConstInt, K: ConstInt):
    """a times b transposed: how linear layers keep their weights."""
    i, j = ct.bid(0), ct.bid(1)
    acc = ct.full((M, N), 0.0, dtype=ct.float32)
    for k in range(ct.cdiv(a.shape[1], K)):
        tb = ct.load(b, index=(j, k), shape=(N, K), padding_mode=ZERO)
        acc = ct.mma(ct.load(a, index=(i, k), shape=(M, K), padding_mode=ZERO), ct.transpose(tb), acc)
    ct.store(c, index=(i, j), tile=acc.astype(c.dtype))


def matmul_nt(type, tile):
    def make(m, n, k):
        arguments = [floats(type, m, k), floats(type, n, k), result(type, m, n), *tile]
        numpy = (lambda a, b: a @ b.T) if type == f32 else None
        return Problem(
            matmul_nt_kernel, arguments, (-(-m // tile[0]), -(-n // tile[1])), torch=lambda a, b: product(a, b.T), numpy=numpy, flops=2 * m * n * k,
        )  # fmt: skip

    return make


practice("linear_bf16", full={"m": 512, "n": 1024, "k": 1024}, quick={"m": 128, "n": 128, "k": 128})(matmul_nt(bf16, (128, 128, 64)))
practice("linear_f32", full={"m": 512, "n": 1024, "k": 1024}, quick={"m": 64, "n": 64, "k": 128})(matmul_nt(f32, (64, 64, 32)))
practice("linear_ragged_f16", full={"m": 500, "n": 1000, "k": 777}, quick={"m": 70, "n": 130, "k": 77})(matmul_nt(f16, (64, 128, 32)))
practice("linear_4_rows_f16", full={"m": 4, "n": 4096, "k": 2048}, quick={"m": 4, "n": 64, "k": 128})(matmul_nt(f16, (4, 64, 128)))


@ct.kernel
def matmul_tn_kernel(a, b, c, M: ConstInt, N: ConstInt, K: ConstInt):
    """a transposed times b: the gradient of a linear layer's weights."""
    i, j = ct.bid(0), ct.bid(1)
    acc = ct.full((M, N), 0.0, dtype=ct.float32)
    for k in range(ct.cdiv(a.shape[0], K)):
        acc = ct.mma(ct.transpose(ct.load(a, index=(k, i), shape=(K, M))), ct.load(b, index=(k, j), shape=(K, N)), acc)
    ct.store(c, index=(i, j), tile=acc)


@practice("weight_gradient_f32", full={"k": 1024, "m": 512, "n": 1024}, quick={"k": 64, "m": 64, "n": 64})
def matmul_tn(k, m, n):
    arguments = [floats(f32, k, m), floats(f32, k, n), result(f32, m, n), 64, 64, 32]
    return Problem(
        matmul_tn_kernel, arguments, (m // 64, n // 64), torch=lambda a, b: a.T @ b, numpy=lambda a, b: a.T @ b, flops=2 * m * n * k,
    )  # fmt: skip


@ct.kernel
def bias_gelu_kernel(x, w, bias, y, M: ConstInt, N: ConstInt, K: ConstInt):
    i, j = ct.bid(0), ct.bid(1)
    acc = ct.full((M, N), 0.0, dtype=ct.float32)
    for k in range(ct.cdiv(x.shape[1], K)):
        acc = ct.mma(ct.load(x, index=(i, k), shape=(M, K)), ct.load(w, index=(k, j), shape=(K, N)), acc)
    h = acc + ct.load(bias, index=(j,), shape=(N,)).astype(ct.float32)[None, :]
    g = 0.5 * h * (1.0 + ct.tanh(0.7978845608 * (h + 0.044715 * h * h * h)))
    ct.store(y, index=(i, j), tile=g.astype(y.dtype))


def bias_gelu(type):
    def make(m, n, k):
        arguments = [floats(type, m, k), floats(type, k, n, low=-0.1, high=0.1), floats(type, n), result(type, m, n), 64, 128, 32]
        return Problem(
            bias_gelu_kernel, arguments, (m // 64, n // 128), torch=lambda x, w, b: F.gelu(product(x, w) + b, approximate="tanh"),
            flops=2 * m * n * k, tolerance=None if type == f32 else 1e-2,
        )  # fmt: skip

    return make


practice("matmul_bias_gelu_f32", full={"m": 512, "n": 1024, "k": 512}, quick={"m": 64, "n": 128, "k": 64})(bias_gelu(f32))
practice("matmul_bias_gelu_f16", full={"m": 512, "n": 1024, "k": 512}, quick={"m": 64, "n": 128, "k": 64})(bias_gelu(f16))


@ct.kernel
def norm_matmul_residual_kernel(x, gain, w, residual, y, M: ConstInt, N: ConstInt, K: ConstInt):
    """RMS normalisation on the way into a product, the residual on the way out. The mean square is a sum over the same tiles."""
    i, j = ct.bid(0), ct.bid(1)
    acc = ct.full((M, N), 0.0, dtype=ct.float32)
    squares = ct.full((M, 1), 0.0, dtype=ct.float32)
    for k in range(ct.cdiv(x.shape[1], K)):
        a = ct.load(x, index=(i, k), shape=(M, K)).astype(ct.float32)
        squares = squares + ct.sum(a * a, axis=1, keepdims=True)
        g = ct.load(gain, index=(k,), shape=(K,)).astype(ct.float32)[None, :]
        acc = ct.mma((a * g).astype(x.dtype), ct.load(w, index=(k, j), shape=(K, N)), acc)
    out = acc * ct.rsqrt(squares / x.shape[1] + 1e-6)
    out = out + ct.load(residual, index=(i, j), shape=(M, N)).astype(ct.float32)
    ct.store(y, index=(i, j), tile=out.astype(y.dtype))


@practice("rmsnorm_matmul_residual_bf16", full={"m": 256, "n": 1024, "k": 1024}, quick={"m": 64, "n": 128, "k": 64})
def norm_matmul_residual(m, n, k):
    def run(x, g, w, r):
        h = x.float()
        h = (h * torch.rsqrt(h.square().mean(1, keepdim=True) + 1e-6) * g.float()).to(x.dtype)
        return h @ w + r

    arguments = [floats(bf16, m, k), floats(bf16, k), floats(bf16, k, n, low=-0.1, high=0.1), floats(bf16, m, n), result(bf16, m, n), 64, 128, 32]
    return Problem(norm_matmul_residual_kernel, arguments, (m // 64, n // 128), torch=run, flops=2 * m * n * k, tolerance=5e-2)


@ct.kernel
def batched_residual_kernel(a, b, r, c, M: ConstInt, N: ConstInt, K: ConstInt):
    batch, i, j = ct.bid(0), ct.bid(1), ct.bid(2)
    acc = ct.load(r, index=(batch, i, j), shape=(1, M, N)).reshape((M, N)).astype(ct.float32)
    for k in range(ct.cdiv(a.shape[2], K)):
        ta = ct.load(a, index=(batch, i, k), shape=(1, M, K)).reshape((M, K))
        tb = ct.load(b, index=(batch, k, j), shape=(1, K, N)).reshape((K, N))
        acc = ct.mma(ta, tb, acc)
    ct.store(c, index=(batch, i, j), tile=acc.astype(c.dtype).reshape((1, M, N)))


def batched_residual(type):
    def add_product(a, b, r):
        return product(a, b) + r if type == f16 else torch.baddbmm(r, a, b)

    def make(batch, m, n, k):
        arguments = [floats(type, batch, m, k), floats(type, batch, k, n), floats(type, batch, m, n), result(type, batch, m, n), 32, 32, 32]
        return Problem(
            batched_residual_kernel, arguments, (batch, m // 32, n // 32), torch=add_product,
            flops=2 * batch * m * n * k, tolerance=None if type == f32 else 1e-2,
        )  # fmt: skip

    return make


practice("batched_residual_f16", full={"batch": 64, "m": 128, "n": 128, "k": 128}, quick={"batch": 2, "m": 32, "n": 64, "k": 64})(batched_residual(f16))
practice("batched_residual_f32", full={"batch": 64, "m": 128, "n": 128, "k": 128}, quick={"batch": 2, "m": 32, "n": 64, "k": 64})(batched_residual(f32))


@ct.kernel
def matvec_kernel(a, x, y, M: ConstInt, K: ConstInt):
    i = ct.bid(0)
    total = ct.full((M, 1), 0.0, dtype=ct.float32)
    for k in range(ct.cdiv(a.shape[1], K)):
        row = ct.load(x, index=(k,), shape=(K,)).astype(ct.float32)[None, :]
        total = total + ct.sum(ct.load(a, index=(i, k), shape=(M, K)).astype(ct.float32) * row, axis=1, keepdims=True)
    ct.store(y, index=(i,), tile=total.reshape((M,)).astype(y.dtype))


@practice("matvec_bf16", full={"m": 4096, "k": 2048}, quick={"m": 16, "k": 512})
def matvec(m, k):
    arguments = [floats(bf16, m, k), floats(bf16, k), result(bf16, m), 16, 256]
    return Problem(matvec_kernel, arguments, m // 16, torch=lambda a, x: a @ x)


@ct.kernel
def int8_kernel(a, b, sa, sb, c, M: ConstInt, N: ConstInt, K: ConstInt):
    """8-bit integers on both sides, scales of the rows and the columns at the end."""
    i, j = ct.bid(0), ct.bid(1)
    acc = ct.full((M, N), 0, dtype=ct.int32)
    for k in range(ct.cdiv(a.shape[1], K)):
        acc = ct.mma(ct.load(a, index=(i, k), shape=(M, K)), ct.load(b, index=(k, j), shape=(K, N)), acc)
    scale = ct.load(sa, index=(i,), shape=(M,))[:, None] * ct.load(sb, index=(j,), shape=(N,))[None, :]
    ct.store(c, index=(i, j), tile=acc.astype(ct.float32) * scale)


@practice("matmul_int8_scaled", full={"m": 512, "n": 1024, "k": 1024}, quick={"m": 64, "n": 64, "k": 64})
def int8(m, n, k):
    def run(a, b, sa, sb):
        return torch._int_mm(a, b).float() * sa[:, None] * sb[None, :]

    def reference(a, b, sa, sb):
        return (a.double() @ b.double()) * sa.double()[:, None] * sb.double()[None, :]

    arguments = [below(255, i8, m, k), below(255, i8, k, n), floats(f32, m), floats(f32, n), result(f32, m, n), 64, 64, 64]
    return Problem(int8_kernel, arguments, (m // 64, n // 64), torch=run, reference=reference, flops=2 * m * n * k)


@ct.kernel
def nearest_centre_kernel(x, centres, norms, y, M: ConstInt, N: ConstInt, K: ConstInt):
    """Which of some points each point is nearest to, as in k-means."""
    i = ct.bid(0)
    a, c = ct.load(x, index=(i, 0), shape=(M, K)), ct.load(centres, index=(0, 0), shape=(N, K))
    dots = ct.mma(a, ct.transpose(c), ct.full((M, N), 0.0, dtype=ct.float32))
    ct.store(y, index=(i,), tile=ct.argmin(ct.load(norms, index=(0,), shape=(N,))[None, :] - 2.0 * dots, axis=1))


@practice("nearest_of_64_centres_f32", full={"m": 32768, "n": 64, "k": 32}, quick={"m": 64, "n": 64, "k": 32})
def nearest_centre(m, n, k):
    arguments = [floats(f32, m, k), floats(f32, n, k), floats(f32, n, low=10, high=11), result(i32, m), 64, n, k]
    return Problem(
        nearest_centre_kernel, arguments, m // 64, torch=lambda x, c, s: (s[None] - 2 * x @ c.T).argmin(1).int(), flops=2 * m * n * k
    )


@ct.kernel
def l1_kernel(a, b, y, M: ConstInt, N: ConstInt, D: ConstInt):
    """The sum of the differences of each row of one matrix and each of another."""
    i, j = ct.bid(0), ct.bid(1)
    acc = ct.full((M, N), 0.0, dtype=ct.float32)
    for d in range(ct.cdiv(a.shape[1], D)):
        x = ct.load(a, index=(i, d), shape=(M, D)).reshape((M, 1, D))
        z = ct.load(b, index=(j, d), shape=(N, D)).reshape((1, N, D))
        acc = acc + ct.sum(ct.abs(x - z), axis=2)
    ct.store(y, index=(i, j), tile=acc)


@practice("pairwise_l1_f32", full={"m": 512, "n": 512, "d": 64}, quick={"m": 32, "n": 32, "d": 64})
def l1(m, n, d):
    arguments = [floats(f32, m, d), floats(f32, n, d), result(f32, m, n), 16, 16, 16]
    return Problem(l1_kernel, arguments, (m // 16, n // 16), torch=lambda a, b: torch.cdist(a, b, p=1), flops=3 * m * n * d)
