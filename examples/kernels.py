"""The example kernels, in cuTile Python.

`pip install cuda-tile==1.7.0`, then `python kernels.py` compiles them to the bytecode files beside this one. No GPU is needed.
"""

from pathlib import Path

import cuda.tile as ct
from cuda.tile.compilation import ArrayConstraint, CallingConvention, ConstantConstraint, KernelSignature, ScalarConstraint, export_kernel

HERE = Path(__file__).parent


@ct.kernel
def saxpy(a, x, y, TILE: ct.Constant[int]):
    """y = a * x + y"""
    i = ct.bid(0)
    xs = ct.load(x, index=(i,), shape=(TILE,))
    ys = ct.load(y, index=(i,), shape=(TILE,))
    ct.store(y, index=(i,), tile=a * xs + ys)


@ct.kernel
def softmax(x, y, N: ct.Constant[int]):
    """Each row of y is the softmax of that row of x."""
    row = ct.bid(0)
    xs = ct.load(x, index=(row, 0), shape=(1, N), padding_mode=ct.PaddingMode.NEG_INF)
    e = ct.exp(xs - ct.max(xs, axis=1, keepdims=True))
    ct.store(y, index=(row, 0), tile=e / ct.sum(e, axis=1, keepdims=True))


@ct.kernel
def matmul(a, b, c, M: ct.Constant[int], N: ct.Constant[int], K: ct.Constant[int]):
    """c = a @ b, one tile of c for each block."""
    i, j = ct.bid(0), ct.bid(1)
    acc = ct.full((M, N), 0.0, dtype=ct.float32)
    for k in range(ct.cdiv(a.shape[1], K)):
        ta = ct.load(a, index=(i, k), shape=(M, K), padding_mode=ct.PaddingMode.ZERO)
        tb = ct.load(b, index=(k, j), shape=(K, N), padding_mode=ct.PaddingMode.ZERO)
        acc = ct.mma(ta, tb, acc)
    ct.store(c, index=(i, j), tile=acc)


@ct.kernel
def histogram(x, bins, TILE: ct.Constant[int]):
    """Counts how often each number occurs, with one atomic addition for each element."""
    i = ct.bid(0) * TILE + ct.arange(TILE, dtype=ct.int32)
    values = ct.gather(x, i, padding_value=-1)
    # What is not an index of `bins` is not counted.
    ct.atomic_add(bins, values, 1)


@ct.kernel
def relay(flags, order):
    """Each block waits until the block after it has passed on the baton, then prints its number."""
    i = ct.bid(0)
    if i + 1 < ct.num_blocks(0):
        while ct.atomic_cas(flags, i + 1, 1, 1) == 0:
            pass
    place = ct.atomic_add(order, 0, 1)
    ct.printf("block %d is number %d\n", i, place)
    ct.atomic_xchg(flags, i, 1)


def array(dtype, ndim):
    """A C-contiguous array of any shape."""
    return ArrayConstraint(
        dtype, ndim, index_dtype=ct.int32, stride_lower_bound_incl=0, alias_groups=[], may_alias_internally=False,
        stride_constant=[None] * (ndim - 1) + [1],
    )


def export(kernel, *params):
    signature = KernelSignature(params, CallingConvention.cutile_python_v1(), kernel._pyfunc.__name__)
    name = kernel._pyfunc.__name__
    export_kernel(kernel, [signature], str(HERE / f"{name}.tilebc"), output_format="tileir_bytecode", bytecode_version="13.3")


if __name__ == "__main__":
    f32, i32 = ct.float32, ct.int32
    export(saxpy, ScalarConstraint(f32), array(f32, 1), array(f32, 1), ConstantConstraint(256))
    export(softmax, array(f32, 2), array(f32, 2), ConstantConstraint(64))
    export(matmul, array(f32, 2), array(f32, 2), array(f32, 2), *map(ConstantConstraint, (32, 32, 32)))
    export(histogram, array(i32, 1), array(i32, 1), ConstantConstraint(128))
    export(relay, array(i32, 1), array(i32, 1))
