"""A square matrix, transposed in place by pairs of tiles."""
# data-race: if i <= j: => if i <= j + 1:
# data-race: ct.store(x, (j, i), ct.transpose(upper)) => ct.store(x, (0, 0), ct.transpose(upper))

import cuda.tile as ct
import numpy as np


@ct.kernel
def transpose(x):
    i, j = ct.bid(0), ct.bid(1)
    if i <= j:
        upper = ct.load(x, (i, j), (8, 8))
        lower = ct.load(x, (j, i), (8, 8))
        ct.store(x, (j, i), ct.transpose(upper))
        ct.store(x, (i, j), ct.transpose(lower))


def run(launch):
    x = np.arange(24 * 24, dtype=np.float32).reshape(24, 24)
    expected = x.T.copy()
    launch((3, 3), transpose, (x,))
    assert (x == expected).all()
