"""Rows of a table, gathered by token, and the gradient that is added back to them."""
# out-of-bounds: tile = ct.gather(table, (token, columns)) => tile = ct.gather(table, (token * 64, columns), check_bounds=False)
# data-race: ct.atomic_add(gradient, (token, columns), tile) => ct.scatter(gradient, (token, columns), tile + ct.gather(gradient, (token, columns)))
# narrow-scope: ct.atomic_add(gradient, (token, columns), tile) => ct.atomic_add(gradient, (token, columns), tile, memory_scope=ct.MemoryScope.BLOCK)
# clean: ct.atomic_add(gradient, (token, columns), tile) => ct.atomic_add(gradient, (token, columns), tile, memory_order=ct.MemoryOrder.RELAXED)

import cuda.tile as ct
import numpy as np


@ct.kernel
def forward(tokens, table, y):
    columns = ct.arange(32, dtype=ct.int32)
    token = ct.gather(tokens, ct.bid(0))
    tile = ct.gather(table, (token, columns))
    ct.scatter(y, (ct.bid(0), columns), tile)


@ct.kernel
def backward(tokens, dy, gradient):
    columns = ct.arange(32, dtype=ct.int32)
    token = ct.gather(tokens, ct.bid(0))
    tile = ct.gather(dy, (ct.bid(0), columns))
    ct.atomic_add(gradient, (token, columns), tile)


def run(launch):
    rng = np.random.default_rng(0)
    tokens = np.array([3, 1, 3, 0, 3, 7], np.int32)
    table, y = rng.standard_normal((8, 30)).astype(np.float32), np.zeros((6, 30), np.float32)
    launch((6,), forward, (tokens, table, y))
    assert (y == table[tokens]).all()
    gradient = np.zeros_like(table)
    launch((6,), backward, (tokens, y, gradient))
    assert np.allclose(gradient[3], 3 * table[3], atol=1e-5)
