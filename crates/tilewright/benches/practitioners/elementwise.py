"""Elementwise kernels: selects, integers, small floats and f64, small, ragged and strided tiles, persistent loops."""

import cuda.tile as ct
import numpy as np
import torch
import torch.nn.functional as F
from declare import ConstInt, Number, Problem, below, bf16, f16, f32, f64, floats, i8, i32, practice, result, u8, updated


@ct.kernel
def leaky_clamp_kernel(x, y, TILE: ConstInt):
    i = ct.bid(0)
    xs = ct.load(x, index=(i,), shape=(TILE,))
    leaky = ct.where(xs > 0.0, xs, 0.1 * xs)
    ct.store(y, index=(i,), tile=ct.minimum(ct.maximum(leaky, -0.05), 0.75))


@practice("leaky_clamp_f32", full={"n": 1 << 22}, quick={"n": 1 << 12})
def leaky_clamp(n):
    return Problem(
        leaky_clamp_kernel, [floats(f32, n), result(f32, n), 1024], n // 1024,
        torch=lambda x: torch.where(x > 0, x, 0.1 * x).clamp(-0.05, 0.75),
        numpy=lambda x: np.clip(np.where(x > 0, x, np.float32(0.1) * x), np.float32(-0.05), np.float32(0.75)),
    )  # fmt: skip


@ct.kernel
def polynomial_kernel(x, y, TILE: ConstInt):
    i = ct.bid(0)
    xs = ct.load(x, index=(i,), shape=(TILE,))
    # Literals of cuTile are f32, so these are numbers that f32 holds.
    p = 0.015625 * xs - 0.046875
    p = p * xs + 0.125
    p = p * xs - 0.25
    p = p * xs + 0.5
    p = p * xs - 1.0
    p = p * xs + 1.0
    ct.store(y, index=(i,), tile=p)


def horner(x):
    p = 0.015625 * x - 0.046875
    for c in 0.125, -0.25, 0.5, -1.0, 1.0:
        p = p * x + c
    return p


def polynomial(type):
    def make(n):
        tolerance = {f16: 8e-3, bf16: 6e-2}.get(type)
        numpy = None if type == bf16 else horner
        return Problem(polynomial_kernel, [floats(type, n), result(type, n), 1024], n // 1024, torch=horner, numpy=numpy, tolerance=tolerance)

    return make


for t, size in (f16, 1 << 22), (bf16, 1 << 22), (f64, 1 << 21):
    practice(f"polynomial_{t}", full={"n": size}, quick={"n": 1 << 12})(polynomial(t))


@ct.kernel
def gauss_kernel(x, y, TILE: ConstInt, inverse_width):
    i = ct.bid(0)
    xs = ct.load(x, index=(i,), shape=(TILE,))
    z = xs * inverse_width
    ct.store(y, index=(i,), tile=ct.exp(-0.5 * z * z) * ct.cos(4.0 * xs))


@practice("gauss_cos_f64", full={"n": 1 << 19}, quick={"n": 1 << 11})
def gauss(n):
    return Problem(
        gauss_kernel, [floats(f64, n), result(f64, n), 512, Number(f64, 3.0)], n // 512,
        torch=lambda x: torch.exp(-0.5 * (x * 3) * (x * 3)) * torch.cos(4 * x),
        numpy=lambda x: np.exp(-0.5 * (x * 3) * (x * 3)) * np.cos(4 * x),
    )  # fmt: skip


@ct.kernel
def mish_kernel(x, y, TILE: ConstInt):
    i = ct.bid(0)
    xs = ct.load(x, index=(i,), shape=(TILE,)).astype(ct.float32)
    softplus = ct.where(xs > 20.0, xs, ct.log(1.0 + ct.exp(xs)))
    ct.store(y, index=(i,), tile=(xs * ct.tanh(softplus)).astype(y.dtype))


def mish(type):
    return lambda n: Problem(mish_kernel, [floats(type, n, low=-6, high=6), result(type, n), 2048], n // 2048, torch=F.mish)


practice("mish_f16", full={"n": 1 << 21}, quick={"n": 1 << 12})(mish(f16))


@ct.kernel
def hash_kernel(x, y, TILE: ConstInt):
    """lowbias32, then a bucket: 32-bit multiplications, shifts and a remainder."""
    i = ct.bid(0)
    h = ct.load(x, index=(i,), shape=(TILE,)).astype(ct.uint32)
    h = (h ^ (h >> 16)) * 0x21F0AAAD
    h = (h ^ (h >> 15)) * 0x735A2D97
    h = h ^ (h >> 15)
    ct.store(y, index=(i,), tile=(h % 1000).astype(ct.int32))


def lowbias32(x):
    h = x.long() & 0xFFFFFFFF
    h = ((h ^ (h >> 16)) * 0x21F0AAAD) & 0xFFFFFFFF
    h = ((h ^ (h >> 15)) * 0x735A2D97) & 0xFFFFFFFF
    return h ^ (h >> 15)


def lowbias32_numpy(x):
    h = x.view(np.uint32)
    h = (h ^ (h >> np.uint32(16))) * np.uint32(0x21F0AAAD)
    h = (h ^ (h >> np.uint32(15))) * np.uint32(0x735A2D97)
    return h ^ (h >> np.uint32(15))


@practice("hash_bucket_i32", full={"n": 1 << 22}, quick={"n": 1 << 12})
def hash_bucket(n):
    return Problem(
        hash_kernel, [below(1 << 31, i32, n), result(i32, n), 1024], n // 1024,
        torch=lambda x: (lowbias32(x) % 1000).int(), numpy=lambda x: (lowbias32_numpy(x) % np.uint32(1000)).astype(np.int32),
    )  # fmt: skip


@ct.kernel
def divmod_kernel(x, q, r, TILE: ConstInt, divisor):
    i = ct.bid(0)
    xs = ct.load(x, index=(i,), shape=(TILE,))
    ct.store(q, index=(i,), tile=xs // divisor)
    ct.store(r, index=(i,), tile=xs % divisor)


@practice("divmod_i32", full={"n": 1 << 20}, quick={"n": 1 << 12})
def divmod_i32(n):
    return Problem(
        divmod_kernel, [below(1 << 30, i32, n), result(i32, n), result(i32, n), 1024, Number(i32, 37)], n // 1024,
        torch=lambda x: (x // 37, x % 37), numpy=lambda x: np.divmod(x, np.int32(37)),
    )  # fmt: skip


@ct.kernel
def dropout_kernel(x, y, TILE: ConstInt, keep, seed):
    i = ct.bid(0)
    xs = ct.load(x, index=(i,), shape=(TILE,))
    h = (i * TILE + ct.arange(TILE, dtype=ct.int32) + seed).astype(ct.uint32)
    h = (h ^ (h >> 16)) * 0x21F0AAAD
    h = (h ^ (h >> 15)) * 0x735A2D97
    h = h ^ (h >> 15)
    u = (h >> 8).astype(ct.float32) * (1.0 / 16777216.0)
    ct.store(y, index=(i,), tile=ct.where(u < keep, xs / keep, 0.0))


@practice("dropout_hash_f32", full={"n": 1 << 22}, quick={"n": 1 << 12})
def dropout(n):
    keep = float(np.float32(0.9))

    def run(x):
        u = (lowbias32(torch.arange(n, dtype=torch.int32) + 1234) >> 8).float() * (1 / 16777216)
        return torch.where(u < keep, x / keep, 0.0)

    return Problem(dropout_kernel, [floats(f32, n), result(f32, n), 1024, Number(f32, 0.9), Number(i32, 1234)], n // 1024, torch=run)


@ct.kernel
def adam_kernel(p, g, m, v, TILE: ConstInt, rate, correction1, correction2):
    i = ct.bid(0)
    grad = ct.load(g, index=(i,), shape=(TILE,)).astype(ct.float32)
    m1 = 0.9 * ct.load(m, index=(i,), shape=(TILE,)) + 0.1 * grad
    v1 = 0.999 * ct.load(v, index=(i,), shape=(TILE,)) + 0.001 * grad * grad
    step = rate * (m1 * correction1) / (ct.sqrt(v1 * correction2) + 1e-8)
    old = ct.load(p, index=(i,), shape=(TILE,))
    ct.store(p, index=(i,), tile=old - step - 0.0001 * old)
    ct.store(m, index=(i,), tile=m1)
    ct.store(v, index=(i,), tile=v1)


@practice("adam_f32", full={"n": 1 << 21}, quick={"n": 1 << 12})
def adam(n):
    def step(p, g, m, v):
        m1 = 0.9 * m + 0.1 * g
        v1 = 0.999 * v + 0.001 * g * g
        return p - 0.01 * (m1 * 1.1) / (torch.sqrt(v1 * 1.2) + 1e-8) - 0.0001 * p, m1, v1

    vector = floats(f32, n)
    arguments = [updated(vector), floats(f32, n), updated(vector), updated(floats(f32, n, low=0.01))]
    return Problem(adam_kernel, [*arguments, 1024, Number(f32, 0.01), Number(f32, 1.1), Number(f32, 1.2)], n // 1024, torch=step)


@ct.kernel
def quantise_kernel(x, scale, y, N: ConstInt):
    row = ct.bid(0)
    xs = ct.load(x, index=(row, 0), shape=(1, N))
    largest = ct.max(ct.abs(xs), axis=1, keepdims=True)
    s = largest / 127.0
    q = ct.floor(xs / s + 0.5)
    ct.store(scale, index=(row, 0), tile=s)
    ct.store(y, index=(row, 0), tile=ct.minimum(ct.maximum(q, -127.0), 127.0).astype(ct.int8))


@practice("quantise_rows_i8", full={"rows": 4096, "n": 1024}, quick={"rows": 8, "n": 1024})
def quantise(rows, n):
    def run(x):
        s = x.abs().amax(1, keepdim=True) / 127
        return s, torch.floor(x / s + 0.5).clamp(-127, 127).to(torch.int8)

    return Problem(quantise_kernel, [floats(f32, rows, n), result(f32, rows, 1), result(i8, rows, n), n], rows, torch=run, reference=run)


@ct.kernel
def dequantise_kernel(x, scale, y, M: ConstInt, N: ConstInt):
    i, j = ct.bid(0), ct.bid(1)
    xs = ct.load(x, index=(i, j), shape=(M, N)).astype(ct.float16)
    s = ct.load(scale, index=(0, j), shape=(1, N))
    ct.store(y, index=(i, j), tile=xs * s)


@practice("dequantise_i8_f16", full={"rows": 4096, "n": 2048}, quick={"rows": 64, "n": 128})
def dequantise(rows, n):
    arguments = [below(255, i8, rows, n), floats(f16, 1, n), result(f16, rows, n), 32, 64]
    return Problem(dequantise_kernel, arguments, (rows // 32, n // 64), torch=lambda x, s: x * s, reference=lambda x, s: x.half().double() * s.double())


@ct.kernel
def luminance_kernel(pixels, y, TILE: ConstInt):
    """Pixels of three bytes each: every channel is a tile with a stride."""
    i = ct.bid(0)
    r = ct.load(pixels, index=(i, 0), shape=(TILE, 1)).astype(ct.int32)
    g = ct.load(pixels, index=(i, 1), shape=(TILE, 1)).astype(ct.int32)
    b = ct.load(pixels, index=(i, 2), shape=(TILE, 1)).astype(ct.int32)
    grey = (77 * r + 150 * g + 29 * b + 128) >> 8
    ct.store(y, index=(i,), tile=grey.reshape((TILE,)).astype(ct.uint8))


@practice("luminance_u8", full={"n": 1 << 21}, quick={"n": 1 << 12})
def luminance(n):
    def run(x):
        x = x.int()
        return ((77 * x[:, 0] + 150 * x[:, 1] + 29 * x[:, 2] + 128) >> 8).to(torch.uint8)

    def run_numpy(x):
        x = x.astype(np.int32)
        return ((77 * x[:, 0] + 150 * x[:, 1] + 29 * x[:, 2] + 128) >> 8).astype(np.uint8)

    return Problem(luminance_kernel, [below(256, u8, n, 3), result(u8, n), 512], n // 512, torch=run, numpy=run_numpy)


@ct.kernel
def complex_kernel(a, b, c, TILE: ConstInt):
    """Complex numbers as pairs: gathers of every second element."""
    i = ct.bid(0) * TILE + ct.arange(TILE, dtype=ct.int32)
    ar, ai = ct.gather(a, 2 * i), ct.gather(a, 2 * i + 1)
    br, bi = ct.gather(b, 2 * i), ct.gather(b, 2 * i + 1)
    ct.scatter(c, 2 * i, ar * br - ai * bi)
    ct.scatter(c, 2 * i + 1, ar * bi + ai * br)


@practice("complex_multiply_f32", full={"n": 1 << 20}, quick={"n": 1 << 11})
def complex_multiply(n):
    def run(a, b):
        return torch.view_as_real(torch.view_as_complex(a.view(-1, 2)) * torch.view_as_complex(b.view(-1, 2))).reshape(-1)

    def run_numpy(a, b):
        return (a.view(np.complex64) * b.view(np.complex64)).view(np.float32)

    arguments = [floats(f32, 2 * n), floats(f32, 2 * n), result(f32, 2 * n), 512]
    return Problem(complex_kernel, arguments, n // 512, torch=run, numpy=run_numpy)


@ct.kernel
def add_kernel(x, y, z, M: ConstInt, N: ConstInt):
    i, j = ct.bid(0), ct.bid(1)
    ct.store(z, index=(i, j), tile=ct.load(x, index=(i, j), shape=(M, N)) + ct.load(y, index=(i, j), shape=(M, N)))


@practice("add_tiles_64x64_f32", full={"m": 2048, "n": 2048}, quick={"m": 64, "n": 128})
def add_tiles(m, n):
    arguments = [floats(f32, m, n), floats(f32, m, n), result(f32, m, n), 64, 64]
    return Problem(add_kernel, arguments, (m // 64, n // 64), torch=lambda x, y: x + y, numpy=lambda x, y: x + y)


@practice("add_tiles_16x16_bf16", full={"m": 2048, "n": 2048}, quick={"m": 32, "n": 64})
def add_small_tiles(m, n):
    arguments = [floats(bf16, m, n), floats(bf16, m, n), result(bf16, m, n), 16, 16]
    return Problem(add_kernel, arguments, (m // 16, n // 16), torch=lambda x, y: x + y)


@practice("add_rows_f16", full={"m": 4096, "n": 1024}, quick={"m": 8, "n": 1024})
def add_rows(m, n):
    arguments = [floats(f16, m, n), floats(f16, m, n), result(f16, m, n), 1, n]
    return Problem(add_kernel, arguments, (m, 1), torch=lambda x, y: x + y, numpy=lambda x, y: x + y)


@ct.kernel
def bias_relu_kernel(x, bias, y, M: ConstInt, N: ConstInt):
    i, j = ct.bid(0), ct.bid(1)
    xs = ct.load(x, index=(i, j), shape=(M, N), padding_mode=ct.PaddingMode.ZERO)
    b = ct.load(bias, index=(j,), shape=(N,), padding_mode=ct.PaddingMode.ZERO)
    ct.store(y, index=(i, j), tile=ct.maximum(xs + b, 0.0))


@practice("bias_relu_ragged_f32", full={"m": 2003, "n": 1999}, quick={"m": 67, "n": 131})
def bias_relu(m, n):
    arguments = [floats(f32, m, n), floats(f32, n), result(f32, m, n), 32, 128]
    return Problem(
        bias_relu_kernel, arguments, (-(-m // 32), -(-n // 128)),
        torch=lambda x, b: torch.relu(x + b), numpy=lambda x, b: np.maximum(x + b, 0),
    )  # fmt: skip


@ct.kernel
def column_slice_kernel(x, y, M: ConstInt, N: ConstInt):
    i, j = ct.bid(0), ct.bid(1)
    xs = ct.load(x, index=(i, j), shape=(M, N))
    ct.store(y, index=(i, j), tile=xs * xs)


@practice("square_every_second_column_f32", full={"m": 1024, "n": 2048}, quick={"m": 32, "n": 128})
def every_second(m, n):
    x = floats(f32, m, n, strides=(2 * n, 2))
    arguments = [x, result(f32, m, n), 16, 128]
    return Problem(column_slice_kernel, arguments, (m // 16, n // 128), torch=lambda x: x * x, numpy=lambda x: x * x)


@practice("square_of_transposed_f32", full={"m": 2048, "n": 2048}, quick={"m": 64, "n": 128})
def of_transposed(m, n):
    x = floats(f32, m, n, strides=(1, m))
    arguments = [x, result(f32, m, n), 32, 32]
    return Problem(column_slice_kernel, arguments, (m // 32, n // 32), torch=lambda x: (x * x).contiguous(), numpy=lambda x: np.ascontiguousarray(x * x))


@ct.kernel
def sincos_kernel(x, s, c, TILE: ConstInt):
    i = ct.bid(0)
    xs = ct.load(x, index=(i,), shape=(TILE,))
    ct.store(s, index=(i,), tile=ct.sin(xs))
    ct.store(c, index=(i,), tile=ct.cos(xs))


@practice("sincos_f32", full={"n": 1 << 21}, quick={"n": 1 << 12})
def sincos(n):
    arguments = [floats(f32, n, low=-8, high=8), result(f32, n), result(f32, n), 1024]
    return Problem(sincos_kernel, arguments, n // 1024, torch=lambda x: (torch.sin(x), torch.cos(x)), numpy=lambda x: (np.sin(x), np.cos(x)))


@ct.kernel
def saxpy_kernel(x, y, z, TILE: ConstInt, a):
    i = ct.bid(0)
    ct.store(z, index=(i,), tile=a * ct.load(x, index=(i,), shape=(TILE,)) + ct.load(y, index=(i,), shape=(TILE,)))


@practice("saxpy_tile_32_f32", full={"n": 1 << 22}, quick={"n": 1 << 10})
def saxpy(n):
    arguments = [floats(f32, n), floats(f32, n), result(f32, n), 32, Number(f32, 2.5)]
    return Problem(saxpy_kernel, arguments, n // 32, torch=lambda x, y: 2.5 * x + y, numpy=lambda x, y: np.float32(2.5) * x + y)


@ct.kernel
def persistent_gelu_kernel(x, y, TILE: ConstInt):
    for i in range(ct.bid(0), ct.cdiv(x.shape[0], TILE), ct.num_blocks(0)):
        xs = ct.load(x, index=(i,), shape=(TILE,))
        inner = 0.7978845608 * (xs + 0.044715 * xs * xs * xs)
        ct.store(y, index=(i,), tile=0.5 * xs * (1.0 + ct.tanh(inner)))


@practice("persistent_gelu_f32", full={"n": 1 << 22}, quick={"n": 1 << 14})
def persistent_gelu(n):
    return Problem(
        persistent_gelu_kernel, [floats(f32, n, low=-3, high=3), result(f32, n), 1024], 16,
        torch=lambda x: F.gelu(x, approximate="tanh"),
    )  # fmt: skip


@ct.kernel
def huber_kernel(x, target, y, TILE: ConstInt, delta):
    """A vector whose length is no multiple of the tile, read and written with masks."""
    i = ct.bid(0) * TILE + ct.arange(TILE, dtype=ct.int32)
    mask = i < x.shape[0]
    d = ct.gather(x, i, mask=mask) - ct.gather(target, i, mask=mask)
    a = ct.abs(d)
    loss = ct.where(a <= delta, 0.5 * d * d, delta * (a - 0.5 * delta))
    ct.scatter(y, i, loss, mask=mask)


@practice("huber_masked_f32", full={"n": (1 << 21) - 77}, quick={"n": (1 << 12) - 77})
def huber(n):
    arguments = [floats(f32, n), floats(f32, n), result(f32, n), 1024, Number(f32, 0.5)]
    return Problem(huber_kernel, arguments, -(-n // 1024), torch=lambda x, t: F.huber_loss(x, t, reduction="none", delta=0.5))


@ct.kernel
def mandelbrot_kernel(out, TX: ConstInt, TY: ConstInt, width, height, steps):
    """Rounds of a loop that only compute: points that have left stay where they are."""
    bx, by = ct.bid(0), ct.bid(1)
    px = (bx * TX + ct.arange(TX, dtype=ct.int32)).astype(ct.float32)
    py = (by * TY + ct.arange(TY, dtype=ct.int32)).astype(ct.float32)
    cx = (px * width - 2.03)[None, :]
    cy = (py * height - 1.01)[:, None]
    zx = ct.full((TY, TX), 0.0, dtype=ct.float32)
    zy = ct.full((TY, TX), 0.0, dtype=ct.float32)
    n = ct.full((TY, TX), 0, dtype=ct.int32)
    for _ in range(steps):
        inside = zx * zx + zy * zy <= 4.0
        nx = zx * zx - zy * zy + cx
        ny = 2.0 * zx * zy + cy
        zx = ct.where(inside, nx, zx)
        zy = ct.where(inside, ny, zy)
        n = n + inside.astype(ct.int32)
    ct.store(out, index=(by, bx), tile=n)


@practice("mandelbrot_f32", full={"h": 512, "w": 512, "steps": 50}, quick={"h": 64, "w": 64, "steps": 16})
def mandelbrot(h, w, steps):
    def run():
        cx = (torch.arange(w, dtype=torch.float32) * (3.0 / w) - 2.03)[None, :]
        cy = (torch.arange(h, dtype=torch.float32) * (2.0 / h) - 1.01)[:, None]
        zx, zy, n = torch.zeros(h, w), torch.zeros(h, w), torch.zeros(h, w, dtype=torch.int32)
        for _ in range(steps):
            inside = zx * zx + zy * zy <= 4.0
            nx = zx * zx - zy * zy + cx
            ny = 2.0 * zx * zy + cy
            zx, zy = torch.where(inside, nx, zx), torch.where(inside, ny, zy)
            n = n + inside.int()
        return n

    # Four products, five sums and differences, and a comparison in each round.
    arguments = [result(i32, h, w), 64, 16, Number(f32, 3 / w), Number(f32, 2 / h), Number(i32, steps)]
    # Where points leave depends on each rounding.
    return Problem(
        mandelbrot_kernel, arguments, (w // 64, h // 16), torch=run, reference=run, flops=h * w * steps * 10, tolerance=1e-3, compiles=False
    )


@ct.kernel
def pi_kernel(seed, hits, TILE: ConstInt, rounds):
    """Points in a square, of which those in a circle are counted: the generator of each element is carried."""
    i = ct.bid(0)
    state = ct.load(seed, index=(i,), shape=(TILE,))
    inside = ct.full((TILE,), 0, dtype=ct.int32)
    for _ in range(rounds):
        state = state * 1664525 + 1013904223
        x = (state >> 8).astype(ct.float32) * (1.0 / (1 << 23))
        state = state * 1664525 + 1013904223
        y = (state >> 8).astype(ct.float32) * (1.0 / (1 << 23))
        inside = inside + (x * x + y * y <= 1.0).astype(ct.int32)
    ct.store(hits, index=(i,), tile=inside)


@practice("monte_carlo_pi_i32", full={"n": 1 << 14}, quick={"n": 1 << 11})
def monte_carlo_pi(n):
    def run(seed):
        state, inside = seed, torch.zeros_like(seed)
        for _ in range(256):
            state = state * 1664525 + 1013904223
            x = (state >> 8).float() * (1.0 / (1 << 23))
            state = state * 1664525 + 1013904223
            y = (state >> 8).float() * (1.0 / (1 << 23))
            inside = inside + (x * x + y * y <= 1.0).int()
        return inside

    arguments = [below(1 << 30, i32, n), result(i32, n), 1024, Number(i32, 256)]
    return Problem(pi_kernel, arguments, n // 1024, torch=run, reference=run, flops=n * 256 * 6, compiles=False)


@ct.kernel
def adamw_kernel(p, g, m, v, TILE: ConstInt, rate, decay):
    """Parameters and gradients of 16 bits, moments of 32; three arrays are updated."""
    i = ct.bid(0)
    ps = ct.load(p, index=(i,), shape=(TILE,)).astype(ct.float32)
    gs = ct.load(g, index=(i,), shape=(TILE,)).astype(ct.float32)
    ms = ct.load(m, index=(i,), shape=(TILE,)) * 0.9 + gs * 0.1
    vs = ct.load(v, index=(i,), shape=(TILE,)) * 0.999 + gs * gs * 0.001
    ct.store(p, index=(i,), tile=(ps * (1.0 - rate * decay) - rate * ms / (ct.sqrt(vs) + 1e-8)).astype(p.dtype))
    ct.store(m, index=(i,), tile=ms)
    ct.store(v, index=(i,), tile=vs)


@practice("adamw_bf16", full={"n": 1 << 21}, quick={"n": 1 << 12})
def adamw(n):
    def run(p, g, m, v):
        type, p, g = p.dtype, p.to(m.dtype), g.to(m.dtype)
        m, v = m * 0.9 + g * 0.1, v * 0.999 + g * g * 0.001
        return (p * (1 - 1e-3 * 1e-2) - 1e-3 * m / (v.sqrt() + 1e-8)).to(type), m, v

    arrays = [updated(floats(bf16, n)), floats(bf16, n), updated(floats(f32, n)), updated(floats(f32, n, low=0))]
    return Problem(adamw_kernel, [*arrays, 1024, Number(f32, 1e-3), Number(f32, 1e-2)], n // 1024, torch=run, tolerance=3e-2)


@ct.kernel
def outer_kernel(a, x, y, M: ConstInt, N: ConstInt, alpha):
    """A matrix is updated by an outer product, tile by tile."""
    i, j = ct.bid(0), ct.bid(1)
    xs = ct.load(x, index=(i,), shape=(M,))[:, None]
    ys = ct.load(y, index=(j,), shape=(N,))[None, :]
    ct.store(a, index=(i, j), tile=ct.load(a, index=(i, j), shape=(M, N)) + alpha * xs * ys)


@practice("rank_one_update_f32", full={"m": 1024, "n": 1024}, quick={"m": 64, "n": 64})
def outer(m, n):
    return Problem(
        outer_kernel, [updated(floats(f32, m, n)), floats(f32, m), floats(f32, n), 32, 64, Number(f32, 0.5)], (m // 32, n // 64),
        torch=lambda a, x, y: torch.addr(a, x, y, alpha=0.5), numpy=lambda a, x, y: a + 0.5 * np.outer(x, y),
    )  # fmt: skip


@ct.kernel
def gelu_backward_kernel(x, g, y, TILE: ConstInt):
    i = ct.bid(0)
    xs = ct.load(x, index=(i,), shape=(TILE,))
    t = ct.tanh(0.7978845608 * (xs + 0.044715 * xs * xs * xs))
    slope = 0.5 * (1.0 + t) + 0.5 * xs * (1.0 - t * t) * 0.7978845608 * (1.0 + 0.134145 * xs * xs)
    ct.store(y, index=(i,), tile=slope * ct.load(g, index=(i,), shape=(TILE,)))


@practice("gelu_backward_f32", full={"n": 1 << 21}, quick={"n": 1 << 12})
def gelu_backward(n):
    return Problem(
        gelu_backward_kernel, [floats(f32, n, low=-3, high=3), floats(f32, n), result(f32, n), 1024], n // 1024,
        torch=lambda x, g: torch.ops.aten.gelu_backward(g, x, approximate="tanh"),
    )  # fmt: skip
