"""Gradients of a layer norm: rows share partial sums of the weights' gradient, under a lock for each group of rows."""
# data-race: memory_order=ct.MemoryOrder.ACQUIRE => memory_order=ct.MemoryOrder.RELAXED
# data-race: memory_order=ct.MemoryOrder.RELEASE => memory_order=ct.MemoryOrder.RELAXED
# data-race deadlock: ct.atomic_cas(locks, group, 0, 1 => ct.atomic_cas(locks, row, 0, 1
# deadlock: ct.atomic_xchg(locks, group, 0, => ct.atomic_xchg(locks, group, 1,
# undefined-stored: ct.load(w, (j,), (16,), padding_mode=ct.PaddingMode.ZERO) => ct.load(w, (j,), (16,))

import cuda.tile as ct
import numpy as np

GROUPS = 2


@ct.kernel
def backward(dy, x, w, dx, dw, locks):
    row = ct.bid(0)
    group = row % GROUPS
    n = x.shape[1]
    tiles = ct.num_tiles(x, axis=1, shape=(1, 16))
    c1, c2 = ct.zeros((1, 16), ct.float32), ct.zeros((1, 16), ct.float32)
    for j in range(tiles):
        wdy = ct.load(w, (j,), (16,), padding_mode=ct.PaddingMode.ZERO) * ct.load(dy, (row, j), (1, 16), padding_mode=ct.PaddingMode.ZERO)
        c1 += wdy * ct.load(x, (row, j), (1, 16), padding_mode=ct.PaddingMode.ZERO)
        c2 += wdy
    s1, s2 = ct.sum(c1) / n, ct.sum(c2) / n
    for j in range(tiles):
        tx, tdy = ct.load(x, (row, j), (1, 16)), ct.load(dy, (row, j), (1, 16))
        ct.store(dx, (row, j), tdy - tx * s1 - s2)
        part = tx * tdy
        while ct.atomic_cas(locks, group, 0, 1, memory_order=ct.MemoryOrder.ACQUIRE) == 1:
            pass
        ct.store(dw, (group, j), ct.load(dw, (group, j), (1, 16)) + part)
        ct.atomic_xchg(locks, group, 0, memory_order=ct.MemoryOrder.RELEASE)


def run(launch):
    rng = np.random.default_rng(0)
    dy, x, w = (rng.standard_normal(shape).astype(np.float32) for shape in [(6, 40), (6, 40), (40,)])
    dx, dw, locks = np.zeros_like(x), np.zeros((GROUPS, 40), np.float32), np.zeros(6, np.int32)
    launch((6,), backward, (dy, x, w, dx, dw, locks))
    assert np.allclose(dw.sum(axis=0), (x * dy).sum(axis=0), atol=1e-4)
