"""Persistent blocks fetch tiles from a counter until there are no more."""
# view-index: if tile >= tiles: => if tile > tiles:
# deadlock: tile = ct.atomic_add(counter, 0, 1) => tile = ct.atomic_add(counter, 0, 0) + ct.bid(0)
# data-race undefined-stored: ct.store(y, (tile,), value) => ct.store(y, (tile // 2,), value)
# clean: ct.atomic_add(counter, 0, 1) => ct.atomic_add(counter, 0, 1, memory_order=ct.MemoryOrder.RELAXED)

import cuda.tile as ct
import numpy as np


@ct.kernel
def gelu(x, y, counter, tiles):
    while True:
        tile = ct.atomic_add(counter, 0, 1)
        if tile >= tiles:
            break
        value = ct.load(x, (tile,), (32,))
        value = value / (1 + ct.exp(-1.702 * value))
        ct.store(y, (tile,), value)


def run(launch):
    x = np.linspace(-3, 3, 300, dtype=np.float32)
    y = np.zeros_like(x)
    launch((3,), gelu, (x, y, np.zeros(1, np.int32), 10))
    assert np.allclose(y, x / (1 + np.exp(-1.702 * x)), atol=1e-5)
