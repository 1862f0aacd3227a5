"""Cross entropy in one pass over the classes, with the loss of all rows added to one number."""
# undefined-stored: padding_mode=ct.PaddingMode.NEG_INF => padding_mode=ct.PaddingMode.UNDETERMINED
# data-race: ct.atomic_add(loss, 0, value) => ct.scatter(loss, 0, ct.gather(loss, 0) + value)
# out-of-bounds: target = ct.gather(x, (row, label)) => target = ct.gather(x, (row, label + 1000), check_bounds=False)

import cuda.tile as ct
import numpy as np


@ct.kernel
def cross_entropy(x, labels, loss):
    row = ct.bid(0)
    most, sums = -np.inf, 0.0
    for j in range(ct.num_tiles(x, axis=1, shape=(1, 16))):
        tile = ct.load(x, (row, j), (1, 16), padding_mode=ct.PaddingMode.NEG_INF)
        new = ct.maximum(most, ct.max(tile))
        sums = sums * ct.exp(most - new) + ct.sum(ct.exp(tile - new))
        most = new
    label = ct.gather(labels, row)
    target = ct.gather(x, (row, label))
    value = most + ct.log(sums) - target
    ct.atomic_add(loss, 0, value)


def run(launch):
    rng = np.random.default_rng(0)
    x, labels = rng.standard_normal((6, 50)).astype(np.float32), rng.integers(0, 50, 6).astype(np.int32)
    loss = np.zeros(1, np.float32)
    launch((6,), cross_entropy, (x, labels, loss))
    assert np.isclose(loss[0], (np.log(np.exp(x).sum(axis=1)) - x[np.arange(6), labels]).sum(), rtol=1e-4)
