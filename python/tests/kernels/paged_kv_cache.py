"""Decoding with a paged cache: pages of keys and values are found by a table, and the new token is written to its page first."""
# out-of-bounds: page = ct.gather(pages, (sequence, p)) => page = ct.gather(pages, (sequence, p)) + 2
# data-race: slot = ct.gather(slots, sequence) => slot = ct.gather(slots, 0)
# data-race: page = ct.gather(own, (sequence, p)) => page = ct.gather(own, (0, p))

import cuda.tile as ct
import numpy as np

PAGE, D = 8, 16


@ct.kernel
def append(new, cache, slots):
    sequence = ct.bid(0)
    slot = ct.gather(slots, sequence)
    columns = ct.arange(D, dtype=ct.int32)
    ct.scatter(cache, (slot // PAGE, slot % PAGE, columns), ct.gather(new, (sequence, columns)))


@ct.kernel
def attend(q, keys, values, pages, lengths, y):
    sequence = ct.bid(0)
    columns = ct.arange(D, dtype=ct.int32)
    query = ct.gather(q, (sequence, columns))
    length = ct.gather(lengths, sequence)
    most, sums, total = -np.inf, 0.0, ct.zeros((D,), ct.float32)
    for p in range(ct.cdiv(length, PAGE)):
        page = ct.gather(pages, (sequence, p))
        place = ct.arange(PAGE, dtype=ct.int32)[:, None]
        key = ct.gather(keys, (page, place, columns[None, :]), check_bounds=False)
        scores = ct.sum(key * query[None, :], axis=1)
        inside = p * PAGE + ct.arange(PAGE, dtype=ct.int32) < length
        scores = ct.where(inside, scores, -np.inf)
        new = ct.maximum(most, ct.max(scores))
        weights = ct.exp(scores - new)
        value = ct.gather(values, (page, place, columns[None, :]), mask=inside[:, None], check_bounds=False)
        total = total * ct.exp(most - new) + ct.sum(weights[:, None] * value, axis=0)
        sums = sums * ct.exp(most - new) + ct.sum(weights)
        most = new
    ct.scatter(y, (sequence, columns), total / sums)


@ct.kernel
def zero_pages(cache, own):
    sequence = ct.bid(0)
    for p in range(own.shape[1]):
        page = ct.gather(own, (sequence, p))
        ct.store(cache, (page, 0, 0), ct.zeros((1, PAGE, D), ct.float32))


def run(launch):
    rng = np.random.default_rng(0)
    pages = np.array([[4, 0, 2], [1, 3, 5]], np.int32)
    lengths = np.array([19, 11], np.int32)
    keys, values = (np.zeros((6, PAGE, D), np.float32) for _ in range(2))
    launch((2,), zero_pages, (keys, pages))
    slots = np.array([pages[s][(n - 1) // PAGE] * PAGE + (n - 1) % PAGE for s, n in enumerate(lengths)], np.int32)
    for s, n in enumerate(lengths):
        for t in range(n - 1):
            keys[pages[s][t // PAGE], t % PAGE] = rng.standard_normal(D)
            values[pages[s][t // PAGE], t % PAGE] = rng.standard_normal(D)
    # What lies behind the end of a sequence was never written.
    launch((2,), append, (rng.standard_normal((2, D)).astype(np.float32), keys, slots))
    launch((2,), append, (rng.standard_normal((2, D)).astype(np.float32), values, slots))
    y = np.zeros((2, D), np.float32)
    launch((2,), attend, (rng.standard_normal((2, D)).astype(np.float32), keys, values, pages, lengths, y))
    assert np.isfinite(y).all()
