"""A list that blocks append to under a ticket lock."""
# data-race: ct.atomic_add(serving, 0, 0, memory_order=ct.MemoryOrder.ACQUIRE) => ct.atomic_add(serving, 0, 0, memory_order=ct.MemoryOrder.RELAXED)
# data-race: ct.atomic_add(serving, 0, 1, memory_order=ct.MemoryOrder.RELEASE) => ct.atomic_add(serving, 0, 1, memory_order=ct.MemoryOrder.RELAXED)
# deadlock: ticket = ct.atomic_add(tickets, 0, 1) => ticket = ct.atomic_add(tickets, 0, 2)
# clean: ticket = ct.atomic_add(tickets, 0, 1) => ticket = ct.atomic_add(tickets, 0, 1, memory_order=ct.MemoryOrder.RELAXED)

import cuda.tile as ct
import numpy as np


@ct.kernel
def append(items, size, tickets, serving):
    ticket = ct.atomic_add(tickets, 0, 1)
    rounds = 0
    while ct.atomic_add(serving, 0, 0, memory_order=ct.MemoryOrder.ACQUIRE) != ticket:
        rounds = rounds + 1
    n = ct.gather(size, 0)
    ct.scatter(items, n, ct.bid(0))
    ct.scatter(size, 0, n + 1)
    ct.atomic_add(serving, 0, 1, memory_order=ct.MemoryOrder.RELEASE)


def run(launch):
    items, one = np.zeros(6, np.int32), lambda: np.zeros(1, np.int32)
    launch((6,), append, (items, one(), one(), one()))
    assert sorted(items) == list(range(6))
