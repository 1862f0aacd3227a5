"""Matrix product with few results and long sums: several blocks share a sum, and take turns to add to it.

python -m tilewright.cutile python/gallery/split_k.py
"""

import cuda.tile as ct
import numpy as np

TILE, TILE_K, PARTS = 32, 64, 4


@ct.kernel
def split_k(a, b, c, locks, parts: ct.Constant[int], tile: ct.Constant[int], tk: ct.Constant[int]):
    i, j, part = ct.bid(0), ct.bid(1), ct.bid(2)
    total = ct.zeros((tile, tile), ct.float32)
    for k in range(part, ct.num_tiles(a, axis=1, shape=(tile, tk)), parts):
        left = ct.load(a, (i, k), (tile, tk), padding_mode=ct.PaddingMode.ZERO)
        right = ct.load(b, (k, j), (tk, tile), padding_mode=ct.PaddingMode.ZERO)
        total = ct.mma(left, right, total)
    lock = i * ct.num_blocks(1) + j
    while ct.atomic_cas(locks, lock, 0, 1, memory_order=ct.MemoryOrder.ACQUIRE) == 1:
        pass
    ct.store(c, (i, j), ct.load(c, (i, j), (tile, tile)) + total)
    ct.atomic_xchg(locks, lock, 0, memory_order=ct.MemoryOrder.RELEASE)


def main() -> None:
    rng = np.random.default_rng(0)
    m, n, k = 64, 96, 1500
    a, b = rng.standard_normal((m, k)).astype(np.float32), rng.standard_normal((k, n)).astype(np.float32)
    c = np.zeros((m, n), np.float32)
    grid = (m // TILE, n // TILE, PARTS)
    locks = np.zeros(grid[0] * grid[1], np.int32)
    ct.launch(None, grid, split_k, (a, b, c, locks, PARTS, TILE, TILE_K))
    error = np.abs(c - a.astype(np.float64) @ b.astype(np.float64)).max()
    assert error < 1e-3, error
    print(f"split-k product {m}x{n}x{k}, grid {grid}: largest error {error:.1e}")


if __name__ == "__main__":
    main()
