"""An array reversed in place: each block swaps a tile with its mirror."""
# data-race: place < n // 2 => place < n
# same-element: n - 1 - place => n - 1 - place + (place & 1)

import cuda.tile as ct
import numpy as np


@ct.kernel
def reverse(x):
    n = x.shape[0]
    place = ct.bid(0) * 16 + ct.arange(16, dtype=ct.int32)
    mine = place < n // 2
    mirror = n - 1 - place
    left, right = ct.gather(x, place, mask=mine), ct.gather(x, mirror, mask=mine)
    ct.scatter(x, place, right, mask=mine)
    ct.scatter(x, mirror, left, mask=mine)


def run(launch):
    x = np.arange(77, dtype=np.int32)
    launch((3,), reverse, (x,))
    assert (x == np.arange(77)[::-1]).all()
