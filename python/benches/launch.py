"""What a launch from Python costs: small kernels that were compiled before, and a large one.

python python/benches/launch.py [--json]

Times are the best of many launches: of `ct.launch` in whole, and of the engine in it.
"""

from __future__ import annotations

import json
import sys
import time
import timeit
from collections.abc import Iterator

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
def matmul(a, b, c, tile: ct.Constant[int], depth: ct.Constant[int]):
    """Multiply two matrices, in the tiles of `tilewright bench --filter matmul_f16`."""
    i, j = ct.bid(0), ct.bid(1)
    total = ct.zeros((tile, tile), ct.float32)
    for k in range(ct.num_tiles(a, axis=1, shape=(tile, depth))):
        total = ct.mma(ct.load(a, (i, k), (tile, depth)), ct.load(b, (k, j), (depth, tile)), total)
    ct.store(c, (i, j), total.astype(c.dtype))


def small() -> Iterator[tuple[str, float, float]]:
    """Time launches of blocks of 128 elements."""
    repeats = 1000
    for blocks, threads in ((1, 1), (8, 1), (8, None)):
        cutile.set_threads(threads)
        args = (*(np.ones(128 * blocks, np.float32) for _ in range(3)), 128)
        whole = min(timeit.repeat(lambda args=args, blocks=blocks: ct.launch(None, (blocks,), add, args), number=repeats, repeat=20))
        report = min((cutile.launch((blocks,), add, args) for _ in range(1000)), key=lambda report: report.seconds)
        many = "one block" if blocks == 1 else f"{blocks} blocks"
        on = "" if blocks == 1 else ", one thread" if threads == 1 else ", a thread for each processor"
        yield f"{many} of 128 elements, three arrays{on}", whole / repeats, report.seconds


def large() -> Iterator[tuple[str, float, float]]:
    """Time a large product."""
    n, tile, depth = 2048, 128, 64
    a, b = (np.ones((n, n), np.float16) for _ in range(2))
    c = np.zeros((n, n), np.float16)
    best = (float("inf"), float("inf"))
    for _ in range(20):
        start = time.perf_counter()
        report = cutile.launch((n // tile, n // tile), matmul, (a, b, c, tile, depth))
        best = min(best, (time.perf_counter() - start, report.seconds))
    assert (c == n).all()
    yield f"a product of f16 matrices of {n} x {n}", *best


def main() -> None:
    """Print what was measured."""
    rows = [{"what": what, "whole": whole, "engine": engine} for what, whole, engine in (*small(), *large())]
    if sys.argv[1:] == ["--json"]:
        print(json.dumps(rows))
        return
    for row in rows:
        print(f"{row['what']}: {row['whole'] * 1e6:.1f} us, of which {row['engine'] * 1e6:.1f} us in the engine")


if __name__ == "__main__":
    main()
