"""Histogram: all blocks add to the same bins, atomically.

python -m tilewright.cutile python/gallery/histogram.py
"""

import cuda.tile as ct
import numpy as np

TILE = 256


@ct.kernel
def histogram(values, bins, tile: ct.Constant[int]):
    position = ct.bid(0) * tile + ct.arange(tile, dtype=ct.int32)
    inside = position < values.shape[0]
    value = ct.gather(values, position, padding_value=0)
    # A bin of -1 does not exist, and an update of it does nothing.
    ct.atomic_add(bins, ct.where(inside, value, -1), 1)


def main() -> None:
    values = np.random.default_rng(0).integers(0, 10, 5000).astype(np.int32)
    bins = np.zeros(10, np.int32)
    grid = (ct.cdiv(len(values), TILE),)
    ct.launch(None, grid, histogram, (values, bins, TILE))
    assert (bins == np.bincount(values, minlength=10)).all(), bins
    print(f"histogram of {len(values)} values, grid {grid}: {bins.tolist()}")


if __name__ == "__main__":
    main()
