"""Split-k: blocks of one output tile add under a spin lock."""
# data-race: MemoryOrder.ACQUIRE => MemoryOrder.RELAXED
# data-race: MemoryOrder.RELEASE => MemoryOrder.RELAXED
# data-race narrow-scope: MemoryOrder.ACQUIRE) == 1 => MemoryOrder.ACQUIRE, memory_scope=ct.MemoryScope.BLOCK) == 1
# data-race: lock = i * ct.num_blocks(1) + j => lock = i * ct.num_blocks(1) + j + part
# undefined-stored: padding_mode=ct.PaddingMode.ZERO) => padding_mode=ct.PaddingMode.UNDETERMINED)

import cuda.tile as ct
import numpy as np


@ct.kernel
def split_k(a, b, c, locks, parts: ct.Constant[int], tile: ct.Constant[int], tk: ct.Constant[int]):
    i, j, part = ct.bid(0), ct.bid(1), ct.bid(2)
    total = ct.zeros((tile, tile), ct.float32)
    for k in range(part, ct.num_tiles(a, axis=1, shape=(tile, tk)), parts):
        left = ct.load(a, (i, k), (tile, tk), padding_mode=ct.PaddingMode.ZERO)
        right = ct.load(b, (k, j), (tk, tile), padding_mode=PAD)
        total = ct.mma(left, right, total)
    lock = i * ct.num_blocks(1) + j
    while ct.atomic_cas(locks, lock, 0, 1, memory_order=ct.MemoryOrder.ACQUIRE) == 1:
        pass
    ct.store(c, (i, j), ct.load(c, (i, j), (tile, tile)) + total)
    ct.atomic_xchg(locks, lock, 0, memory_order=ct.MemoryOrder.RELEASE)


PAD = ct.PaddingMode.ZERO


def run(launch):
    rng = np.random.default_rng(0)
    a, b = rng.standard_normal((32, 60)).astype(np.float32), rng.standard_normal((60, 48)).astype(np.float32)
    c, locks = np.zeros((32, 48), np.float32), np.zeros(16, np.int32)
    launch((2, 3, 4), split_k, (a, b, c, locks, 4, 16, 8))
    assert np.allclose(c, a @ b, atol=1e-3)
