"""What a launch from Python costs.

python python/benches/launch.py           a small kernel that was compiled before
python python/benches/launch.py matmul    a product of f16 matrices of 2048x2048, in whole and without the way from Python
"""

from __future__ import annotations

import sys
import time
import timeit

from tilewright import cutile

cutile.install()

import cuda.tile as ct  # noqa: E402
import numpy as np  # noqa: E402


@ct.kernel
def add(a, b, c, n: ct.Constant[int]):
    """Add two arrays."""
    i = ct.bid(0)
    ct.store(c, (i,), ct.load(a, (i,), (n,)) + ct.load(b, (i,), (n,)))


@ct.kernel
def matmul(a, b, c, tile: ct.Constant[int]):
    """Multiply two matrices."""
    i, j = ct.bid(0), ct.bid(1)
    total = ct.zeros((tile, tile), ct.float32)
    for k in range(ct.num_tiles(a, axis=1, shape=(tile, tile))):
        total = ct.mma(ct.load(a, (i, k), (tile, tile)), ct.load(b, (k, j), (tile, tile)), total)
    ct.store(c, (i, j), total.astype(c.dtype))


def small() -> None:
    """Time launches of blocks of 128 elements."""
    repeats = 1000
    for blocks, threads in ((1, 1), (8, 1), (8, None)):
        cutile.set_threads(threads)
        args = (*(np.ones(128 * blocks, np.float32) for _ in range(3)), 128)
        best = min(timeit.repeat(lambda args=args, blocks=blocks: ct.launch(None, (blocks,), add, args), number=repeats, repeat=20))
        report = min((cutile.launch((blocks,), add, args) for _ in range(1000)), key=lambda report: report.seconds)
        print(f"{report!r}: ct.launch {best / repeats * 1e6:.1f} us")


def large() -> None:
    """Time a large product by the clock and by the engine's own measure."""
    n, tile = 2048, 128
    a, b = (np.ones((n, n), np.float16) for _ in range(2))
    c = np.zeros((n, n), np.float16)
    cutile.launch((n // tile, n // tile), matmul, (a, b, c, tile))
    for _ in range(3):
        start = time.perf_counter()
        report = cutile.launch((n // tile, n // tile), matmul, (a, b, c, tile))
        whole = time.perf_counter() - start
        print(f"whole {whole:.4f} s, engine {report.seconds:.4f} s, {2 * n**3 / whole / 1e9:.1f} Gflop/s")
    assert (c == n).all()


if __name__ == "__main__":
    large() if sys.argv[1:] == ["matmul"] else small()
