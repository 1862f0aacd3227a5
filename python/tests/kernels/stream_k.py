"""Stream-k: blocks take equal shares of the rounds of all tiles; the block that begins a tile waits for the others' parts of it."""
# data-race: ct.atomic_xchg(flags, block, 1, memory_order=ct.MemoryOrder.RELEASE) => ct.atomic_xchg(flags, block, 1, memory_order=ct.MemoryOrder.RELAXED)
# data-race: memory_order=ct.MemoryOrder.ACQUIRE => memory_order=ct.MemoryOrder.RELAXED
# deadlock: other = block + 1 => other = block + 2
# clean: ct.atomic_cas(flags, other, 1, 1 => ct.atomic_cas(flags, other, 0, 0

import cuda.tile as ct
import numpy as np

ROUNDS, SHARE = 4, 3


@ct.kernel
def stream_k(a, b, c, partial, flags, tiles):
    block = ct.bid(0)
    at, end = block * SHARE, min((block + 1) * SHARE, tiles * ROUNDS)
    while at < end:
        tile = at // ROUNDS
        last = min(end, (tile + 1) * ROUNDS)
        total = ct.zeros((16, 16), ct.float32)
        first = at - tile * ROUNDS
        for k in range(first, last - tile * ROUNDS):
            total = ct.mma(ct.load(a, (tile, k), (16, 16)), ct.load(b, (k, 0), (16, 16)), total)
        if first != 0:
            ct.store(partial, (block, 0, 0), ct.reshape(total, (1, 16, 16)))
            ct.atomic_xchg(flags, block, 1, memory_order=ct.MemoryOrder.RELEASE)
        else:
            other = block + 1
            done = last
            while done < (tile + 1) * ROUNDS:
                while ct.atomic_cas(flags, other, 1, 1, memory_order=ct.MemoryOrder.ACQUIRE) != 1:
                    pass
                total = total + ct.reshape(ct.load(partial, (other, 0, 0), (1, 16, 16)), (16, 16))
                done = done + SHARE
                other = other + 1
            ct.store(c, (tile, 0), total)
        at = last


def run(launch):
    rng = np.random.default_rng(0)
    a, b = rng.standard_normal((48, 64)).astype(np.float32), rng.standard_normal((64, 16)).astype(np.float32)
    c, partial, flags = np.zeros((48, 16), np.float32), np.zeros((5, 16, 16), np.float32), np.zeros(5, np.int32)
    launch((4,), stream_k, (a, b, c, partial, flags, 3))
    assert np.allclose(c, a @ b, atol=1e-3)
