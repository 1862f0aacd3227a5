"""Kernels that read and write where indices say: gathers, scatters, atomics, histograms."""

import cuda.tile as ct
import numpy as np
import torch
import torch.nn.functional as F
from declare import ConstInt, Number, Problem, below, f16, f32, floats, i32, i64, practice, result, sums, u8


@ct.kernel
def embedding_kernel(table, tokens, y, N: ConstInt):
    """One token for each block: a row of the table is gathered."""
    i = ct.bid(0)
    token = ct.load(tokens, index=(i,), shape=(1,))
    row = ct.gather(table, (token[:, None], ct.arange(N, dtype=ct.int32)[None, :]))
    ct.store(y, index=(i, 0), tile=row)


@practice("embedding_rows_f16", full={"tokens": 4096, "n": 1024}, quick={"tokens": 16, "n": 1024})
def embedding(tokens, n):
    return Problem(
        embedding_kernel, [floats(f16, 8192, n), below(8192, i32, tokens), result(f16, tokens, n), n], tokens,
        torch=lambda table, t: F.embedding(t, table), numpy=lambda table, t: table[t], bytes=4 * tokens * n,
    )  # fmt: skip


@ct.kernel
def gather_tile_kernel(table, index, y, M: ConstInt, N: ConstInt):
    """A tile of rows, gathered at once."""
    i = ct.bid(0)
    rows = ct.load(index, index=(i,), shape=(M,))
    ct.store(y, index=(i, 0), tile=ct.gather(table, (rows[:, None], ct.arange(N, dtype=ct.int32)[None, :])))


@practice("gather_16_rows_f32", full={"rows": 16384, "n": 128}, quick={"rows": 64, "n": 128})
def gather_tile(rows, n):
    return Problem(
        gather_tile_kernel, [floats(f32, 32768, n), below(32768, i32, rows), result(f32, rows, n), 16, n], rows // 16,
        torch=lambda table, i: table.index_select(0, i), numpy=lambda table, i: table.take(i, 0), bytes=8 * rows * n,
    )  # fmt: skip


@ct.kernel
def masked_gather_kernel(x, index, y, TILE: ConstInt):
    i = ct.bid(0) * TILE + ct.arange(TILE, dtype=ct.int32)
    inside = i < index.shape[0]
    at = ct.gather(index, i, mask=inside)
    values = ct.gather(x, at, mask=inside & (at % 4 != 0), padding_value=-1.0)
    ct.scatter(y, i, values, mask=inside)


@practice("gather_masked_f32", full={"n": (1 << 20) - 5}, quick={"n": (1 << 12) - 5})
def masked_gather(n):
    return Problem(
        masked_gather_kernel, [floats(f32, 1 << 16), below(1 << 16, i32, n), result(f32, n), 1024], -(-n // 1024),
        torch=lambda x, i: torch.where(i % 4 != 0, x[i], -1.0), numpy=lambda x, i: np.where(i % 4 != 0, x[i], np.float32(-1)),
    )  # fmt: skip


@ct.kernel
def index_copy_kernel(x, index, y, M: ConstInt, N: ConstInt):
    """Rows go where the indices say: a permutation, so that no two go to one place."""
    i = ct.bid(0)
    place = ct.load(index, index=(i,), shape=(M,)) ^ (i * M + ct.arange(M, dtype=ct.int32))
    ct.scatter(y, (place[:, None], ct.arange(N, dtype=ct.int32)[None, :]), ct.load(x, index=(i, 0), shape=(M, N)))


@practice("scatter_rows_f32", full={"rows": 8192, "n": 256}, quick={"rows": 64, "n": 256})
def index_copy(rows, n):
    def run(x, i):
        out = torch.empty_like(x)
        out[(i ^ torch.arange(rows, dtype=torch.int32)).long()] = x
        return out

    return Problem(index_copy_kernel, [floats(f32, rows, n), below(1, i32, rows), result(f32, rows, n), 8, n], rows // 8, torch=run)


@ct.kernel
def embedding_gradient_kernel(gradient, tokens, table, N: ConstInt):
    i = ct.bid(0)
    token = ct.load(tokens, index=(i,), shape=(1,))
    row = ct.load(gradient, index=(i, 0), shape=(1, N))
    ct.atomic_add(table, (token[:, None], ct.arange(N, dtype=ct.int32)[None, :]), row)


@practice("embedding_gradient_f32", full={"tokens": 8192, "n": 256}, quick={"tokens": 64, "n": 256})
def embedding_gradient(tokens, n):
    def run(gradient, t):
        return torch.zeros(2048, n, dtype=gradient.dtype).index_add(0, t, gradient)

    def run_numpy(gradient, t):
        out = np.zeros((2048, n), np.float32)
        np.add.at(out, t, gradient)
        return out

    arguments = [floats(f32, tokens, n), below(2048, i32, tokens), sums(f32, 2048, n), n]
    return Problem(embedding_gradient_kernel, arguments, tokens, torch=run, numpy=run_numpy)


@ct.kernel
def histogram_kernel(x, bins, TILE: ConstInt):
    i = ct.bid(0)
    ct.atomic_add(bins, ct.load(x, index=(i,), shape=(TILE,)).astype(ct.int32), 1)


def counts(bins):
    return lambda x: torch.bincount(x, minlength=bins).int()


@practice("histogram_256_bins_u8", full={"n": 1 << 22}, quick={"n": 1 << 12})
def histogram_bytes(n):
    return Problem(
        histogram_kernel, [below(256, u8, n), sums(i32, 256), 1024], n // 1024,
        torch=counts(256), numpy=lambda x: np.bincount(x, minlength=256),
    )  # fmt: skip


@practice("histogram_16_bins_i32", full={"n": 1 << 20}, quick={"n": 1 << 12})
def histogram_few(n):
    return Problem(
        histogram_kernel, [below(16, i32, n), sums(i32, 16), 1024], n // 1024,
        torch=counts(16), numpy=lambda x: np.bincount(x, minlength=16),
    )  # fmt: skip


@practice("histogram_65536_bins_i32", full={"n": 1 << 20}, quick={"n": 1 << 12})
def histogram_many(n):
    return Problem(
        histogram_kernel, [below(65536, i32, n), sums(i32, 65536), 1024], n // 1024,
        torch=counts(65536), numpy=lambda x: np.bincount(x, minlength=65536),
    )  # fmt: skip


@ct.kernel
def segment_sum_kernel(x, segment, y, TILE: ConstInt):
    i = ct.bid(0)
    ct.atomic_add(y, ct.load(segment, index=(i,), shape=(TILE,)), ct.load(x, index=(i,), shape=(TILE,)))


@practice("segment_sum_4096_f32", full={"n": 1 << 20}, quick={"n": 1 << 12})
def segment_sum(n):
    def run(x, s):
        return torch.zeros(4096, dtype=x.dtype).index_add(0, s, x)

    arguments = [floats(f32, n), below(4096, i32, n), sums(f32, 4096), 1024]
    return Problem(segment_sum_kernel, arguments, n // 1024, torch=run, numpy=lambda x, s: np.bincount(s, x, 4096))


@ct.kernel
def atomic_max_kernel(x, segment, y, TILE: ConstInt):
    i = ct.bid(0)
    ct.atomic_max(y, ct.load(segment, index=(i,), shape=(TILE,)), ct.load(x, index=(i,), shape=(TILE,)))


@practice("segment_max_1024_i32", full={"n": 1 << 20}, quick={"n": 1 << 12})
def segment_max(n):
    def run(x, s):
        return torch.zeros(1024, dtype=x.dtype).scatter_reduce(0, s.long(), x, "amax")

    arguments = [below(1 << 20, i32, n), below(1024, i32, n), sums(i32, 1024), 1024]
    return Problem(atomic_max_kernel, arguments, n // 1024, torch=run)


@ct.kernel
def deinterleave_kernel(x, left, right, TILE: ConstInt):
    i = ct.bid(0) * TILE + ct.arange(TILE, dtype=ct.int32)
    ct.store(left, index=(ct.bid(0),), tile=ct.gather(x, 2 * i))
    ct.store(right, index=(ct.bid(0),), tile=ct.gather(x, 2 * i + 1))


@practice("deinterleave_f16", full={"n": 1 << 20}, quick={"n": 1 << 11})
def deinterleave(n):
    return Problem(
        deinterleave_kernel, [floats(f16, 2 * n), result(f16, n), result(f16, n), 1024], n // 1024,
        torch=lambda x: (x[0::2].contiguous(), x[1::2].contiguous()), numpy=lambda x: (x[0::2].copy(), x[1::2].copy()),
    )  # fmt: skip


@ct.kernel
def interpolate_kernel(table, x, y, TILE: ConstInt):
    """Values between the entries of a table: two gathers at neighbouring places, computed from the data."""
    i = ct.bid(0)
    at = ct.load(x, index=(i,), shape=(TILE,)) * 1023.0
    low = ct.floor(at)
    index = low.astype(ct.int32)
    a, b = ct.gather(table, index), ct.gather(table, ct.minimum(index + 1, 1023))
    ct.store(y, index=(i,), tile=a + (b - a) * (at - low))


@practice("table_interpolation_f32", full={"n": 1 << 20}, quick={"n": 1 << 12})
def interpolate(n):
    def run(table, x):
        at = x * 1023
        low = at.floor()
        index = low.int()
        a, b = table[index], table[(index + 1).clamp(max=1023)]
        return a + (b - a) * (at - low)

    arguments = [floats(f32, 1024), floats(f32, n, low=0), result(f32, n), 1024]
    return Problem(interpolate_kernel, arguments, n // 1024, torch=run, reference=run)


@ct.kernel
def ell_kernel(values, columns, x, y, M: ConstInt, K: ConstInt):
    """A sparse matrix times a vector: as many numbers in each row, with their columns."""
    i = ct.bid(0)
    v, c = ct.load(values, index=(i, 0), shape=(M, K)), ct.load(columns, index=(i, 0), shape=(M, K))
    ct.store(y, index=(i,), tile=ct.sum(v * ct.gather(x, c), axis=1))


@practice("sparse_times_vector_f32", full={"m": 65536, "k": 16}, quick={"m": 64, "k": 16})
def ell(m, k):
    arguments = [floats(f32, m, k), below(65536, i32, m, k), floats(f32, 65536), result(f32, m), 64, k]
    return Problem(ell_kernel, arguments, m // 64, torch=lambda v, c, x: (v * x[c.long()]).sum(1), numpy=lambda v, c, x: (v * x[c]).sum(1))


@ct.kernel
def bias_flat_kernel(x, b, y, TILE: ConstInt, c):
    """A matrix as one row: the column is what is left of the index."""
    i = ct.bid(0) * TILE + ct.arange(TILE, dtype=ct.int32)
    ct.scatter(y, i, ct.maximum(ct.gather(x, i) + ct.gather(b, i % c), 0.0))


@practice("bias_relu_flat_f32", full={"m": 4096, "c": 768}, quick={"m": 16, "c": 768})
def bias_flat(m, c):
    arguments = [floats(f32, m * c), floats(f32, c), result(f32, m * c), 1024, Number(i32, c)]
    return Problem(bias_flat_kernel, arguments, m * c // 1024, torch=lambda x, b: torch.relu(x.view(m, c) + b).view(-1))


@ct.kernel
def channel_flat_kernel(x, w, y, TILE: ConstInt, hw, c):
    """Images as one row: the channel is found by dividing the index."""
    i = ct.bid(0) * TILE + ct.arange(TILE, dtype=ct.int32)
    ct.scatter(y, i, ct.gather(x, i) * ct.gather(w, (i // hw) % c))


@practice("scale_channels_flat_f32", full={"n": 16, "c": 64, "hw": 3136}, quick={"n": 1, "c": 64, "hw": 64})
def channel_flat(n, c, hw):
    arguments = [floats(f32, n * c * hw), floats(f32, c), result(f32, n * c * hw), 1024, Number(i32, hw), Number(i32, c)]
    return Problem(
        channel_flat_kernel, arguments, n * c * hw // 1024, torch=lambda x, w: (x.view(n, c, hw) * w[None, :, None]).view(-1),
    )  # fmt: skip
