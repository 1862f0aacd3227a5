"""Rotary embedding in place: halves of each head are rotated against each other."""
# data-race: ct.store(x, (token, head, 1), => ct.store(x, (token, 0, 1),
# undefined-stored view-index: (token, head, 1), (1, 1, HALF)) => (token, head, 2), (1, 1, HALF))
# clean: angle = token * 0.1 => angle = token * 0.2

import cuda.tile as ct
import numpy as np

HALF = 8


@ct.kernel
def rope(x):
    token, head = ct.bid(0), ct.bid(1)
    low = ct.load(x, (token, head, 0), (1, 1, HALF))
    high = ct.load(x, (token, head, 1), (1, 1, HALF))
    angle = token * 0.1
    c, s = ct.cos(angle), ct.sin(angle)
    ct.store(x, (token, head, 0), low * c - high * s)
    ct.store(x, (token, head, 1), high * c + low * s)


def run(launch):
    x = np.random.default_rng(0).standard_normal((5, 3, 16)).astype(np.float32)
    norm = np.linalg.norm(x)
    launch((5, 3), rope, (x,))
    assert np.isclose(np.linalg.norm(x), norm, rtol=1e-4)
