"""Convolutions, stencils and pooling."""

import cuda.tile as ct
import numpy as np
import torch
import torch.nn.functional as F
from declare import ConstInt, Number, Problem, bf16, f16, f32, floats, i32, practice, result

ZERO = ct.PaddingMode.ZERO


@ct.kernel
def causal_conv1d_kernel(x, weight, bias, y, M: ConstInt, N: ConstInt):
    """Four taps along time for each channel, then SiLU, as in state-space models. Channels are the last axis."""
    i, j = ct.bid(0), ct.bid(1)
    times = (i * M + ct.arange(M, dtype=ct.int32))[:, None]
    channels = (j * N + ct.arange(N, dtype=ct.int32))[None, :]
    acc = ct.load(bias, index=(j,), shape=(N,))[None, :] + ct.full((M, N), 0.0, dtype=ct.float32)
    for tap in ct.static_iter(range(4)):
        w = ct.load(weight, index=(tap, j), shape=(1, N))
        at = times + (tap - 3)
        acc = acc + w * ct.gather(x, (at, channels), mask=at >= 0, padding_value=0.0)
    ct.store(y, index=(i, j), tile=acc / (1.0 + ct.exp(-acc)))


@practice("causal_conv1d_silu_f32", full={"t": 2048, "c": 1024}, quick={"t": 64, "c": 64})
def causal_conv1d(t, c):
    def run(x, w, b):
        padded = F.pad(x, (0, 0, 3, 0))
        acc = b + sum(w[tap] * padded[tap : tap + t] for tap in range(4))
        return F.silu(acc)

    return Problem(causal_conv1d_kernel, [floats(f32, t, c), floats(f32, 4, c), floats(f32, c), result(f32, t, c), 32, 64], (t // 32, c // 64), torch=run)


@ct.kernel
def depthwise_kernel(x, weight, y, M: ConstInt, N: ConstInt):
    """3 x 3 for each channel, zeros around the image."""
    c, i, j = ct.bid(0), ct.bid(1), ct.bid(2)
    rows = (i * M + ct.arange(M, dtype=ct.int32))[:, None]
    columns = (j * N + ct.arange(N, dtype=ct.int32))[None, :]
    acc = ct.full((M, N), 0.0, dtype=ct.float32)
    for dy in ct.static_iter(range(3)):
        for dx in ct.static_iter(range(3)):
            w = ct.load(weight, index=(c, dy, dx), shape=(1, 1, 1)).reshape((1, 1))
            acc = acc + w * ct.gather(x, (c, rows + (dy - 1), columns + (dx - 1)), padding_value=0.0)
    ct.store(y, index=(c, i, j), tile=acc.reshape((1, M, N)))


@practice("depthwise_conv_3x3_f32", full={"c": 64, "h": 128, "w": 128}, quick={"c": 2, "h": 32, "w": 64})
def depthwise(c, h, w):
    arguments = [floats(f32, c, h, w), floats(f32, c, 3, 3), result(f32, c, h, w), 16, 64]
    return Problem(
        depthwise_kernel, arguments, (c, h // 16, w // 64), torch=lambda x, k: F.conv2d(x[None], k[:, None], padding=1, groups=c)[0],
    )  # fmt: skip


@ct.kernel
def conv_kernel(image, weights, y, M: ConstInt, C: ConstInt, N: ConstInt):
    """A convolution with channels last as nine products of gathered pixels (im2col without the copy)."""
    row, column = ct.bid(0), ct.bid(1)
    acc = ct.full((M, N), 0.0, dtype=ct.float32)
    channel = ct.arange(C, dtype=ct.int32)[None, :]
    for dy in range(3):
        for dx in range(3):
            x = (column * M + ct.arange(M, dtype=ct.int32) + (dx - 1))[:, None]
            pixels = ct.gather(image, (row + (dy - 1), x, channel), padding_value=0)
            filters = ct.load(weights, index=(dy, dx, 0, 0), shape=(1, 1, C, N)).reshape((C, N))
            acc = ct.mma(pixels, filters, acc)
    ct.store(y, index=(row, column, 0), tile=ct.maximum(acc, 0.0).astype(y.dtype).reshape((1, M, N)))


def conv(type):
    def make(h, w, c, n):
        def run(x, k):
            # As with products, PyTorch's own convolution in f16 is no match on most CPUs.
            wide = torch.float32 if x.dtype == torch.float16 else x.dtype
            y = F.conv2d(x.to(wide).permute(2, 0, 1)[None], k.to(wide).permute(3, 2, 0, 1), padding=1).relu()
            return y[0].permute(1, 2, 0).contiguous().to(x.dtype)

        arguments = [floats(type, h, w, c), floats(type, 3, 3, c, n), result(type, h, w, n), 32, c, n]
        return Problem(conv_kernel, arguments, (h, w // 32), torch=run, flops=2 * 9 * h * w * c * n, tolerance=None if type == f32 else 1e-2)

    return make


practice("conv_3x3_relu_f32", full={"h": 64, "w": 64, "c": 64, "n": 64}, quick={"h": 4, "w": 32, "c": 64, "n": 64})(conv(f32))
practice("conv_3x3_relu_f16", full={"h": 64, "w": 64, "c": 64, "n": 64}, quick={"h": 4, "w": 32, "c": 64, "n": 64})(conv(f16))


@ct.kernel
def heat_kernel(u, v, M: ConstInt, N: ConstInt):
    """One step of the heat equation on a grid with a border: five overlapping tiles by gathers; the border stays."""
    i, j = ct.bid(0), ct.bid(1)
    rows = (i * M + ct.arange(M, dtype=ct.int32))[:, None]
    columns = (j * N + ct.arange(N, dtype=ct.int32))[None, :]
    inside = (rows > 0) & (rows < u.shape[0] - 1) & (columns > 0) & (columns < u.shape[1] - 1)
    centre = ct.load(u, index=(i, j), shape=(M, N))
    around = ct.gather(u, (rows - 1, columns)) + ct.gather(u, (rows + 1, columns)) + ct.gather(u, (rows, columns - 1)) + ct.gather(u, (rows, columns + 1))
    ct.store(v, index=(i, j), tile=ct.where(inside, centre + 0.1 * (around - 4.0 * centre), centre))


@practice("heat_stencil_f32", full={"n": 1024}, quick={"n": 64})
def heat(n):
    def run(u):
        v = u.clone()
        c = u[1:-1, 1:-1]
        v[1:-1, 1:-1] = c + 0.1 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - 4 * c)
        return v

    def run_numpy(u):
        v = u.copy()
        c = u[1:-1, 1:-1]
        v[1:-1, 1:-1] = c + np.float32(0.1) * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - 4 * c)
        return v

    return Problem(heat_kernel, [floats(f32, n, n), result(f32, n, n), 32, 64], (n // 32, n // 64), torch=run, numpy=run_numpy)


@ct.kernel
def maxpool_kernel(x, y, M: ConstInt, N: ConstInt):
    c, i, j = ct.bid(0), ct.bid(1), ct.bid(2)
    xs = ct.load(x, index=(c, i, j), shape=(1, 2 * M, 2 * N)).reshape((M, 2, N, 2))
    ct.store(y, index=(c, i, j), tile=ct.max(ct.max(xs, axis=3), axis=1).reshape((1, M, N)))


@practice("maxpool_2x2_f32", full={"c": 32, "h": 256, "w": 256}, quick={"c": 2, "h": 32, "w": 128})
def maxpool(c, h, w):
    def run_numpy(x):
        return x.reshape(c, h // 2, 2, w // 2, 2).max((2, 4))

    arguments = [floats(f32, c, h, w), result(f32, c, h // 2, w // 2), 8, 32]
    return Problem(maxpool_kernel, arguments, (c, h // 16, w // 64), torch=lambda x: F.max_pool2d(x[None], 2)[0], numpy=run_numpy)


@ct.kernel
def average_pool_kernel(x, y, N: ConstInt):
    """The mean over each image of each channel, channels last: a sum along the outer axis."""
    image, block = ct.bid(0), ct.bid(1)
    total = ct.full((N,), 0.0, dtype=ct.float32)
    for p in range(ct.cdiv(x.shape[1], 16)):
        total = total + ct.sum(ct.load(x, index=(image, p, block), shape=(1, 16, N)).reshape((16, N)).astype(ct.float32), axis=0)
    ct.store(y, index=(image, block), tile=(total / x.shape[1]).reshape((1, N)).astype(y.dtype))


@practice("global_average_pool_bf16", full={"images": 16, "p": 256, "c": 1024}, quick={"images": 2, "p": 32, "c": 128})
def average_pool(images, p, c):
    return Problem(average_pool_kernel, [floats(bf16, images, p, c), result(bf16, images, c), 128], (images, c // 128), torch=lambda x: x.mean(1))


@ct.kernel
def moving_average_kernel(x, y, TILE: ConstInt):
    """Five neighbours, through pointers, with zeros around the row."""
    i = ct.bid(0) * TILE + ct.arange(TILE, dtype=ct.int32)
    acc = ct.gather(x, i - 2, padding_value=0.0)
    for k in ct.static_iter(range(4)):
        acc = acc + ct.gather(x, i + (k - 1), padding_value=0.0)
    ct.scatter(y, i, acc * 0.2)


@practice("moving_average_f32", full={"n": 1 << 22}, quick={"n": 1 << 12})
def moving_average(n):
    def run(x):
        p = F.pad(x, (2, 2))
        return (p[:-4] + p[1:-3] + p[2:-2] + p[3:-1] + p[4:]) * 0.2

    return Problem(moving_average_kernel, [floats(f32, n), result(f32, n), 1024], n // 1024, torch=run)


@ct.kernel
def upsample_kernel(x, y, M: ConstInt, N: ConstInt):
    c, i, j = ct.bid(0), ct.bid(1), ct.bid(2)
    rows = (i * M + ct.arange(M, dtype=ct.int32))[:, None]
    columns = (j * N + ct.arange(N, dtype=ct.int32))[None, :]
    ct.store(y, index=(c, i, j), tile=ct.gather(x, (c, rows // 2, columns // 2)).reshape((1, M, N)))


@practice("nearest_upsample_f32", full={"c": 32, "h": 128, "w": 128}, quick={"c": 2, "h": 16, "w": 32})
def upsample(c, h, w):
    return Problem(
        upsample_kernel, [floats(f32, c, h, w), result(f32, c, 2 * h, 2 * w), 16, 64], (c, h // 8, w // 32),
        torch=lambda x: F.interpolate(x[None], scale_factor=2, mode="nearest")[0], numpy=lambda x: x.repeat(2, 1).repeat(2, 2),
    )  # fmt: skip


@ct.kernel
def sobel_kernel(x, y, M: ConstInt, N: ConstInt, h, w):
    """Edges of an image whose border is repeated: places are clamped."""
    i, j = ct.bid(0), ct.bid(1)
    r = (i * M + ct.arange(M, dtype=ct.int32))[:, None]
    c = (j * N + ct.arange(N, dtype=ct.int32))[None, :]
    up, down = ct.maximum(r - 1, 0), ct.minimum(r + 1, h - 1)
    left, right = ct.maximum(c - 1, 0), ct.minimum(c + 1, w - 1)
    a, b, d = ct.gather(x, (up, left)), ct.gather(x, (up, c)), ct.gather(x, (up, right))
    e, f = ct.gather(x, (r, left)), ct.gather(x, (r, right))
    g, k, l = ct.gather(x, (down, left)), ct.gather(x, (down, c)), ct.gather(x, (down, right))
    across = (d + 2.0 * f + l) - (a + 2.0 * e + g)
    along = (g + 2.0 * k + l) - (a + 2.0 * b + d)
    ct.store(y, index=(i, j), tile=ct.sqrt(across * across + along * along))


@practice("sobel_clamped_f32", full={"n": 1024}, quick={"n": 64})
def sobel(n):
    def run(x):
        p = F.pad(x[None, None], (1, 1, 1, 1), mode="replicate")[0, 0]
        a, b, d = p[:-2, :-2], p[:-2, 1:-1], p[:-2, 2:]
        e, f = p[1:-1, :-2], p[1:-1, 2:]
        g, k, l = p[2:, :-2], p[2:, 1:-1], p[2:, 2:]
        across, along = (d + 2 * f + l) - (a + 2 * e + g), (g + 2 * k + l) - (a + 2 * b + d)
        return (across * across + along * along).sqrt()

    return Problem(sobel_kernel, [floats(f32, n, n), result(f32, n, n), 16, 64, Number(i32, n), Number(i32, n)], (n // 16, n // 64), torch=run)
