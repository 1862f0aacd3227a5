"""Kernels of the kinds that cuTile's samples are made of, beside those of the gallery, against NumPy."""

import math

import cuda.tile as ct
import numpy as np
import pytest

from tilewright import cutile

ConstInt = ct.Constant[int]
ZERO = ct.PaddingMode.ZERO


@pytest.fixture
def random():
    return np.random.default_rng(7)


# Elementwise


@ct.kernel
def add_by_indices(a, b, c, rows: ConstInt, columns: ConstInt):
    """Add matrices whose extents are no multiples of the tile, by the indices of elements."""
    i = ct.bid(0) * rows + ct.arange(rows, dtype=ct.int32)
    j = ct.bid(1) * columns + ct.arange(columns, dtype=ct.int32)
    where = (i[:, None], j[None, :])
    ct.scatter(c, where, ct.gather(a, where) + ct.gather(b, where))


def test_elements_by_index(random):
    a, b = random.standard_normal((2, 37, 75), np.float32)
    c = np.zeros_like(a)
    cutile.launch((5, 3), add_by_indices, (a, b, c, 8, 32))
    assert (c == a + b).all()


@ct.kernel
def transpose(x, y, rows: ConstInt, columns: ConstInt):
    i, j = ct.bid(0), ct.bid(1)
    tile = ct.load(x, (i, j), (rows, columns), padding_mode=ZERO)
    ct.store(y, (j, i), ct.transpose(tile))


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.int64])
def test_transpose(random, dtype):
    x = (100 * random.standard_normal((70, 45))).astype(dtype)
    y = np.zeros((45, 70), dtype)
    cutile.launch((3, 3), transpose, (x, y, 32, 16))
    assert (y == x.T).all()


# Layer normalization, forward and backward


@ct.kernel
def layer_norm(x, weight, bias, y, means, scales, epsilon, width: ConstInt):
    """Normalize a row in two passes over its tiles."""
    row = ct.bid(0)
    count = x.shape[1]
    tiles = ct.num_tiles(x, axis=1, shape=(1, width))
    total = ct.zeros((1, width), ct.float32)
    for j in range(tiles):
        total += ct.load(x, (row, j), (1, width), padding_mode=ZERO).astype(ct.float32)
    mean = ct.sum(total, axis=1) / count
    squares = ct.zeros((1, width), ct.float32)
    for j in range(tiles):
        inside = j * width + ct.arange(width, dtype=ct.int32) < count
        tile = ct.load(x, (row, j), (1, width), padding_mode=ZERO).astype(ct.float32)
        centered = ct.where(inside, tile - mean, 0)
        squares += centered * centered
    scale = ct.rsqrt(ct.sum(squares, axis=1) / count + epsilon)
    ct.store(means, (row,), mean)
    ct.store(scales, (row,), scale)
    for j in range(tiles):
        tile = ct.load(x, (row, j), (1, width), padding_mode=ZERO).astype(ct.float32)
        normal = (tile - mean) * scale
        result = normal * ct.load(weight, (j,), (width,)).astype(ct.float32) + ct.load(bias, (j,), (width,)).astype(ct.float32)
        ct.store(y, (row, j), result.astype(y.dtype))


@ct.kernel
def layer_norm_backward(x, weight, means, scales, dy, dx, dweight, dbias, width: ConstInt):
    """The gradients for a row; those of the parameters are sums over all rows, which blocks add to."""
    row = ct.bid(0)
    columns = ct.arange(width, dtype=ct.int32)
    inside = columns < x.shape[1]
    mean, scale = ct.load(means, (row,), (1,)), ct.load(scales, (row,), (1,))
    gradient = ct.load(dy, (row, 0), (1, width), padding_mode=ZERO).reshape((width,))
    tile = ct.load(x, (row, 0), (1, width), padding_mode=ZERO).reshape((width,))
    normal = ct.where(inside, (tile - mean) * scale, 0)
    weighted = ct.load(weight, (0,), (width,), padding_mode=ZERO) * gradient
    along = ct.sum(normal * weighted) / x.shape[1]
    offset = ct.sum(weighted) / x.shape[1]
    ct.store(dx, (row, 0), ((weighted - (normal * along + offset)) * scale).reshape((1, width)))
    ct.atomic_add(dweight, (columns,), gradient * normal)
    ct.atomic_add(dbias, (columns,), gradient)


def test_layer_norm(random):
    rows, columns, epsilon = 23, 100, 1e-5
    x, dy = random.standard_normal((2, rows, columns), np.float32)
    weight, bias = random.standard_normal((2, columns), np.float32)
    y, dx = np.zeros((2, rows, columns), np.float32)
    means, scales = np.zeros((2, rows), np.float32)
    dweight, dbias = np.zeros((2, columns), np.float32)
    cutile.launch(rows, layer_norm, (x, weight, bias, y, means, scales, epsilon, 32))
    cutile.launch(rows, layer_norm_backward, (x, weight, means, scales, dy, dx, dweight, dbias, 128))

    wide = x.astype(np.float64)
    scale = 1 / np.sqrt(wide.var(axis=1, keepdims=True) + epsilon)
    normal = (wide - wide.mean(axis=1, keepdims=True)) * scale
    weighted = weight * dy.astype(np.float64)
    expected_dx = (weighted - normal * (normal * weighted).mean(1, keepdims=True) - weighted.mean(1, keepdims=True)) * scale
    np.testing.assert_allclose(y, normal * weight + bias, atol=2e-6, rtol=2e-6)
    np.testing.assert_allclose(dx, expected_dx, atol=2e-6, rtol=2e-6)
    np.testing.assert_allclose(dweight, (dy * normal).sum(0), atol=2e-5)
    np.testing.assert_allclose(dbias, dy.sum(0), atol=2e-5)


def test_layer_norm_of_half_precision(random):
    ml_dtypes = pytest.importorskip("ml_dtypes")
    x = random.standard_normal((9, 64), np.float32).astype(ml_dtypes.bfloat16)
    weight, bias = np.ones(64, ml_dtypes.bfloat16), np.zeros(64, ml_dtypes.bfloat16)
    y, (means, scales) = np.zeros_like(x), np.zeros((2, 9), np.float32)
    cutile.launch(9, layer_norm, (x, weight, bias, y, means, scales, 1e-5, 64))
    wide = x.astype(np.float64)
    expected = (wide - wide.mean(1, keepdims=True)) / np.sqrt(wide.var(1, keepdims=True) + 1e-5)
    np.testing.assert_allclose(y.astype(np.float64), expected, rtol=2**-8)


# Matrix products


@ct.kernel
def batched_matmul(a, b, c, tile: ConstInt):
    batch, i, j = ct.bid(2), ct.bid(0), ct.bid(1)
    total = ct.zeros((tile, tile), ct.float32)
    for k in range(ct.cdiv(a.shape[2], tile)):
        left = ct.load(a, (batch, i, k), (1, tile, tile), padding_mode=ZERO).reshape((tile, tile))
        right = ct.load(b, (batch, k, j), (1, tile, tile), padding_mode=ZERO).reshape((tile, tile))
        total = ct.mma(left, right, total)
    ct.store(c, (batch, i, j), total.astype(c.dtype).reshape((1, tile, tile)))


@pytest.mark.parametrize("dtype", ["float16", "float8_e4m3fn"])
def test_batched_matmul(random, dtype):
    ml_dtypes = pytest.importorskip("ml_dtypes")
    dtype = np.dtype(getattr(ml_dtypes, dtype, dtype))
    a, b = (random.standard_normal(shape, np.float32).astype(dtype) for shape in ((3, 40, 50), (3, 50, 60)))
    c = np.zeros((3, 40, 60), np.float32)
    cutile.launch((3, 4, 3), batched_matmul, (a, b, c, 16))
    np.testing.assert_allclose(c, a.astype(np.float64) @ b.astype(np.float64), atol=1e-4)


@ct.kernel
def persistent_matmul(a, b, c, tile: ConstInt, group: ConstInt):
    """As many blocks as there is work for; each goes through the tiles of the product in groups of rows."""
    rows, columns = ct.cdiv(c.shape[0], tile), ct.cdiv(c.shape[1], tile)
    for number in range(ct.bid(0), rows * columns, ct.num_blocks(0)):
        first = number // (group * columns) * group
        height = min(rows - first, group)
        i = first + number % (group * columns) % height
        j = number % (group * columns) // height
        total = ct.zeros((tile, tile), ct.float32)
        for k in range(ct.cdiv(a.shape[1], tile)):
            left = ct.load(a, (i, k), (tile, tile), padding_mode=ZERO).astype(ct.tfloat32)
            total = ct.mma(left, ct.load(b, (k, j), (tile, tile), padding_mode=ZERO).astype(ct.tfloat32), total)
        ct.store(c, (i, j), total)


def test_persistent_matmul(random):
    # Small whole numbers are exact in tf32.
    a, b = (random.integers(-8, 9, shape).astype(np.float32) for shape in ((90, 70), (70, 110)))
    c = np.zeros((90, 110), np.float32)
    cutile.launch(5, persistent_matmul, (a, b, c, 16, 4))
    assert (c == a @ b).all()


@ct.kernel
def gathered_matmul(parts, b, c, tile: ConstInt):
    """The product of matrices that lie in a list, one below the other."""
    i, j = ct.bid(0), ct.bid(1)
    height = ct.cdiv(parts[0].shape[0], tile)
    part = parts[i // height]
    total = ct.zeros((tile, tile), ct.float32)
    for k in range(ct.cdiv(b.shape[0], tile)):
        left = ct.load(part, (i % height, k), (tile, tile))
        total = ct.mma(left, ct.load(b, (k, j), (tile, tile)), total)
    ct.store(c, (i, j), total)


def test_matmul_of_a_list(random):
    parts = list(random.standard_normal((3, 32, 48), np.float32))
    b, c = random.standard_normal((48, 32), np.float32), np.zeros((96, 32), np.float32)
    cutile.launch((6, 2), gathered_matmul, (parts, b, c, 16))
    np.testing.assert_allclose(c, np.concatenate(parts) @ b, atol=1e-4)


@ct.kernel
def scaled_matmul(a, a_scales, b, b_scales, c, tile: ConstInt, block: ConstInt):
    """A product of small floats, where each block of ``block`` neighbours has a scale."""
    i, j = ct.bid(0), ct.bid(1)
    total = ct.zeros((tile, tile), ct.float32)
    scales = tile // block
    for k in range(ct.cdiv(a.shape[1], tile)):
        left, left_scale = ct.load(a, (i, k), (tile, tile)), ct.load(a_scales, (i, k), (tile, scales))
        right, right_scale = ct.load(b, (k, j), (tile, tile)), ct.load(b_scales, (k, j), (scales, tile))
        total = ct.mma_scaled(left, left_scale, right, right_scale, total)
    ct.store(c, (i, j), total)


def test_scaled_matmul(random):
    ml_dtypes = pytest.importorskip("ml_dtypes")
    a, b = (random.standard_normal(shape, np.float32).astype(ml_dtypes.float8_e4m3fn) for shape in ((64, 128), (128, 64)))
    a_scales, b_scales = (np.exp2(random.integers(-3, 4, shape)).astype(ml_dtypes.float8_e8m0fnu) for shape in ((64, 4), (4, 64)))
    c = np.zeros((64, 64), np.float32)
    cutile.launch((1, 1), scaled_matmul, (a, a_scales, b, b_scales, c, 64, 32))
    left = a.astype(np.float64) * np.repeat(a_scales.astype(np.float64), 32, axis=1)
    right = b.astype(np.float64) * np.repeat(b_scales.astype(np.float64), 32, axis=0)
    np.testing.assert_allclose(c, left @ right, rtol=1e-5, atol=1e-4)


# A mixture of experts: rows sorted by expert, each with its own matrix


@ct.kernel
def experts_matmul(x, weights, y, rows, experts, tile: ConstInt):
    """Multiply rows that belong to one expert: ``rows`` has ``tile`` of them for each block, or numbers behind the last row."""
    block, j = ct.bid(0), ct.bid(1)
    mine = ct.load(rows, (block,), (tile,))
    expert = ct.load(experts, (block,), (1,)).item()
    total = ct.zeros((tile, tile), ct.float32)
    for k in range(ct.cdiv(x.shape[1], tile)):
        columns = k * tile + ct.arange(tile, dtype=ct.int32)
        left = ct.gather(x, (mine[:, None], columns[None, :]))
        right = ct.load(weights, (expert, k, j), (1, tile, tile), padding_mode=ZERO).reshape((tile, tile))
        total = ct.mma(left, right, total)
    ct.scatter(y, (mine[:, None], (j * tile + ct.arange(tile, dtype=ct.int32))[None, :]), total)


def test_mixture_of_experts(random):
    count, tile = 53, 16
    x, weights = random.standard_normal((count, 32), np.float32), random.standard_normal((4, 32, 48), np.float32)
    chosen = random.integers(0, 4, count)
    rows, experts = [], []
    for expert in range(4):
        mine = np.flatnonzero(chosen == expert)
        mine = np.pad(mine, (0, -len(mine) % tile), constant_values=count)
        rows.extend(mine)
        experts.extend([expert] * (len(mine) // tile))
    y = np.zeros((count, 48), np.float32)
    arguments = (x, weights, y, np.array(rows, np.int32), np.array(experts, np.int32), tile)
    cutile.launch((len(experts), 3), experts_matmul, arguments)
    np.testing.assert_allclose(y, np.einsum("rk,rkn->rn", x, weights[chosen]), atol=1e-4)


# The Fourier transform of rows, in two steps of matrix products


@ct.kernel
def fourier(real, imaginary, cosines, sines, turns_cos, turns_sin, out_real, out_imaginary, n: ConstInt):
    """A row of n*n numbers as a matrix: transform its columns, turn each element, transform the rows."""
    row = ct.bid(0)
    a, b = ct.load(real, (row, 0, 0), (1, n, n)).reshape((n, n)), ct.load(imaginary, (row, 0, 0), (1, n, n)).reshape((n, n))
    cos, sin = ct.load(cosines, (0, 0), (n, n)), ct.load(sines, (0, 0), (n, n))
    zero = ct.zeros((n, n), ct.float32)
    a, b = ct.mma(cos, a, ct.mma(sin, b, zero)), ct.mma(cos, b, ct.mma(-sin, a, zero))
    turn_cos, turn_sin = ct.load(turns_cos, (0, 0), (n, n)), ct.load(turns_sin, (0, 0), (n, n))
    a, b = a * turn_cos + b * turn_sin, b * turn_cos - a * turn_sin
    a, b = ct.mma(a, cos, ct.mma(b, sin, zero)), ct.mma(b, cos, ct.mma(a, -sin, zero))
    # The digits of an index come out in reverse.
    ct.store(out_real, (row, 0, 0), ct.transpose(a).reshape((1, n, n)))
    ct.store(out_imaginary, (row, 0, 0), ct.transpose(b).reshape((1, n, n)))


def test_fourier_transform(random):
    n, batch = 16, 3
    x = random.standard_normal((batch, n * n)) + 1j * random.standard_normal((batch, n * n))
    products = np.outer(np.arange(n), np.arange(n))
    angles, turns = 2 * math.pi * products / n, 2 * math.pi * products / (n * n)
    tables = [table.astype(np.float32) for table in (np.cos(angles), np.sin(angles), np.cos(turns), np.sin(turns))]
    parts = [part.astype(np.float32).reshape(batch, n, n) for part in (x.real, x.imag)]
    out = [np.zeros((batch, n, n), np.float32) for _ in range(2)]
    cutile.launch(batch, fourier, (*parts, *tables, *out, n))
    found = (out[0] + 1j * out[1]).reshape(batch, n * n)
    np.testing.assert_allclose(found, np.fft.fft(x), atol=1e-4)
