"""A table is built by one block and read by all others behind a flag: published once, with release and acquire."""
# data-race: flag_order = ct.MemoryOrder.RELEASE => flag_order = ct.MemoryOrder.RELAXED
# data-race: wait_order = ct.MemoryOrder.ACQUIRE => wait_order = ct.MemoryOrder.RELAXED
# data-race narrow-scope: memory_order=flag_order => memory_order=flag_order, memory_scope=ct.MemoryScope.BLOCK
# deadlock: flag, 0, 1, memory_order=flag_order => flag, 0, 2, memory_order=flag_order

import cuda.tile as ct
import numpy as np

flag_order = ct.MemoryOrder.RELEASE
wait_order = ct.MemoryOrder.ACQUIRE


@ct.kernel
def publish(table, flag, y):
    block = ct.bid(0)
    places = ct.arange(16, dtype=ct.int32)
    if block == 2:
        ct.scatter(table, places, places * places)
        ct.atomic_xchg(flag, 0, 1, memory_order=flag_order)
    else:
        while ct.atomic_or(flag, 0, 0, memory_order=wait_order) != 1:
            pass
        ct.scatter(y, (block, places), ct.gather(table, places) + block)


def run(launch):
    y = np.zeros((5, 16), np.int32)
    launch((5,), publish, (np.zeros(16, np.int32), np.zeros(1, np.int32), y))
    assert (y[4] == np.arange(16) ** 2 + 4).all()
