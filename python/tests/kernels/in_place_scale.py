"""Rows divided by their sums, in place."""
# data-race: ct.store(x, (row, j), value / total) => ct.store(x, (row // 2, j), value / total)
# undefined-stored: padding_mode=ct.PaddingMode.ZERO => padding_mode=ct.PaddingMode.UNDETERMINED
# view-index: for j in range(tiles): => for j in range(tiles + 1):

import cuda.tile as ct
import numpy as np


@ct.kernel
def normalise(x):
    row = ct.bid(0)
    tiles = ct.num_tiles(x, axis=1, shape=(1, 16))
    total = ct.zeros((1, 16), ct.float32)
    for j in range(tiles):
        total = total + ct.load(x, (row, j), (1, 16), padding_mode=ct.PaddingMode.ZERO)
    total = ct.sum(total)
    for k in range(tiles):
        j = k
        value = ct.load(x, (row, j), (1, 16))
        ct.store(x, (row, j), value / total)


def run(launch):
    x = np.random.default_rng(0).random((6, 50)).astype(np.float32)
    expected = x / x.sum(axis=1, keepdims=True)
    launch((6,), normalise, (x,))
    assert np.allclose(x, expected, atol=1e-5)
