"""Convolution of images as a sum of matrix products: one product for each position in the filter.

python -m tilewright.cutile python/gallery/conv.py
"""

import cuda.tile as ct
import numpy as np

TILE_X = 32


@ct.kernel
def conv(image, weights, out, size: ct.Constant[int], tile: ct.Constant[int], inputs: ct.Constant[int], outputs: ct.Constant[int]):
    column, row = ct.bid(0), ct.bid(1)
    total = ct.zeros((tile, outputs), ct.float32)
    channel = ct.arange(inputs, dtype=ct.int32)[None, :]
    for dy in range(size):
        for dx in range(size):
            # The pixels below this position of the filter begin anywhere, so they are gathered; those outside are 0.
            x = (column * tile + ct.arange(tile, dtype=ct.int32) + dx)[:, None]
            pixels = ct.gather(image, (row + dy, x, channel), padding_value=0)
            filters = ct.load(weights, (dy, dx, 0, 0), (1, 1, inputs, outputs)).reshape((inputs, outputs))
            total = ct.mma(pixels, filters, total)
    ct.store(out, (row, column, 0), total.reshape((1, tile, outputs)))


def reference(image: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """The same in float64, for each position in the filter."""
    size, _, _, outputs = weights.shape
    height, width = image.shape[0] - size + 1, image.shape[1] - size + 1
    total = np.zeros((height, width, outputs))
    for dy in range(size):
        for dx in range(size):
            total += image[dy : dy + height, dx : dx + width].astype(np.float64) @ weights[dy, dx].astype(np.float64)
    return total


def main() -> None:
    rng = np.random.default_rng(0)
    height, width, inputs, outputs, size = 20, 70, 16, 32, 3
    image = rng.standard_normal((height, width, inputs)).astype(np.float32)
    weights = rng.standard_normal((size, size, inputs, outputs)).astype(np.float32)
    out = np.zeros((height - size + 1, width - size + 1, outputs), np.float32)
    grid = (ct.cdiv(out.shape[1], TILE_X), out.shape[0])
    ct.launch(None, grid, conv, (image, weights, out, size, TILE_X, inputs, outputs))
    error = np.abs(out - reference(image, weights)).max()
    assert error < 1e-4, error
    print(f"conv {size}x{size} of {height}x{width}, {inputs} to {outputs} channels, grid {grid}: largest error {error:.1e}")


if __name__ == "__main__":
    main()
