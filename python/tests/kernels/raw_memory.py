"""Offsets into the memory of an array, with masks of one's own."""
# out-of-bounds: mask = place < n => mask = place <= n
# data-race same-element: memory.store_offset(place, value + 1, mask=mask) => memory.store_offset(place // 2, value + 1, mask=mask)
# out-of-bounds: place = ct.bid(0) * 16 => place = (ct.bid(0) - 1) * 16

import cuda.tile as ct
import numpy as np


@ct.kernel
def increment(x, n):
    memory = x.get_raw_memory()
    place = ct.bid(0) * 16 + ct.arange(16, dtype=ct.int32)
    mask = place < n
    value = memory.load_offset(place, mask=mask)
    memory.store_offset(place, value + 1, mask=mask)


def run(launch):
    x = np.zeros(40, np.float32)
    launch((3,), increment, (x, 40))
    assert (x == 1).all()
