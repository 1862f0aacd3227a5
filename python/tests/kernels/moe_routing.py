"""Mixture of experts: tokens are counted per expert, sorted by it, and computed in tiles of one expert."""
# data-race: place = ct.atomic_add(offsets, expert, 1) => place = ct.gather(offsets, expert)
# data-race same-element: ct.atomic_add(counts, experts, 1) => ct.scatter(counts, experts, 1)
# narrow-scope: place = ct.atomic_add(offsets, expert, 1) => place = ct.atomic_add(offsets, expert, 1, memory_scope=ct.MemoryScope.BLOCK)
# out-of-bounds: token = ct.gather(order, places, padding_value=0) => token = ct.gather(order, places, padding_value=0) + 24

import cuda.tile as ct
import numpy as np

TOKENS, EXPERTS, D, TILE = 24, 4, 16, 8


@ct.kernel
def count(routes, counts):
    experts = ct.load(routes, (ct.bid(0),), (TILE,))
    ct.atomic_add(counts, experts, 1)


@ct.kernel
def place_tokens(routes, offsets, order):
    token = ct.bid(0)
    expert = ct.gather(routes, token)
    place = ct.atomic_add(offsets, expert, 1)
    ct.scatter(order, place, token)


@ct.kernel
def experts_kernel(x, weights, order, starts, y):
    expert, i = ct.bid(0), ct.bid(1)
    first, end = ct.gather(starts, expert), ct.gather(starts, expert + 1)
    if first + i * TILE < end:
        places = first + i * TILE + ct.arange(TILE, dtype=ct.int32)
        inside = places < end
        token = ct.gather(order, places, padding_value=0)
        columns = ct.arange(D, dtype=ct.int32)
        rows = ct.gather(x, (token[:, None], columns[None, :]), check_bounds=False)
        w = ct.reshape(ct.load(weights, (expert, 0, 0), (1, D, D)), (D, D))
        ct.scatter(y, (token[:, None], columns[None, :]), rows @ w, mask=inside[:, None])


def run(launch):
    rng = np.random.default_rng(0)
    routes = rng.integers(0, EXPERTS, TOKENS).astype(np.int32)
    x, weights = rng.standard_normal((TOKENS, D)).astype(np.float32), rng.standard_normal((EXPERTS, D, D)).astype(np.float32)
    counts, order, y = np.zeros(EXPERTS, np.int32), np.zeros(TOKENS, np.int32), np.zeros((TOKENS, D), np.float32)
    launch((TOKENS // TILE,), count, (routes, counts))
    starts = np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)
    launch((TOKENS,), place_tokens, (routes, starts[:-1].copy(), order))
    launch((EXPERTS, 3), experts_kernel, (x, weights, order, starts, y))
    assert np.allclose(y, np.stack([x[t] @ weights[routes[t]] for t in range(TOKENS)]), atol=1e-3)
