"""Elements that are positive, packed: each block asks for room with one addition."""
# data-race: start = ct.atomic_add(size, 0, total) => start = ct.gather(size, 0)
# data-race: ct.where(keep, start + before, y.shape[0]) => ct.where(keep, before, y.shape[0])
# same-element: ct.cumsum(kept) - kept => kept
# out-of-bounds: ct.scatter(y, place, x) => ct.scatter(y, place, x, check_bounds=False)

import cuda.tile as ct
import numpy as np


@ct.kernel
def compact(x, y, size):
    x = ct.load(x, (ct.bid(0),), (16,), padding_mode=ct.PaddingMode.ZERO)
    keep = x > 0
    kept = ct.astype(keep, ct.int32)
    total, before = ct.sum(kept), ct.cumsum(kept) - kept
    start = ct.atomic_add(size, 0, total)
    place = ct.where(keep, start + before, y.shape[0])
    ct.scatter(y, place, x)


def run(launch):
    x = np.random.default_rng(0).standard_normal(90).astype(np.float32)
    y, size = np.zeros(90, np.float32), np.zeros(1, np.int32)
    launch((6,), compact, (x, y, size))
    assert set(y[: size[0]]) == set(x[x > 0])
