"""The kernels that `tilewright bench` measures, in cuTile Python.

`pip install cuda-tile==1.7.0`, then `python kernels.py` compiles them to the bytecode files beside this one. No GPU is needed.
They are written as one would write them for a GPU, with tile sizes that are usual there.
"""

import math
from pathlib import Path

import cuda.tile as ct
from cuda.tile.compilation import ArrayConstraint, CallingConvention, ConstantConstraint, KernelSignature, ScalarConstraint, export_kernel

HERE = Path(__file__).parent
ConstInt = ct.Constant[int]
ConstBool = ct.Constant[bool]


@ct.kernel
def vector_add(x, y, z, TILE: ConstInt):
    i = ct.bid(0)
    xs = ct.load(x, index=(i,), shape=(TILE,))
    ys = ct.load(y, index=(i,), shape=(TILE,))
    ct.store(z, index=(i,), tile=xs + ys)


@ct.kernel
def gelu(x, y, TILE: ConstInt):
    i = ct.bid(0)
    xs = ct.load(x, index=(i,), shape=(TILE,)).astype(ct.float32)
    inner = 0.7978845608 * (xs + 0.044715 * xs * xs * xs)
    ct.store(y, index=(i,), tile=(0.5 * xs * (1.0 + ct.tanh(inner))).astype(y.dtype))


@ct.kernel
def softmax(x, y, N: ConstInt):
    row = ct.bid(0)
    xs = ct.load(x, index=(row, 0), shape=(1, N)).astype(ct.float32)
    e = ct.exp(xs - ct.max(xs, axis=1, keepdims=True))
    ct.store(y, index=(row, 0), tile=(e / ct.sum(e, axis=1, keepdims=True)).astype(y.dtype))


@ct.kernel
def layernorm(x, weight, bias, y, N: ConstInt, eps):
    row = ct.bid(0)
    xs = ct.load(x, index=(row, 0), shape=(1, N))
    mean = ct.sum(xs, axis=1, keepdims=True) / N
    centred = xs - mean
    variance = ct.sum(centred * centred, axis=1, keepdims=True) / N
    normal = centred * ct.rsqrt(variance + eps)
    w = ct.load(weight, index=(0, 0), shape=(1, N))
    b = ct.load(bias, index=(0, 0), shape=(1, N))
    ct.store(y, index=(row, 0), tile=normal * w + b)


@ct.kernel
def rmsnorm(x, weight, y, N: ConstInt, eps):
    row = ct.bid(0)
    xs = ct.load(x, index=(row, 0), shape=(1, N)).astype(ct.float32)
    mean_square = ct.sum(xs * xs, axis=1, keepdims=True) / N
    w = ct.load(weight, index=(0, 0), shape=(1, N)).astype(ct.float32)
    ct.store(y, index=(row, 0), tile=(xs * ct.rsqrt(mean_square + eps) * w).astype(y.dtype))


@ct.kernel
def transpose(x, y, M: ConstInt, N: ConstInt):
    i, j = ct.bid(0), ct.bid(1)
    tile = ct.load(x, index=(i, j), shape=(M, N))
    ct.store(y, index=(j, i), tile=ct.transpose(tile))


@ct.kernel
def row_sums(x, y, N: ConstInt):
    row = ct.bid(0)
    xs = ct.load(x, index=(row, 0), shape=(1, N))
    ct.store(y, index=(row,), tile=ct.sum(xs, axis=1))


@ct.kernel
def column_sums(x, y, M: ConstInt, N: ConstInt):
    column = ct.bid(0)
    total = ct.full((N,), 0.0, dtype=ct.float32)
    for i in range(ct.cdiv(x.shape[0], M)):
        total = total + ct.sum(ct.load(x, index=(i, column), shape=(M, N)), axis=0)
    ct.store(y, index=(column,), tile=total)


@ct.kernel
def row_scan(x, y, N: ConstInt):
    row = ct.bid(0)
    xs = ct.load(x, index=(row, 0), shape=(1, N))
    ct.store(y, index=(row, 0), tile=ct.cumsum(xs, axis=1))


@ct.kernel
def histogram(x, bins, TILE: ConstInt):
    i = ct.bid(0) * TILE + ct.arange(TILE, dtype=ct.int32)
    values = ct.gather(x, i)
    ct.atomic_add(bins, values, 1)


@ct.kernel
def gather(x, index, y, TILE: ConstInt):
    i = ct.bid(0)
    places = ct.load(index, index=(i,), shape=(TILE,))
    ct.store(y, index=(i,), tile=ct.gather(x, places))


@ct.kernel
def matmul(a, b, c, M: ConstInt, N: ConstInt, K: ConstInt):
    i, j = ct.bid(0), ct.bid(1)
    acc = ct.full((M, N), 0, dtype=ct.float32)
    for k in range(ct.cdiv(a.shape[1], K)):
        ta = ct.load(a, index=(i, k), shape=(M, K), padding_mode=ct.PaddingMode.ZERO)
        tb = ct.load(b, index=(k, j), shape=(K, N), padding_mode=ct.PaddingMode.ZERO)
        acc = ct.mma(ta, tb, acc)
    ct.store(c, index=(i, j), tile=acc.astype(c.dtype))


@ct.kernel
def matmul_f64(a, b, c, M: ConstInt, N: ConstInt, K: ConstInt):
    i, j = ct.bid(0), ct.bid(1)
    acc = ct.full((M, N), 0, dtype=ct.float64)
    for k in range(ct.cdiv(a.shape[1], K)):
        ta = ct.load(a, index=(i, k), shape=(M, K), padding_mode=ct.PaddingMode.ZERO)
        tb = ct.load(b, index=(k, j), shape=(K, N), padding_mode=ct.PaddingMode.ZERO)
        acc = ct.mma(ta, tb, acc)
    ct.store(c, index=(i, j), tile=acc)


@ct.kernel
def matmul_i8(a, b, c, M: ConstInt, N: ConstInt, K: ConstInt):
    i, j = ct.bid(0), ct.bid(1)
    acc = ct.full((M, N), 0, dtype=ct.int32)
    for k in range(ct.cdiv(a.shape[1], K)):
        ta = ct.load(a, index=(i, k), shape=(M, K), padding_mode=ct.PaddingMode.ZERO)
        tb = ct.load(b, index=(k, j), shape=(K, N), padding_mode=ct.PaddingMode.ZERO)
        acc = ct.mma(ta, tb, acc)
    ct.store(c, index=(i, j), tile=acc)


@ct.kernel
def batched_matmul(a, b, c, M: ConstInt, N: ConstInt, K: ConstInt):
    batch, i, j = ct.bid(2), ct.bid(0), ct.bid(1)
    acc = ct.full((1, M, N), 0, dtype=ct.float32)
    for k in range(ct.cdiv(a.shape[2], K)):
        ta = ct.load(a, index=(batch, i, k), shape=(1, M, K), padding_mode=ct.PaddingMode.ZERO)
        tb = ct.load(b, index=(batch, k, j), shape=(1, K, N), padding_mode=ct.PaddingMode.ZERO)
        acc = ct.mma(ta, tb, acc)
    ct.store(c, index=(batch, i, j), tile=acc)


@ct.kernel
def attention(q, k, v, o, scale, D: ConstInt, H: ConstInt, M: ConstInt, N: ConstInt, CAUSAL: ConstBool):
    """Flash attention: one tile of queries of one head for each block, with an online softmax."""
    first = ct.bid(0)
    batch, head = ct.bid(1) // H, ct.bid(1) % H
    rows = first * M + ct.arange(M, dtype=ct.int32)[:, None]
    columns = ct.arange(N, dtype=ct.int32)[None, :]
    largest = ct.full((M, 1), -math.inf, dtype=ct.float32)
    total = ct.full((M, 1), 0.0, dtype=ct.float32)
    acc = ct.full((M, D), 0.0, dtype=ct.float32)
    queries = ct.load(q, index=(batch, head, first, 0), shape=(1, 1, M, D)).reshape((M, D))
    length = k.shape[2]
    if CAUSAL:
        count = ct.cdiv((first + 1) * M, N)
        unmasked = first * M // N
    else:
        count = ct.cdiv(length, N)
        unmasked = count
    for j in range(0, count):
        keys = ct.load(k, index=(batch, head, 0, j), shape=(1, 1, D, N), order=(0, 1, 3, 2)).reshape((D, N))
        scores = ct.mma(queries, keys, ct.full((M, N), 0.0, dtype=ct.float32))
        if CAUSAL:
            if j >= unmasked:
                scores = ct.where(rows >= j * N + columns, scores, -math.inf)
        above = max(largest, ct.max(scores, axis=-1, keepdims=True) * scale)
        p = ct.exp2(scores * scale - above)
        correction = ct.exp2(largest - above)
        total = total * correction + ct.sum(p, axis=-1, keepdims=True)
        acc = acc * correction
        values = ct.load(v, index=(batch, head, j, 0), shape=(1, 1, N, D)).reshape((N, D))
        acc = ct.mma(p.astype(q.dtype), values, acc)
        largest = above
    result = (acc / total).reshape((1, 1, M, D)).astype(o.dtype)
    ct.store(o, index=(batch, head, first, 0), tile=result)


def array(dtype, ndim):
    """A C-contiguous array of any shape."""
    return ArrayConstraint(
        dtype, ndim, index_dtype=ct.int32, stride_lower_bound_incl=0, alias_groups=[], may_alias_internally=False,
        stride_constant=[None] * (ndim - 1) + [1],
    )


def export(kernel, name, *params):
    params = [ConstantConstraint(p) if isinstance(p, (int, bool)) else p for p in params]
    signature = KernelSignature(params, CallingConvention.cutile_python_v1(), kernel._pyfunc.__name__)
    export_kernel(kernel, [signature], str(HERE / f"{name}.tilebc"), output_format="tileir_bytecode", bytecode_version="13.3")


if __name__ == "__main__":
    f16, bf16, f32, f64, i8, i32 = ct.float16, ct.bfloat16, ct.float32, ct.float64, ct.int8, ct.int32
    vector, matrix, scalar = array(f32, 1), array(f32, 2), ScalarConstraint(f32)
    export(vector_add, "vector_add", vector, vector, vector, 4096)
    export(gelu, "gelu", vector, vector, 4096)
    export(gelu, "gelu_f16", array(f16, 1), array(f16, 1), 4096)
    export(softmax, "softmax", matrix, matrix, 4096)
    export(softmax, "softmax_bf16", array(bf16, 2), array(bf16, 2), 4096)
    export(layernorm, "layernorm", matrix, matrix, matrix, matrix, 4096, scalar)
    export(rmsnorm, "rmsnorm", matrix, matrix, matrix, 4096, scalar)
    export(rmsnorm, "rmsnorm_f16", *[array(f16, 2)] * 3, 4096, scalar)
    export(transpose, "transpose", matrix, matrix, 64, 64)
    export(row_sums, "row_sums", matrix, vector, 4096)
    export(column_sums, "column_sums", matrix, vector, 64, 64)
    export(row_scan, "row_scan", matrix, matrix, 4096)
    export(histogram, "histogram", array(i32, 1), array(i32, 1), 1024)
    export(gather, "gather", vector, array(i32, 1), vector, 1024)
    export(matmul, "matmul_f32", matrix, matrix, matrix, 128, 128, 32)
    export(matmul, "matmul_f16", array(f16, 2), array(f16, 2), array(f16, 2), 128, 128, 64)
    export(matmul, "matmul_bf16", array(bf16, 2), array(bf16, 2), array(bf16, 2), 128, 128, 64)
    export(matmul_f64, "matmul_f64", array(f64, 2), array(f64, 2), array(f64, 2), 64, 64, 32)
    export(matmul_i8, "matmul_i8", array(i8, 2), array(i8, 2), array(i32, 2), 128, 128, 64)
    export(batched_matmul, "batched_matmul", array(f32, 3), array(f32, 3), array(f32, 3), 128, 128, 32)
    for dtype, name in (f32, "f32"), (f16, "f16"):
        for causal in False, True:
            tensors = [array(dtype, 4)] * 4
            export(attention, f"attention_{name}{'_causal' if causal else ''}", *tensors, scalar, 64, 8, 128, 64, causal)
