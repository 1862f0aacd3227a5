"""The largest value of each segment, by an atomic maximum."""
# data-race same-element: ct.atomic_max(y, segment, x) => ct.scatter(y, segment, ct.maximum(x, ct.gather(y, segment)))
# narrow-scope: ct.atomic_max(y, segment, x) => ct.atomic_max(y, segment, x, memory_scope=ct.MemoryScope.BLOCK)
# clean: ct.atomic_max(y, segment, x) => ct.atomic_max(y, segment, x, memory_order=ct.MemoryOrder.RELAXED)

import cuda.tile as ct
import numpy as np


@ct.kernel
def segment_max(x, segments, y):
    lanes = ct.bid(0) * 16 + ct.arange(16, dtype=ct.int32)
    x, segment = ct.gather(x, lanes), ct.gather(segments, lanes, padding_value=-1)
    ct.atomic_max(y, segment, x)


def run(launch):
    rng = np.random.default_rng(0)
    x, segments = rng.integers(0, 1000, 60).astype(np.int32), np.sort(rng.integers(0, 5, 60)).astype(np.int32)
    y = np.zeros(5, np.int32)
    launch((4,), segment_max, (x, segments, y))
    assert (y == [x[segments == s].max() for s in range(5)]).all()
