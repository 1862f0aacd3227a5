"""Sums and counts of rows by one reduction over pairs, a mean of whole numbers from them, and products."""
# division fold-identity fold-order: lambda a, b: a * b, 1) => lambda a, b: a // (b - 1), 1)
# fold-order: (a + b, m + k), (0, 0) => ((a * m + b * k) // (m + k), m + k), (0, 0)
# fold-identity: lambda a, b: a * b, 1) => lambda a, b: a * b, 0)
# undefined-stored: padding_mode=ct.PaddingMode.ZERO => padding_mode=ct.PaddingMode.UNDETERMINED

import cuda.tile as ct
import numpy as np


@ct.kernel
def statistics(x, mean, product):
    row = ct.bid(0)
    tile = ct.reshape(ct.load(x, (row, 0), (1, 16), padding_mode=ct.PaddingMode.ZERO), (16,))
    total, n = ct.reduce((tile, ct.full((16,), 1, ct.int32)), 0, lambda a, m, b, k: (a + b, m + k), (0, 0))
    ct.scatter(mean, row, total // n)
    ct.scatter(product, row, ct.reduce(tile + 1, 0, lambda a, b: a * b, 1))


def run(launch):
    x, mean, product = np.arange(60, dtype=np.int32).reshape(4, 15), np.zeros(4, np.int32), np.zeros(4, np.int32)
    launch((4,), statistics, (x, mean, product))
