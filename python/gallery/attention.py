"""Attention as flash attention computes it: one pass over the keys, with a running maximum and a running sum.

python -m tilewright.cutile python/gallery/attention.py
"""

import math

import cuda.tile as ct
import numpy as np

TILE_Q, TILE_K = 32, 64


@ct.kernel
def attention(q, k, v, out, scale: float, tq: ct.Constant[int], tk: ct.Constant[int], depth: ct.Constant[int]):
    head, block = ct.bid(1), ct.bid(0)
    queries = ct.load(q, (head, block, 0), (1, tq, depth), padding_mode=ct.PaddingMode.ZERO).reshape((tq, depth))
    largest = ct.full((tq, 1), -math.inf, ct.float32)
    total = ct.zeros((tq, 1), ct.float32)
    result = ct.zeros((tq, depth), ct.float32)
    keys_in_all = k.shape[1]
    for j in range(ct.cdiv(keys_in_all, tk)):
        keys = ct.load(k, (head, j, 0), (1, tk, depth), padding_mode=ct.PaddingMode.ZERO).reshape((tk, depth))
        values = ct.load(v, (head, j, 0), (1, tk, depth), padding_mode=ct.PaddingMode.ZERO).reshape((tk, depth))
        scores = ct.mma(queries, ct.transpose(keys), ct.zeros((tq, tk), ct.float32)) * scale
        inside = j * tk + ct.arange(tk, dtype=ct.int32) < keys_in_all
        scores = ct.where(inside, scores, -math.inf)
        # What was summed up before is scaled down when a larger score appears.
        larger = ct.maximum(largest, ct.max(scores, axis=1, keepdims=True))
        shrink = ct.exp(largest - larger)
        powers = ct.exp(scores - larger)
        total = total * shrink + ct.sum(powers, axis=1, keepdims=True)
        result = ct.mma(powers.astype(values.dtype), values, result * shrink)
        largest = larger
    ct.store(out, (head, block, 0), (result / total).astype(out.dtype).reshape((1, tq, depth)))


def reference(q: np.ndarray, k: np.ndarray, v: np.ndarray) -> np.ndarray:
    """The same in float64, without tiles."""
    q, k, v = (x.astype(np.float64) for x in (q, k, v))
    scores = q @ k.swapaxes(1, 2) / math.sqrt(q.shape[2])
    powers = np.exp(scores - scores.max(axis=2, keepdims=True))
    return powers / powers.sum(axis=2, keepdims=True) @ v


def main() -> None:
    rng = np.random.default_rng(0)
    heads, length, depth = 3, 150, 64
    q, k, v = (rng.standard_normal((heads, length, depth)).astype(np.float16) for _ in range(3))
    out = np.zeros_like(q)
    grid = (ct.cdiv(length, TILE_Q), heads)
    ct.launch(None, grid, attention, (q, k, v, out, 1 / math.sqrt(depth), TILE_Q, TILE_K, depth))
    error = np.abs(out - reference(q, k, v)).max()
    assert error < 2e-3, error
    print(f"attention, {heads} heads of {length} tokens, grid {grid}: largest error {error:.1e}")


if __name__ == "__main__":
    main()
