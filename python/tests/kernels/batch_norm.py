"""Batch norm in one launch: blocks add to sums of columns, wait until all have, then scale their rows."""
# data-race: order_ready = ct.MemoryOrder.ACQUIRE => order_ready = ct.MemoryOrder.RELAXED
# data-race: ct.atomic_add(ready, 0, 1) => ct.atomic_add(ready, 0, 1, memory_order=ct.MemoryOrder.RELAXED)
# deadlock: if ct.bid(0) >= 0: => if ct.bid(0) > 0:
# data-race: ct.atomic_add(sums, columns, ct.sum(x, axis=0)) => ct.scatter(sums, columns, ct.gather(sums, columns) + ct.sum(x, axis=0))

import cuda.tile as ct
import numpy as np

order_ready = ct.MemoryOrder.ACQUIRE


@ct.kernel
def norm(rows, sums, ready, y):
    columns = ct.arange(16, dtype=ct.int32)
    x = ct.load(rows, (ct.bid(0), 0), (8, 16), padding_mode=ct.PaddingMode.ZERO)
    ct.atomic_add(sums, columns, ct.sum(x, axis=0))
    if ct.bid(0) >= 0:
        ct.atomic_add(ready, 0, 1)
    while ct.atomic_add(ready, 0, 0, memory_order=order_ready) < ct.num_blocks(0):
        pass
    mean = ct.gather(sums, columns) / rows.shape[0]
    ct.store(y, (ct.bid(0), 0), x - mean[None, :])


def run(launch):
    x = np.random.default_rng(0).standard_normal((30, 16)).astype(np.float32)
    y = np.zeros_like(x)
    launch((4,), norm, (x, np.zeros(16, np.float32), np.zeros(1, np.int32), y))
    assert np.allclose(y, x - x.mean(axis=0), atol=1e-4)
