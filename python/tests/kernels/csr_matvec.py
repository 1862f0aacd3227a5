"""A sparse matrix in rows of any length times a vector."""
# out-of-bounds: column = ct.gather(columns, places, mask=inside) => column = ct.gather(columns, places, mask=inside) + 30
# data-race: ct.scatter(y, row, total) => ct.scatter(y, row // 3, total)
# clean: start, end = ct.gather(starts, row), ct.gather(starts, row + 1) => end, start = ct.gather(starts, row + 1), ct.gather(starts, row)

import cuda.tile as ct
import numpy as np


@ct.kernel
def spmv(starts, columns, values, x, y):
    row = ct.bid(0)
    start, end = ct.gather(starts, row), ct.gather(starts, row + 1)
    total = ct.float32(0)
    for at in range(start, end, 8):
        places = at + ct.arange(8, dtype=ct.int32)
        inside = places < end
        column = ct.gather(columns, places, mask=inside)
        value = ct.gather(values, places, mask=inside)
        total = total + ct.sum(value * ct.gather(x, column, check_bounds=False))
    ct.scatter(y, row, total)


def run(launch):
    rng = np.random.default_rng(0)
    dense = rng.standard_normal((9, 30)).astype(np.float32) * (rng.random((9, 30)) < 0.4)
    starts = np.concatenate([[0], np.cumsum((dense != 0).sum(axis=1))]).astype(np.int32)
    columns, values = np.nonzero(dense)[1].astype(np.int32), dense[dense != 0]
    x, y = rng.standard_normal(30).astype(np.float32), np.zeros(9, np.float32)
    launch((9,), spmv, (starts, columns, values, x, y))
    assert np.allclose(y, dense @ x, atol=1e-4)
