"""Neighbours compared and swapped in place, in a launch for each round: pairs of a round are apart from each other."""
# data-race: left = 2 * lanes + t % 2 => left = 2 * lanes + lanes % 2
# data-race: right = left + 1 => right = left + 2
# clean: t % 2 => (t + 1) % 2

import cuda.tile as ct
import numpy as np


@ct.kernel
def round_of_sort(x, t):
    lanes = ct.bid(0) * 8 + ct.arange(8, dtype=ct.int32)
    left = 2 * lanes + t % 2
    right = left + 1
    there = right < x.shape[0]
    a, b = ct.gather(x, left, mask=there), ct.gather(x, right, mask=there)
    ct.scatter(x, left, ct.minimum(a, b), mask=there)
    ct.scatter(x, right, ct.maximum(a, b), mask=there)


def run(launch):
    x = np.random.default_rng(0).permutation(33).astype(np.int32)
    for t in range(33):
        launch((3,), round_of_sort, (x, t))
