"""Softmax of the rows of a matrix: one block for each row, which it holds in one tile.

python -m tilewright.cutile python/gallery/softmax.py
"""

import cuda.tile as ct
import numpy as np


@ct.kernel
def softmax(x, y, tile: ct.Constant[int]):
    row = ct.bid(0)
    # The tile is a power of two; what it has beyond the row must not count.
    values = ct.load(x, (row, 0), (1, tile), padding_mode=ct.PaddingMode.NEG_INF)
    powers = ct.exp(values - ct.max(values, axis=1, keepdims=True))
    ct.store(y, (row, 0), powers / ct.sum(powers, axis=1, keepdims=True))


def main() -> None:
    x = (5 * np.random.default_rng(0).standard_normal((37, 300))).astype(np.float32)
    y = np.zeros_like(x)
    ct.launch(None, (len(x),), softmax, (x, y, 512))
    powers = np.exp(x.astype(np.float64) - x.max(axis=1, keepdims=True))
    error = np.abs(y - powers / powers.sum(axis=1, keepdims=True)).max()
    assert error < 1e-6, error
    print(f"softmax of {len(x)} rows: largest error {error:.1e}")


if __name__ == "__main__":
    main()
