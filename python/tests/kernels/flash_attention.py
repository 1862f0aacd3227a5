"""Attention in one pass over keys, with a last tile of keys that is not full, and a causal mask."""
# undefined-stored: value = ct.load(v, (head, j, 0), (1, KEYS, D), padding_mode=ct.PaddingMode.ZERO) => value = ct.load(v, (head, j, 0), (1, KEYS, D))
# view-index: for j in range(blocks) => for j in range(blocks + 1)
# data-race: ct.store(y, (head, i, 0), ct.reshape(total / sums, (1, ROWS, D))) => ct.store(y, (0, i, 0), ct.reshape(total / sums, (1, ROWS, D)))
# clean: padding_mode=ct.PaddingMode.ZERO), (D, KEYS)) => padding_mode=ct.PaddingMode.UNDETERMINED), (D, KEYS))

import cuda.tile as ct
import numpy as np

ROWS, KEYS, D = 16, 32, 16


@ct.kernel
def attention(q, k, v, y, length, scale: ct.Constant[float]):
    head, i = ct.bid(0), ct.bid(1)
    query = ct.reshape(ct.load(q, (head, i, 0), (1, ROWS, D), padding_mode=ct.PaddingMode.ZERO), (ROWS, D))
    most = ct.full((ROWS, 1), -np.inf, ct.float32)
    sums = ct.zeros((ROWS, 1), ct.float32)
    total = ct.zeros((ROWS, D), ct.float32)
    rows = i * ROWS + ct.arange(ROWS, dtype=ct.int32)[:, None]
    blocks = min(ct.cdiv(length, KEYS), ct.cdiv((i + 1) * ROWS, KEYS))
    for j in range(blocks):
        key = ct.reshape(ct.load(k, (head, 0, j), (1, D, KEYS), order=(0, 2, 1), padding_mode=ct.PaddingMode.ZERO), (D, KEYS))
        scores = ct.mma(query, key, ct.zeros((ROWS, KEYS), ct.float32)) * scale
        columns = j * KEYS + ct.arange(KEYS, dtype=ct.int32)[None, :]
        keep = (columns <= rows) & (columns < length)
        scores = ct.where(keep, scores, -np.inf)
        new = ct.maximum(most, ct.max(scores, axis=1, keepdims=True))
        weights = ct.exp(scores - new)
        shrink = ct.exp(most - new)
        sums = sums * shrink + ct.sum(weights, axis=1, keepdims=True)
        value = ct.load(v, (head, j, 0), (1, KEYS, D), padding_mode=ct.PaddingMode.ZERO)
        total = ct.mma(weights, ct.reshape(value, (KEYS, D)), total * shrink)
        most = new
    ct.store(y, (head, i, 0), ct.reshape(total / sums, (1, ROWS, D)))


def run(launch):
    rng = np.random.default_rng(0)
    q, k, v = (rng.standard_normal((2, 75, D)).astype(np.float32) for _ in range(3))
    y = np.zeros_like(q)
    launch((2, 5), attention, (q, k, v, y, 75, 0.25))
    s = np.einsum("hid,hjd->hij", q, k) * 0.25
    s = np.where(np.tril(np.ones((75, 75), bool)), s, -np.inf)
    w = np.exp(s - s.max(axis=2, keepdims=True))
    assert np.allclose(y, (w / w.sum(axis=2, keepdims=True)) @ v, atol=1e-3)
