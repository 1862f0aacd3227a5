"""Two steps of a stencil with a barrier of all blocks between them."""
# data-race: ct.atomic_add(arrived, 0, 1, memory_order=ct.MemoryOrder.ACQ_REL) => ct.atomic_add(arrived, 0, 1, memory_order=ct.MemoryOrder.RELAXED)
# data-race: ct.atomic_add(arrived, 0, 0, memory_order=ct.MemoryOrder.ACQUIRE) => ct.atomic_add(arrived, 0, 0, memory_order=ct.MemoryOrder.RELAXED)
# deadlock: ct.num_blocks(0): => ct.num_blocks(0) + 1:
# data-race:     barrier(arrived) =>     ct.atomic_add(arrived, 0, 1)
# data-race: step(b, a) => step(b, b)
# clean: step(b, a) => step(b, c)

import cuda.tile as ct
import numpy as np


def barrier(arrived):
    ct.atomic_add(arrived, 0, 1, memory_order=ct.MemoryOrder.ACQ_REL)
    while ct.atomic_add(arrived, 0, 0, memory_order=ct.MemoryOrder.ACQUIRE) < ct.num_blocks(0):
        pass


def step(x, y):
    place = ct.bid(0) * 16 + ct.arange(16, dtype=ct.int32)
    ct.scatter(y, place, ct.gather(x, place - 1) + ct.gather(x, place + 1))


@ct.kernel
def twice(a, b, c, arrived):
    step(a, b)
    barrier(arrived)
    step(b, a)


def run(launch):
    a = np.arange(64, dtype=np.float32)
    launch((4,), twice, (a, np.zeros(64, np.float32), np.zeros(64, np.float32), np.zeros(1, np.int32)))
