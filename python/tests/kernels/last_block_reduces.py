"""The block that comes last adds what all of them have written."""
# data-race: memory_order=ct.MemoryOrder.ACQ_REL => memory_order=ct.MemoryOrder.RELAXED
# data-race: memory_order=ct.MemoryOrder.ACQ_REL => memory_order=ct.MemoryOrder.RELEASE
# data-race: memory_order=ct.MemoryOrder.ACQ_REL => memory_order=ct.MemoryOrder.ACQUIRE
# data-race: == ct.num_blocks(0) - 1 => >= ct.num_blocks(0) - 2
# undefined-stored: padding_mode=ct.PaddingMode.ZERO => padding_mode=ct.PaddingMode.UNDETERMINED

import cuda.tile as ct
import numpy as np


@ct.kernel
def total(x, partial, done, y):
    block = ct.bid(0)
    ct.scatter(partial, block, ct.sum(ct.load(x, (block,), (32,), padding_mode=ct.PaddingMode.ZERO)))
    if ct.atomic_add(done, 0, 1, memory_order=ct.MemoryOrder.ACQ_REL) == ct.num_blocks(0) - 1:
        places = ct.arange(8, dtype=ct.int32)
        ct.scatter(y, 0, ct.sum(ct.gather(partial, places)))


def run(launch):
    x = np.arange(150, dtype=np.float32)
    y = np.zeros(1, np.float32)
    launch((5,), total, (x, np.zeros(5, np.float32), np.zeros(1, np.int32), y))
    assert y[0] == x.sum()
