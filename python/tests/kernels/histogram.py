"""A histogram in the block's registers first, then added to that of all."""
# data-race: ct.atomic_add(bins, places, counts) => ct.scatter(bins, places, ct.gather(bins, places) + counts)
# conversion: ct.where(inside, x, 0) => ct.where(inside, x, 1e30)

import cuda.tile as ct
import numpy as np

BINS = 16


@ct.kernel
def histogram(x, bins):
    lanes = ct.bid(0) * 64 + ct.arange(64, dtype=ct.int32)
    inside = lanes < x.shape[0]
    x = ct.gather(x, lanes, mask=inside, check_bounds=True)
    value = ct.astype(ct.where(inside, x, 0), ct.int32)
    places = ct.arange(BINS, dtype=ct.int32)
    counts = ct.sum(ct.astype((value[:, None] == places[None, :]) & inside[:, None], ct.int32), axis=0)
    ct.atomic_add(bins, places, counts)


def run(launch):
    x = np.random.default_rng(0).integers(0, BINS, 250).astype(np.float32)
    bins = np.zeros(BINS, np.int32)
    launch((4,), histogram, (x, bins))
    assert (bins == np.bincount(x.astype(int), minlength=BINS)).all()
