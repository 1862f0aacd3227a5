"""A producer and a consumer share a ring of four slots, of which each is filled three times."""
# data-race: ct.atomic_xchg(tail, 0, i + 1, memory_order=ct.MemoryOrder.RELEASE) => ct.atomic_xchg(tail, 0, i + 1, memory_order=ct.MemoryOrder.RELAXED)
# data-race: ct.atomic_xchg(head, 0, i + 1, memory_order=ct.MemoryOrder.RELEASE) => ct.atomic_xchg(head, 0, i + 1, memory_order=ct.MemoryOrder.RELAXED)
# data-race: i - ct.atomic_add(head, 0, 0, memory_order=ct.MemoryOrder.ACQUIRE) >= SLOTS => i - ct.atomic_add(head, 0, 0, memory_order=ct.MemoryOrder.RELAXED) >= SLOTS
# deadlock: >= SLOTS: => >= 0:

import cuda.tile as ct
import numpy as np

SLOTS, ITEMS = 4, 12


@ct.kernel
def ring(x, y, slots, head, tail):
    if ct.bid(0) == 0:
        for i in range(ITEMS):
            while i - ct.atomic_add(head, 0, 0, memory_order=ct.MemoryOrder.ACQUIRE) >= SLOTS:
                pass
            ct.store(slots, (i % SLOTS, 0), ct.load(x, (i, 0), (1, 8)))
            ct.atomic_xchg(tail, 0, i + 1, memory_order=ct.MemoryOrder.RELEASE)
    else:
        for i in range(ITEMS):
            while ct.atomic_add(tail, 0, 0, memory_order=ct.MemoryOrder.ACQUIRE) <= i:
                pass
            ct.store(y, (i, 0), ct.load(slots, (i % SLOTS, 0), (1, 8)) * 2)
            ct.atomic_xchg(head, 0, i + 1, memory_order=ct.MemoryOrder.RELEASE)


def run(launch):
    x = np.arange(ITEMS * 8, dtype=np.float32).reshape(ITEMS, 8)
    y, one = np.zeros_like(x), np.zeros
    launch((2,), ring, (x, y, np.zeros((SLOTS, 8), np.float32), one(1, np.int32), one(1, np.int32)))
    assert (y == 2 * x).all()
