"""Persistent blocks walk over the tiles of a product with a stride, in groups that share rows."""
# view-index: for tile in range(ct.bid(0), tiles, ct.num_blocks(0)) => for tile in range(ct.bid(0), tiles + 1, ct.num_blocks(0))
# data-race: for tile in range(ct.bid(0), tiles, ct.num_blocks(0)) => for tile in range(ct.bid(0) // 2, tiles, ct.num_blocks(0))
# undefined-stored: (k, j), (16, 16), padding_mode=ct.PaddingMode.ZERO => (k, j), (16, 16), padding_mode=ct.PaddingMode.UNDETERMINED
# division view-index: group = tile // (2 * columns) => group = tile // (2 * columns - 6)

import cuda.tile as ct
import numpy as np


@ct.kernel
def matmul(a, b, c):
    rows, columns = ct.cdiv(a.shape[0], 16), ct.cdiv(b.shape[1], 16)
    tiles = rows * columns
    for tile in range(ct.bid(0), tiles, ct.num_blocks(0)):
        group = tile // (2 * columns)
        first = group * 2
        size = min(rows - first, 2)
        i = first + tile % (2 * columns) % size
        j = tile % (2 * columns) // size
        total = ct.zeros((16, 16), ct.float32)
        for k in range(ct.num_tiles(a, axis=1, shape=(16, 16))):
            left = ct.load(a, (i, k), (16, 16), padding_mode=ct.PaddingMode.ZERO)
            right = ct.load(b, (k, j), (16, 16), padding_mode=ct.PaddingMode.ZERO)
            total = ct.mma(left, right, total)
        ct.store(c, (i, j), total)


def run(launch):
    rng = np.random.default_rng(0)
    a, b = rng.standard_normal((72, 40)).astype(np.float32), rng.standard_normal((40, 40)).astype(np.float32)
    c = np.zeros((72, 40), np.float32)
    launch((4,), matmul, (a, b, c))
    assert np.allclose(c, a @ b, atol=1e-3)
