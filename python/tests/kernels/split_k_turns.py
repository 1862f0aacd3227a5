"""Split-k whose parts take turns in the order of k, so that sums are rounded in the same way in every launch."""
# data-race: memory_order=ct.MemoryOrder.ACQUIRE => memory_order=ct.MemoryOrder.RELAXED
# data-race: memory_order=ct.MemoryOrder.RELEASE => memory_order=ct.MemoryOrder.RELAXED
# deadlock: (part + 1) % parts => (part + 2) % parts
# data-race deadlock: != part: => > part:
# clean: memory_order=ct.MemoryOrder.RELEASE => memory_order=ct.MemoryOrder.ACQ_REL

import cuda.tile as ct
import numpy as np


@ct.kernel
def split_k(a, b, c, turns, parts: ct.Constant[int]):
    i, part = ct.bid(0), ct.bid(1)
    left, right = ct.load(a, (i, part), (16, 16)), ct.load(b, (part, 0), (16, 16))
    product = left @ right
    while ct.atomic_add(turns, i, 0, memory_order=ct.MemoryOrder.ACQUIRE) != part:
        pass
    if part == 0:
        ct.store(c, (i, 0), product)
    else:
        ct.store(c, (i, 0), ct.load(c, (i, 0), (16, 16)) + product)
    ct.atomic_xchg(turns, i, (part + 1) % parts, memory_order=ct.MemoryOrder.RELEASE)


def run(launch):
    rng = np.random.default_rng(0)
    a, b = rng.standard_normal((32, 64)).astype(np.float32), rng.standard_normal((64, 16)).astype(np.float32)
    c, turns = np.full((32, 16), np.nan, np.float32), np.zeros(2, np.int32)
    launch((2, 4), split_k, (a, b, c, turns, 4))
    assert np.allclose(c, a @ b, atol=1e-3)
