"""A convolution: pixels of a window are gathered, what lies outside counts as 0."""
# out-of-bounds: inside = (rows >= 0) & (rows < h) & (columns >= 0) & (columns < w) => inside = (rows >= 0) & (rows < h) & (columns >= 0) & (columns <= w)
# division: columns = place % w + dx - 1 => columns = place % (w * 0) + dx - 1

import cuda.tile as ct
import numpy as np


@ct.kernel
def conv(x, weights, y, h, w):
    place = ct.bid(0) * 16 + ct.arange(16, dtype=ct.int32)
    total = ct.zeros((16,), ct.float32)
    for dy in range(3):
        for dx in range(3):
            rows = place // w + dy - 1
            columns = place % w + dx - 1
            inside = (rows >= 0) & (rows < h) & (columns >= 0) & (columns < w)
            pixel = ct.gather(x, rows * w + columns, mask=inside, check_bounds=False)
            total = total + pixel * ct.gather(weights, (dy, dx))
    ct.scatter(y, place, total, mask=place < h * w)


def run(launch):
    rng = np.random.default_rng(0)
    x, k = rng.standard_normal((7, 9)).astype(np.float32), rng.standard_normal((3, 3)).astype(np.float32)
    y = np.zeros(63, np.float32)
    launch((4,), conv, (x.ravel(), k, y, 7, 9))
    padded = np.pad(x, 1)
    expected = sum(padded[i : i + 7, j : j + 9] * k[i, j] for i in range(3) for j in range(3))
    assert np.allclose(y.reshape(7, 9), expected, atol=1e-4)
