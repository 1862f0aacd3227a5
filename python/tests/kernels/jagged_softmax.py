"""Softmax of rows of any length that lie one behind the other."""
# data-race: inside = columns < end - start => inside = columns < end - start + 1
# data-race: ct.scatter(y, start + columns, weights / ct.sum(weights), mask=inside) => ct.scatter(y, start + columns, weights / ct.sum(weights))
# clean: padding_value=-np.inf => padding_value=-1e30

import cuda.tile as ct
import numpy as np


@ct.kernel
def softmax(x, starts, y):
    row = ct.bid(0)
    start, end = ct.gather(starts, row), ct.gather(starts, row + 1)
    columns = ct.arange(16, dtype=ct.int32)
    inside = columns < end - start
    value = ct.gather(x, start + columns, mask=inside, padding_value=-np.inf)
    weights = ct.exp(value - ct.max(value))
    ct.scatter(y, start + columns, weights / ct.sum(weights), mask=inside)


def run(launch):
    starts = np.array([0, 5, 6, 20, 33, 40], np.int32)
    x = np.random.default_rng(0).standard_normal(40).astype(np.float32)
    y = np.zeros_like(x)
    launch((5,), softmax, (x, starts, y))
    assert np.isclose(y.sum(), 5)
