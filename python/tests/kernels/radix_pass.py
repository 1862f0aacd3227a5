"""One pass of a radix sort: counts per block and digit, offsets of all of them, and the move."""
# data-race: start = ct.gather(offsets, (digit, block)) => start = ct.gather(offsets, (digit, 0))
# same-element: rank = ct.sum(earlier, axis=1) => rank = ct.sum(earlier, axis=1) // 2
# data-race: count = ct.sum(match, axis=1) => count = ct.sum(match, axis=1) - 1
# shift: x >> shift => x >> (shift + 32)

import cuda.tile as ct
import numpy as np

TILE, DIGITS = 16, 4


@ct.kernel
def count_digits(x, shift, counts):
    block = ct.bid(0)
    x = ct.load(x, (block,), (TILE,))
    digit = (x >> shift) & (DIGITS - 1)
    digits = ct.arange(DIGITS, dtype=ct.int32)
    match = ct.astype(digit[None, :] == digits[:, None], ct.int32)
    count = ct.sum(match, axis=1)
    ct.scatter(counts, (digits, block), count)


@ct.kernel
def move(x, shift, offsets, y):
    block = ct.bid(0)
    x = ct.load(x, (block,), (TILE,))
    digit = (x // (1 << shift)) % DIGITS
    places = ct.arange(TILE, dtype=ct.int32)
    earlier = ct.astype((digit[:, None] == digit[None, :]) & (places[None, :] < places[:, None]), ct.int32)
    rank = ct.sum(earlier, axis=1)
    start = ct.gather(offsets, (digit, block))
    ct.scatter(y, start + rank, x)


def run(launch):
    x = np.random.default_rng(0).integers(0, 1000, 64).astype(np.int32)
    y, counts = np.zeros_like(x), np.zeros((DIGITS, 4), np.int32)
    launch((4,), count_digits, (x, 2, counts))
    offsets = (np.cumsum(counts.ravel()) - counts.ravel()).reshape(counts.shape).astype(np.int32)
    launch((4,), move, (x, 2, offsets, y))
    assert (y == x[np.argsort(x >> 2 & 3, kind="stable")]).all()
