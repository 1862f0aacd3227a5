"""Matrix product: one block for each tile of the result, f16 in, f32 to sum up.

python -m tilewright.cutile python/gallery/matmul.py
"""

import cuda.tile as ct
import numpy as np

TILE_M, TILE_N, TILE_K = 64, 64, 32


@ct.kernel
def matmul(a, b, c, tm: ct.Constant[int], tn: ct.Constant[int], tk: ct.Constant[int]):
    i, j = ct.bid(0), ct.bid(1)
    total = ct.zeros((tm, tn), ct.float32)
    for k in range(ct.num_tiles(a, axis=1, shape=(tm, tk))):
        # What lies outside of the matrices counts as 0.
        left = ct.load(a, (i, k), (tm, tk), padding_mode=ct.PaddingMode.ZERO)
        right = ct.load(b, (k, j), (tk, tn), padding_mode=ct.PaddingMode.ZERO)
        total = ct.mma(left, right, total)
    ct.store(c, (i, j), total.astype(c.dtype))


def main() -> None:
    rng = np.random.default_rng(0)
    m, n, k = 200, 150, 170
    a = rng.standard_normal((m, k)).astype(np.float16)
    b = rng.standard_normal((k, n)).astype(np.float16)
    c = np.zeros((m, n), np.float32)
    grid = (ct.cdiv(m, TILE_M), ct.cdiv(n, TILE_N))
    ct.launch(None, grid, matmul, (a, b, c, TILE_M, TILE_N, TILE_K))
    error = np.abs(c - a.astype(np.float64) @ b.astype(np.float64)).max()
    assert error < 1e-4, error
    print(f"matmul {m}x{n}x{k}, grid {grid}: largest error {error:.1e}")


if __name__ == "__main__":
    main()
