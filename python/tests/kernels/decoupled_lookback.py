"""Prefix sums in one pass: a block adds the sums of the blocks before it, as far as they are known, until it meets a prefix."""
# data-race: order_sum = ct.MemoryOrder.RELEASE => order_sum = ct.MemoryOrder.RELAXED
# data-race: order_prefix = ct.MemoryOrder.RELEASE => order_prefix = ct.MemoryOrder.RELAXED
# data-race: order_look = ct.MemoryOrder.ACQUIRE => order_look = ct.MemoryOrder.RELAXED
# undefined-stored: padding_mode=ct.PaddingMode.ZERO => padding_mode=ct.PaddingMode.UNDETERMINED

import cuda.tile as ct
import numpy as np

TILE = 16
order_sum = ct.MemoryOrder.RELEASE
order_prefix = ct.MemoryOrder.RELEASE
order_look = ct.MemoryOrder.ACQUIRE


@ct.kernel
def scan(x, y, status, sums, prefixes):
    block = ct.bid(0)
    tile = ct.load(x, (block,), (TILE,), padding_mode=ct.PaddingMode.ZERO)
    total = ct.sum(tile)
    before = ct.int32(0)
    if block == 0:
        ct.scatter(prefixes, 0, total)
        ct.atomic_xchg(status, 0, 2, memory_order=order_prefix)
    else:
        ct.scatter(sums, block, total)
        ct.atomic_xchg(status, block, 1, memory_order=order_sum)
        back = block - 1
        seen = 0
        while seen != 2:
            seen = ct.atomic_add(status, back, 0, memory_order=order_look)
            if seen == 2:
                before = before + ct.gather(prefixes, back)
            elif seen == 1:
                before = before + ct.gather(sums, back)
                back = back - 1
        ct.scatter(prefixes, block, before + total)
        ct.atomic_xchg(status, block, 2, memory_order=order_prefix)
    ct.store(y, (block,), ct.cumsum(tile) + before)


def run(launch):
    x = np.arange(90, dtype=np.int32)
    y, status = np.zeros(90, np.int32), np.zeros(6, np.int32)
    launch((6,), scan, (x, y, status, np.zeros(6, np.int32), np.zeros(6, np.int32)))
    assert (y == np.cumsum(x)).all()
