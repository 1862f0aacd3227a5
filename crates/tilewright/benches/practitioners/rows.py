"""Kernels over rows and columns: reductions with any combiner, scans, normalisations forward and backward."""

import cuda.tile as ct
import numpy as np
import torch
import torch.nn.functional as F
from declare import ConstInt, Number, Problem, below, bf16, f16, f32, f64, floats, i32, practice, result, sums


@ct.kernel
def argmax_kernel(x, y, N: ConstInt):
    row = ct.bid(0)
    ct.store(y, index=(row,), tile=ct.argmax(ct.load(x, index=(row, 0), shape=(1, N)), axis=1))


@practice("argmax_rows_f32", full={"m": 4096, "n": 1024}, quick={"m": 16, "n": 1024})
def argmax(m, n):
    return Problem(
        argmax_kernel, [floats(f32, m, n), result(i32, m), n], m,
        torch=lambda x: x.argmax(1).int(), numpy=lambda x: x.argmax(1),
    )  # fmt: skip


def combine_moments(count1, mean1, m1, count2, mean2, m2):
    count = count1 + count2
    delta = mean2 - mean1
    part = count2 / ct.maximum(count, 1.0)
    return count, mean1 + delta * part, m1 + m2 + delta * delta * count1 * part


@ct.kernel
def welford_kernel(x, mean, variance, M: ConstInt, N: ConstInt):
    i = ct.bid(0)
    xs = ct.load(x, index=(i, 0), shape=(M, N))
    ones = ct.full((M, N), 1.0, dtype=ct.float32)
    zeros = ct.full((M, N), 0.0, dtype=ct.float32)
    count, mu, m2 = ct.reduce((ones, xs, zeros), 1, combine_moments, (0.0, 0.0, 0.0))
    ct.store(mean, index=(i,), tile=mu)
    ct.store(variance, index=(i,), tile=m2 / count)


@practice("welford_rows_f32", full={"m": 2048, "n": 1024}, quick={"m": 16, "n": 1024})
def welford(m, n):
    def run(x):
        variance, mean = torch.var_mean(x, 1, correction=0)
        return mean, variance

    arguments = [floats(f32, m, n, high=2), result(f32, m), result(f32, m), 4, n]
    return Problem(welford_kernel, arguments, m // 4, torch=run, numpy=lambda x: (x.mean(1), x.var(1)))


@ct.kernel
def logsumexp_kernel(x, y, N: ConstInt):
    row = ct.bid(0)
    xs = ct.load(x, index=(row, 0), shape=(1, N)).astype(ct.float32)
    top = ct.max(xs, axis=1, keepdims=True)
    total = top + ct.log(ct.sum(ct.exp(xs - top), axis=1, keepdims=True))
    ct.store(y, index=(row,), tile=total.reshape((1,)))


@practice("logsumexp_rows_bf16", full={"m": 1024, "n": 4096}, quick={"m": 8, "n": 4096})
def logsumexp(m, n):
    return Problem(logsumexp_kernel, [floats(bf16, m, n, low=-8, high=8), result(f32, m), n], m, torch=lambda x: torch.logsumexp(x.float(), 1))


@ct.kernel
def any_all_kernel(x, some, every, M: ConstInt, N: ConstInt):
    i = ct.bid(0)
    xs = ct.load(x, index=(i, 0), shape=(M, N))
    bad = ((xs > 0.9999) | ct.isnan(xs)).astype(ct.int32)
    good = (xs > -0.999).astype(ct.int32)
    ct.store(some, index=(i,), tile=ct.max(bad, axis=1))
    ct.store(every, index=(i,), tile=ct.min(good, axis=1))


@practice("any_all_rows_f32", full={"m": 4096, "n": 1024}, quick={"m": 32, "n": 1024})
def any_all(m, n):
    return Problem(
        any_all_kernel, [floats(f32, m, n), result(i32, m), result(i32, m), 8, n], m // 8,
        torch=lambda x: (((x > 0.9999) | x.isnan()).any(1).int(), (x > -0.999).all(1).int()),
        numpy=lambda x: (((x > 0.9999) | np.isnan(x)).any(1), (x > -0.999).all(1)),
    )  # fmt: skip


@ct.kernel
def column_extremes_kernel(x, least, most, M: ConstInt, N: ConstInt):
    j = ct.bid(0)
    low = ct.full((N,), 1e30, dtype=ct.float32)
    high = ct.full((N,), -1e30, dtype=ct.float32)
    for i in range(ct.cdiv(x.shape[0], M)):
        xs = ct.load(x, index=(i, j), shape=(M, N))
        low = ct.minimum(low, ct.min(xs, axis=0))
        high = ct.maximum(high, ct.max(xs, axis=0))
    ct.store(least, index=(j,), tile=low)
    ct.store(most, index=(j,), tile=high)


@practice("column_min_max_f32", full={"m": 4096, "n": 1024}, quick={"m": 64, "n": 128})
def column_extremes(m, n):
    return Problem(
        column_extremes_kernel, [floats(f32, m, n), result(f32, n), result(f32, n), 32, 64], n // 64,
        torch=lambda x: (x.amin(0), x.amax(0)), numpy=lambda x: (x.min(0), x.max(0)),
    )  # fmt: skip


@ct.kernel
def cumsum_columns_kernel(x, y, M: ConstInt, N: ConstInt):
    j = ct.bid(0)
    carry = ct.full((1, N), 0.0, dtype=ct.float32)
    for i in range(ct.cdiv(x.shape[0], M)):
        c = ct.cumsum(ct.load(x, index=(i, j), shape=(M, N)), axis=0) + carry
        ct.store(y, index=(i, j), tile=c)
        carry = ct.extract(c, index=(M - 1, 0), shape=(1, N))


@practice("cumsum_columns_f32", full={"m": 2048, "n": 1024}, quick={"m": 64, "n": 128})
def cumsum_columns(m, n):
    return Problem(
        cumsum_columns_kernel, [floats(f32, m, n), result(f32, m, n), 16, 64], n // 64,
        torch=lambda x: x.cumsum(0), numpy=lambda x: x.cumsum(0),
    )  # fmt: skip


@ct.kernel
def cumsum_i32_kernel(x, y, N: ConstInt):
    row = ct.bid(0)
    xs = ct.load(x, index=(row, 0), shape=(1, N))
    ct.store(y, index=(row, 0), tile=ct.cumsum(xs, axis=1) - xs)


@practice("exclusive_cumsum_rows_i32", full={"m": 4096, "n": 1024}, quick={"m": 8, "n": 1024})
def cumsum_i32(m, n):
    return Problem(
        cumsum_i32_kernel, [below(100, i32, m, n), result(i32, m, n), n], m,
        torch=lambda x: x.cumsum(1, dtype=torch.int32) - x, numpy=lambda x: x.cumsum(1, dtype=np.int32) - x,
    )  # fmt: skip


def recur(a1, b1, a2, b2):
    return a1 * a2, a2 * b1 + b2


@ct.kernel
def recurrence_rows_kernel(a, b, y, N: ConstInt):
    """h[t] = a[t] h[t-1] + b[t], as in state-space models."""
    row = ct.bid(0)
    decay = ct.load(a, index=(row, 0), shape=(1, N))
    add = ct.load(b, index=(row, 0), shape=(1, N))
    _, h = ct.scan((decay, add), 1, recur, (1.0, 0.0))
    ct.store(y, index=(row, 0), tile=h)


def doubled_recurrence(a, b, dim):
    """The same in whole-array operations: each step doubles the distance."""
    n, k = a.shape[dim], 1
    while k < n:
        head_a, head_b = a.narrow(dim, 0, k), b.narrow(dim, 0, k)
        tail_a, before_a = a.narrow(dim, k, n - k), a.narrow(dim, 0, n - k)
        b = torch.cat([head_b, tail_a * b.narrow(dim, 0, n - k) + b.narrow(dim, k, n - k)], dim)
        a = torch.cat([head_a, tail_a * before_a], dim)
        k *= 2
    return b


@practice("linear_recurrence_rows_f32", full={"m": 1024, "n": 1024}, quick={"m": 8, "n": 1024})
def recurrence_rows(m, n):
    arguments = [floats(f32, m, n, low=0.5, high=0.99), floats(f32, m, n), result(f32, m, n), n]
    return Problem(recurrence_rows_kernel, arguments, m, torch=lambda a, b: doubled_recurrence(a, b, 1))


@ct.kernel
def recurrence_columns_kernel(a, b, y, M: ConstInt, N: ConstInt):
    j = ct.bid(0)
    state = ct.full((1, N), 0.0, dtype=ct.float32)
    for i in range(ct.cdiv(a.shape[0], M)):
        decay, h = ct.scan((ct.load(a, index=(i, j), shape=(M, N)), ct.load(b, index=(i, j), shape=(M, N))), 0, recur, (1.0, 0.0))
        h = h + decay * state
        ct.store(y, index=(i, j), tile=h)
        state = ct.extract(h, index=(M - 1, 0), shape=(1, N))


@practice("linear_recurrence_columns_f32", full={"m": 1024, "n": 1024}, quick={"m": 64, "n": 128})
def recurrence_columns(m, n):
    arguments = [floats(f32, m, n, low=0.5, high=0.99), floats(f32, m, n), result(f32, m, n), 16, 64]
    return Problem(recurrence_columns_kernel, arguments, n // 64, torch=lambda a, b: doubled_recurrence(a, b, 0))


def larger(a, b):
    return ct.maximum(a, b)


@ct.kernel
def running_max_kernel(x, y, N: ConstInt):
    row = ct.bid(0)
    ct.store(y, index=(row, 0), tile=ct.scan(ct.load(x, index=(row, 0), shape=(1, N)), 1, larger, -1e30))


@practice("running_max_rows_f32", full={"m": 4096, "n": 1024}, quick={"m": 8, "n": 1024})
def running_max(m, n):
    return Problem(
        running_max_kernel, [floats(f32, m, n), result(f32, m, n), n], m,
        torch=lambda x: x.cummax(1).values, numpy=lambda x: np.maximum.accumulate(x, 1),
    )  # fmt: skip


@ct.kernel
def layernorm_kernel(x, weight, bias, y, COLUMNS: ConstInt, N: ConstInt, eps):
    """Rows whose length is no power of two: the rest of the tile is masked."""
    row = ct.bid(0)
    xs = ct.load(x, index=(row, 0), shape=(1, N), padding_mode=ct.PaddingMode.ZERO).astype(ct.float32)
    mask = (ct.arange(N, dtype=ct.int32) < COLUMNS)[None, :]
    mean = ct.sum(xs, axis=1, keepdims=True) / COLUMNS
    centred = ct.where(mask, xs - mean, 0.0)
    variance = ct.sum(centred * centred, axis=1, keepdims=True) / COLUMNS
    w = ct.load(weight, index=(0,), shape=(N,), padding_mode=ct.PaddingMode.ZERO)[None, :]
    b = ct.load(bias, index=(0,), shape=(N,), padding_mode=ct.PaddingMode.ZERO)[None, :]
    normal = centred * ct.rsqrt(variance + eps)
    ct.store(y, index=(row, 0), tile=(normal * w + b).astype(y.dtype))


@practice("layernorm_768_f16", full={"m": 4096, "n": 768}, quick={"m": 16, "n": 768})
def layernorm(m, n):
    arguments = [floats(f16, m, n), floats(f16, n), floats(f16, n), result(f16, m, n), n, 1024, Number(f32, 1e-5)]
    return Problem(layernorm_kernel, arguments, m, torch=lambda x, w, b: F.layer_norm(x, (n,), w, b, 1e-5))


@ct.kernel
def layernorm_backward_kernel(x, dy, weight, dx, dweight, dbias, M: ConstInt, N: ConstInt, eps):
    i = ct.bid(0)
    xs = ct.load(x, index=(i, 0), shape=(M, N))
    g = ct.load(dy, index=(i, 0), shape=(M, N))
    w = ct.load(weight, index=(0,), shape=(N,))[None, :]
    mean = ct.sum(xs, axis=1, keepdims=True) / N
    centred = xs - mean
    r = ct.rsqrt(ct.sum(centred * centred, axis=1, keepdims=True) / N + eps)
    normal = centred * r
    wg = w * g
    c1 = ct.sum(normal * wg, axis=1, keepdims=True) / N
    c2 = ct.sum(wg, axis=1, keepdims=True) / N
    ct.store(dx, index=(i, 0), tile=(wg - (normal * c1 + c2)) * r)
    columns = ct.arange(N, dtype=ct.int32)
    ct.atomic_add(dweight, columns, ct.sum(g * normal, axis=0))
    ct.atomic_add(dbias, columns, ct.sum(g, axis=0))


@practice("layernorm_backward_f32", full={"m": 2048, "n": 1024}, quick={"m": 16, "n": 1024})
def layernorm_backward(m, n):
    def run(x, g, w):
        variance, mean = torch.var_mean(x, 1, correction=0, keepdim=True)
        r = torch.rsqrt(variance + 1e-5)
        dx, dw, db = torch.ops.aten.native_layer_norm_backward(g, x, [n], mean, r, w, w, [True, True, True])
        return dx, dw, db

    arguments = [floats(f32, m, n), floats(f32, m, n), floats(f32, n), result(f32, m, n), sums(f32, n), sums(f32, n), 8, n, Number(f32, 1e-5)]
    return Problem(layernorm_backward_kernel, arguments, m // 8, torch=run, tolerance=1e-3)


@ct.kernel
def rmsnorm_residual_kernel(x, residual, weight, y, added, N: ConstInt, eps):
    row = ct.bid(0)
    h = ct.load(x, index=(row, 0), shape=(1, N)).astype(ct.float32) + ct.load(residual, index=(row, 0), shape=(1, N)).astype(ct.float32)
    w = ct.load(weight, index=(0,), shape=(N,)).astype(ct.float32)[None, :]
    scale = ct.rsqrt(ct.sum(h * h, axis=1, keepdims=True) / N + eps)
    ct.store(added, index=(row, 0), tile=h.astype(added.dtype))
    ct.store(y, index=(row, 0), tile=(h * scale * w).astype(y.dtype))


@practice("rmsnorm_residual_bf16", full={"m": 2048, "n": 2048}, quick={"m": 8, "n": 2048})
def rmsnorm_residual(m, n):
    def run(x, residual, w):
        h = x.float() + residual.float()
        y = h * torch.rsqrt(h.square().mean(1, keepdim=True) + 1e-6) * w.float()
        return y.to(x.dtype), h.to(x.dtype)

    arguments = [floats(bf16, m, n), floats(bf16, m, n), floats(bf16, n), result(bf16, m, n), result(bf16, m, n), n, Number(f32, 1e-6)]
    return Problem(rmsnorm_residual_kernel, arguments, m, torch=run)


@ct.kernel
def softmax_backward_kernel(y, dy, dx, M: ConstInt, N: ConstInt):
    i = ct.bid(0)
    ys, g = ct.load(y, index=(i, 0), shape=(M, N)), ct.load(dy, index=(i, 0), shape=(M, N))
    ct.store(dx, index=(i, 0), tile=ys * (g - ct.sum(ys * g, axis=1, keepdims=True)))


@practice("softmax_backward_f32", full={"m": 8192, "n": 512}, quick={"m": 16, "n": 512})
def softmax_backward(m, n):
    return Problem(
        softmax_backward_kernel, [floats(f32, m, n, low=0), floats(f32, m, n), result(f32, m, n), 4, n], m // 4,
        torch=lambda y, g: y * (g - (y * g).sum(1, keepdim=True)), numpy=lambda y, g: y * (g - (y * g).sum(1, keepdims=True)),
    )  # fmt: skip


@ct.kernel
def persistent_softmax_kernel(x, y, N: ConstInt):
    for row in range(ct.bid(0), x.shape[0], ct.num_blocks(0)):
        xs = ct.load(x, index=(row, 0), shape=(1, N)).astype(ct.float32)
        e = ct.exp(xs - ct.max(xs, axis=1, keepdims=True))
        ct.store(y, index=(row, 0), tile=(e / ct.sum(e, axis=1, keepdims=True)).astype(y.dtype))


@practice("persistent_softmax_f16", full={"m": 4096, "n": 1024}, quick={"m": 40, "n": 1024})
def persistent_softmax(m, n):
    return Problem(persistent_softmax_kernel, [floats(f16, m, n, low=-4, high=4), result(f16, m, n), n], 32, torch=lambda x: x.softmax(1))


@ct.kernel
def masked_softmax_kernel(x, y, COLUMNS: ConstInt, N: ConstInt):
    row = ct.bid(0)
    columns = ct.arange(N, dtype=ct.int32)
    mask = columns < COLUMNS
    xs = ct.gather(x, (row, columns), mask=mask, padding_value=-1e30)
    e = ct.exp(xs - ct.max(xs))
    ct.scatter(y, (row, columns), e / ct.sum(e), mask=mask)


@practice("softmax_gathered_1000_f32", full={"m": 2048, "n": 1000}, quick={"m": 8, "n": 1000})
def masked_softmax(m, n):
    return Problem(masked_softmax_kernel, [floats(f32, m, n, low=-4, high=4), result(f32, m, n), n, 1024], m, torch=lambda x: x.softmax(1))


@ct.kernel
def batchnorm_kernel(x, mean, variance, weight, bias, y, N: ConstInt, eps):
    """One channel of one image for each block."""
    image, channel = ct.bid(0), ct.bid(1)
    r = ct.rsqrt(ct.load(variance, index=(channel,), shape=(1,)) + eps) * ct.load(weight, index=(channel,), shape=(1,))
    shift = ct.load(bias, index=(channel,), shape=(1,)) - ct.load(mean, index=(channel,), shape=(1,)) * r
    xs = ct.load(x, index=(image, channel, 0), shape=(1, 1, N))
    ct.store(y, index=(image, channel, 0), tile=xs * r.reshape((1, 1, 1)) + shift.reshape((1, 1, 1)))


@practice("batchnorm_inference_f32", full={"images": 32, "c": 128, "n": 1024}, quick={"images": 2, "c": 4, "n": 1024})
def batchnorm(images, c, n):
    arguments = [floats(f32, images, c, n), floats(f32, c), floats(f32, c, low=0.5), floats(f32, c), floats(f32, c), result(f32, images, c, n)]
    return Problem(
        batchnorm_kernel, [*arguments, n, Number(f32, 1e-5)], (images, c),
        torch=lambda x, m, v, w, b: F.batch_norm(x, m, v, w, b, False, 0.1, 1e-5),
    )  # fmt: skip


@ct.kernel
def groupnorm_kernel(x, weight, bias, y, C: ConstInt, N: ConstInt, eps):
    image, group = ct.bid(0), ct.bid(1)
    xs = ct.load(x, index=(image, group, 0), shape=(1, C, N)).reshape((C, N)).astype(ct.float32)
    count = C * N
    mean = ct.sum(xs) / count
    centred = xs - mean
    r = ct.rsqrt(ct.sum(centred * centred) / count + eps)
    w = ct.load(weight, index=(group,), shape=(C,))[:, None]
    b = ct.load(bias, index=(group,), shape=(C,))[:, None]
    ct.store(y, index=(image, group, 0), tile=(centred * r * w + b).reshape((1, C, N)).astype(y.dtype))


@practice("groupnorm_f32", full={"images": 16, "c": 256, "n": 1024}, quick={"images": 1, "c": 16, "n": 1024})
def groupnorm(images, c, n):
    arguments = [floats(f32, images, c, n), floats(f32, c), floats(f32, c), result(f32, images, c, n), 8, n, Number(f32, 1e-5)]
    return Problem(groupnorm_kernel, arguments, (images, c // 8), torch=lambda x, w, b: F.group_norm(x, c // 8, w, b, 1e-5))


@ct.kernel
def cross_entropy_kernel(logits, target, loss, gradient, N: ConstInt, scale):
    """Loss and gradient in one pass."""
    row = ct.bid(0)
    xs = ct.load(logits, index=(row, 0), shape=(1, N)).astype(ct.float32)
    t = ct.load(target, index=(row,), shape=(1,))
    e = ct.exp(xs - ct.max(xs))
    total = ct.sum(e)
    hit = ct.arange(N, dtype=ct.int32)[None, :] == t[:, None]
    p = e / total
    chosen = ct.sum(ct.where(hit, xs, 0.0))
    ct.store(loss, index=(row,), tile=(ct.log(total) + ct.max(xs) - chosen).reshape((1,)))
    ct.store(gradient, index=(row, 0), tile=((p - ct.where(hit, 1.0, 0.0)) * scale).astype(gradient.dtype))


@practice("cross_entropy_forward_backward_f32", full={"m": 512, "n": 4096}, quick={"m": 8, "n": 4096})
def cross_entropy(m, n):
    def run(x, t):
        logp = x.float().log_softmax(1)
        t = t.long()[:, None]
        loss = -logp.gather(1, t)[:, 0]
        hit = torch.arange(n)[None, :] == t
        return loss, ((logp.exp() - hit.float()) * 0.5).to(x.dtype)

    arguments = [floats(f32, m, n, low=-4, high=4), below(n, i32, m), result(f32, m), result(f32, m, n), n, Number(f32, 0.5)]
    return Problem(cross_entropy_kernel, arguments, m, torch=run)


@ct.kernel
def dot_kernel(x, y, z, TILE: ConstInt):
    i = ct.bid(0)
    ct.atomic_add(z, 0, ct.sum(ct.load(x, index=(i,), shape=(TILE,)) * ct.load(y, index=(i,), shape=(TILE,))))


@practice("dot_atomic_f64", full={"n": 1 << 21}, quick={"n": 1 << 12})
def dot(n):
    return Problem(
        dot_kernel, [floats(f64, n, low=0), floats(f64, n, low=0), sums(f64, 1), 2048], n // 2048,
        torch=lambda x, y: torch.dot(x, y)[None], numpy=lambda x, y: np.dot(x, y),
    )  # fmt: skip


@ct.kernel
def log_softmax_kernel(x, y, N: ConstInt):
    """Rows shorter than their tile, padded with what no maximum is."""
    row = ct.bid(0)
    xs = ct.load(x, index=(row, 0), shape=(1, N), padding_mode=ct.PaddingMode.NEG_INF).astype(ct.float32)
    top = ct.max(xs, axis=1, keepdims=True)
    total = ct.log(ct.sum(ct.exp(xs - top), axis=1, keepdims=True))
    ct.store(y, index=(row, 0), tile=(xs - top - total).astype(y.dtype))


@practice("log_softmax_1000_f16", full={"m": 4096, "n": 1000}, quick={"m": 16, "n": 1000})
def log_softmax(m, n):
    return Problem(log_softmax_kernel, [floats(f16, m, n), result(f16, m, n), 1024], m, torch=lambda x: F.log_softmax(x, 1), tolerance=8e-3)


@ct.kernel
def layernorm_rows_kernel(x, w, b, y, M: ConstInt, N: ConstInt, n, eps):
    """Several rows for each block, shorter than their tile."""
    i = ct.bid(0)
    xs = ct.load(x, index=(i, 0), shape=(M, N), padding_mode=ct.PaddingMode.ZERO)
    inside = (ct.arange(N, dtype=ct.int32) < n)[None, :]
    mean = ct.sum(xs, axis=1, keepdims=True) / n
    d = ct.where(inside, xs - mean, 0.0)
    scale = ct.rsqrt(ct.sum(d * d, axis=1, keepdims=True) / n + eps)
    ws = ct.load(w, index=(0,), shape=(N,), padding_mode=ct.PaddingMode.ZERO)[None, :]
    bs = ct.load(b, index=(0,), shape=(N,), padding_mode=ct.PaddingMode.ZERO)[None, :]
    ct.store(y, index=(i, 0), tile=d * scale * ws + bs)


@practice("layernorm_384_f32", full={"m": 8192, "n": 384}, quick={"m": 16, "n": 384})
def layernorm_rows(m, n):
    arguments = [floats(f32, m, n), floats(f32, n), floats(f32, n), result(f32, m, n), 4, 512, Number(i32, n), Number(f32, 1e-5)]
    return Problem(layernorm_rows_kernel, arguments, m // 4, torch=lambda x, w, b: F.layer_norm(x, (n,), w, b, 1e-5))


@ct.kernel
def channel_norm_kernel(x, w, y, C: ConstInt, T: ConstInt, c, eps):
    """Norms over channels that come first: over columns of a tile whose rows lie a power of two apart."""
    image, t = ct.bid(0), ct.bid(1)
    xs = ct.load(x, index=(image, 0, t), shape=(1, C, T)).reshape((C, T))
    scale = ct.rsqrt(ct.sum(xs * xs, axis=0, keepdims=True) / c + eps)
    ws = ct.load(w, index=(0,), shape=(C,))[:, None]
    ct.store(y, index=(image, 0, t), tile=(xs * scale * ws).reshape((1, C, T)))


@practice("rmsnorm_channels_first_f32", full={"images": 16, "c": 256, "t": 1024}, quick={"images": 1, "c": 256, "t": 32})
def channel_norm(images, c, t):
    arguments = [floats(f32, images, c, t), floats(f32, c), result(f32, images, c, t), c, 32, Number(i32, c), Number(f32, 1e-5)]
    return Problem(
        channel_norm_kernel, arguments, (images, t // 32),
        torch=lambda x, w: x * torch.rsqrt((x * x).mean(1, keepdim=True) + 1e-5) * w[None, :, None],
    )  # fmt: skip


@ct.kernel
def gating_kernel(x, weight, expert, M: ConstInt, N: ConstInt):
    """Which expert each token goes to, and with what weight."""
    i = ct.bid(0)
    xs = ct.load(x, index=(i, 0), shape=(M, N)).astype(ct.float32)
    p = ct.exp(xs - ct.max(xs, axis=1, keepdims=True))
    ct.store(weight, index=(i,), tile=1.0 / ct.sum(p, axis=1))
    ct.store(expert, index=(i,), tile=ct.argmax(xs, axis=1))


@practice("top_expert_of_64_f16", full={"m": 65536, "n": 64}, quick={"m": 64, "n": 64})
def gating(m, n):
    def run(x):
        weight, expert = torch.softmax(x.float(), 1).max(1)
        return weight, expert.int()

    return Problem(gating_kernel, [floats(f16, m, n), result(f32, m), result(i32, m), 16, n], m // 16, torch=run, reference=run, tolerance=1e-2)
