"""Connected components: edges join the trees of their ends by compare-and-swap."""
# data-race: ct.atomic_cas(parent, high, high, low) => step(parent, high, low)
# narrow-scope: ct.atomic_cas(parent, high, high, low) => ct.atomic_cas(parent, high, high, low, memory_scope=ct.MemoryScope.BLOCK)
# data-race: ct.atomic_add(parent, first, 0) => ct.gather(parent, first)

import cuda.tile as ct
import numpy as np


def step(parent, high, low):
    ct.scatter(parent, high, low)
    return high


def root(parent, x):
    first = x
    up = ct.atomic_add(parent, first, 0)
    while up != x:
        x = up
        up = ct.atomic_add(parent, x, 0)
    return x


@ct.kernel
def join(edges, parent):
    a, b = root(parent, ct.gather(edges, (ct.bid(0), 0))), root(parent, ct.gather(edges, (ct.bid(0), 1)))
    while a != b:
        high, low = max(a, b), min(a, b)
        old = ct.atomic_cas(parent, high, high, low)
        if old == high:
            a = low
            b = low
        else:
            a = root(parent, old)
            b = root(parent, low)


def run(launch):
    edges = np.array([[0, 1], [2, 3], [1, 2], [5, 6], [6, 4], [0, 3]], np.int32)
    parent = np.arange(8, dtype=np.int32)
    launch((6,), join, (edges, parent))
