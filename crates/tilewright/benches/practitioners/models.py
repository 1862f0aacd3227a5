"""Parts of language models: rotary embedding, gated activations, attention."""

import math

import cuda.tile as ct
import torch
import torch.nn.functional as F
from declare import ConstBool, ConstInt, Number, Problem, bf16, f16, f32, floats, practice, result

LOG2_E = 1.4426950408889634


@ct.kernel
def rope_kernel(x, cosine, sine, y, H: ConstInt, D: ConstInt):
    """One position for each block; the first and the second half of each head are turned."""
    t = ct.bid(0)
    c = ct.load(cosine, index=(t, 0), shape=(1, D)).reshape((1, 1, D))
    s = ct.load(sine, index=(t, 0), shape=(1, D)).reshape((1, 1, D))
    a = ct.load(x, index=(t, 0, 0), shape=(1, H, D)).astype(ct.float32)
    b = ct.load(x, index=(t, 0, 1), shape=(1, H, D)).astype(ct.float32)
    ct.store(y, index=(t, 0, 0), tile=(a * c - b * s).astype(y.dtype))
    ct.store(y, index=(t, 0, 1), tile=(b * c + a * s).astype(y.dtype))


def rope(type):
    def make(t, heads, d):
        def run(x, c, s):
            a, b = x.to(c.dtype).chunk(2, -1)
            c, s = c[:, None], s[:, None]
            return torch.cat([a * c - b * s, b * c + a * s], -1).to(x.dtype)

        arguments = [floats(type, t, heads, d), floats(f32, t, d // 2), floats(f32, t, d // 2), result(type, t, heads, d), heads, d // 2]
        return Problem(rope_kernel, arguments, t, torch=run)

    return make


practice("rope_f16", full={"t": 1024, "heads": 16, "d": 128}, quick={"t": 8, "heads": 16, "d": 128})(rope(f16))
practice("rope_f32", full={"t": 1024, "heads": 16, "d": 64}, quick={"t": 8, "heads": 16, "d": 64})(rope(f32))


@ct.kernel
def swiglu_kernel(gate, up, y, M: ConstInt, N: ConstInt):
    i, j = ct.bid(0), ct.bid(1)
    g = ct.load(gate, index=(i, j), shape=(M, N)).astype(ct.float32)
    u = ct.load(up, index=(i, j), shape=(M, N)).astype(ct.float32)
    ct.store(y, index=(i, j), tile=(g / (1.0 + ct.exp(-g)) * u).astype(y.dtype))


def swiglu(type):
    return lambda m, n: Problem(
        swiglu_kernel, [floats(type, m, n, low=-4, high=4), floats(type, m, n), result(type, m, n), 4, 256], (m // 4, n // 256),
        torch=lambda g, u: F.silu(g) * u,
    )  # fmt: skip


practice("swiglu_bf16", full={"m": 512, "n": 4096}, quick={"m": 8, "n": 512})(swiglu(bf16))


@ct.kernel
def swiglu_backward_kernel(gate, up, dy, dgate, dup, N: ConstInt):
    """One row for each block, in the type of the arrays where that is enough."""
    row, j = ct.bid(0), ct.bid(1)
    g = ct.load(gate, index=(row, j), shape=(1, N)).astype(ct.float32)
    u = ct.load(up, index=(row, j), shape=(1, N)).astype(ct.float32)
    d = ct.load(dy, index=(row, j), shape=(1, N)).astype(ct.float32)
    s = 1.0 / (1.0 + ct.exp(-g))
    ct.store(dup, index=(row, j), tile=(d * g * s).astype(dup.dtype))
    ct.store(dgate, index=(row, j), tile=(d * u * (s + g * s * (1.0 - s))).astype(dgate.dtype))


@practice("swiglu_backward_f16", full={"m": 512, "n": 4096}, quick={"m": 8, "n": 1024})
def swiglu_backward(m, n):
    def run(g, u, d):
        gf = g.float()
        s = torch.sigmoid(gf)
        return (d * u * (s + gf * s * (1 - s))).to(g.dtype), (d * gf * s).to(g.dtype)

    x = floats(f16, m, n, low=-4, high=4)
    return Problem(swiglu_backward_kernel, [x, floats(f16, m, n), floats(f16, m, n), result(f16, m, n), result(f16, m, n), 1024], (m, n // 1024), torch=run)


@ct.kernel
def attention_kernel(q, k, v, o, scale, D: ConstInt, H: ConstInt, GROUP: ConstInt, M: ConstInt, N: ConstInt, CAUSAL: ConstBool, WINDOW: ConstInt):
    """Flash attention; GROUP heads of queries share one of keys and values; a window bounds how far back a query looks."""
    first = ct.bid(0)
    batch, head = ct.bid(1) // H, ct.bid(1) % H
    shared = head // GROUP
    rows = first * M + ct.arange(M, dtype=ct.int32)[:, None]
    columns = ct.arange(N, dtype=ct.int32)[None, :]
    largest = ct.full((M, 1), -1e30, dtype=ct.float32)
    total = ct.full((M, 1), 0.0, dtype=ct.float32)
    acc = ct.full((M, D), 0.0, dtype=ct.float32)
    queries = ct.load(q, index=(batch, head, first, 0), shape=(1, 1, M, D)).reshape((M, D))
    begin, end = 0, ct.cdiv(k.shape[2], N)
    if CAUSAL:
        end = ct.cdiv((first + 1) * M, N)
    if WINDOW > 0:
        begin = max(first * M - WINDOW + 1, 0) // N
    for j in range(begin, end):
        keys = ct.load(k, index=(batch, shared, j, 0), shape=(1, 1, N, D)).reshape((N, D))
        scores = ct.mma(queries, ct.transpose(keys), ct.full((M, N), 0.0, dtype=ct.float32)) * scale
        if CAUSAL:
            scores = ct.where(rows >= j * N + columns, scores, -1e30)
        if WINDOW > 0:
            scores = ct.where(rows - (j * N + columns) < WINDOW, scores, -1e30)
        above = ct.maximum(largest, ct.max(scores, axis=1, keepdims=True))
        p = ct.exp2(scores - above)
        correction = ct.exp2(largest - above)
        total = total * correction + ct.sum(p, axis=1, keepdims=True)
        values = ct.load(v, index=(batch, shared, j, 0), shape=(1, 1, N, D)).reshape((N, D))
        acc = ct.mma(p.astype(q.dtype), values, acc * correction)
        largest = above
    ct.store(o, index=(batch, head, first, 0), tile=(acc / total).reshape((1, 1, M, D)).astype(o.dtype))


def widened(x):
    """PyTorch's products of f16 are no match for those of f32 on most CPUs."""
    return x.float() if x.dtype == torch.float16 else x


def attention(type, causal, group=1, window=0, tile=(64, 64)):
    def make(batch, heads, t, d):
        mask = None
        if window:
            distance = torch.arange(t)[:, None] - torch.arange(t)[None, :]
            mask = (distance >= 0) & (distance < window)

        def run(q, k, v):
            wide = [widened(x) for x in (q, k, v)]
            return F.scaled_dot_product_attention(*wide, attn_mask=mask, is_causal=causal and not window, enable_gqa=group > 1).to(q.dtype)

        keys, values = floats(type, batch, heads // group, t, d), floats(type, batch, heads // group, t, d)
        arguments = [floats(type, batch, heads, t, d), keys, values, result(type, batch, heads, t, d), Number(f32, LOG2_E / math.sqrt(d))]
        pairs = t * t
        if window:
            pairs = sum(min(i + 1, window) for i in range(t))
        elif causal:
            pairs = t * (t + 1) // 2
        return Problem(
            attention_kernel, [*arguments, d, heads, group, *tile, causal, window], (t // tile[0], batch * heads),
            torch=run, flops=4 * batch * heads * pairs * d, tolerance={f32: None, f16: 1e-2, bf16: 5e-2}[type],
        )  # fmt: skip

    return make


practice("attention_causal_bf16", full={"batch": 1, "heads": 8, "t": 512, "d": 64}, quick={"batch": 1, "heads": 2, "t": 128, "d": 64})(attention(bf16, True))
practice("attention_gqa_f16", full={"batch": 1, "heads": 8, "t": 512, "d": 64}, quick={"batch": 1, "heads": 4, "t": 128, "d": 64})(attention(f16, True, group=4))
practice("attention_window_f32", full={"batch": 1, "heads": 8, "t": 1024, "d": 64}, quick={"batch": 1, "heads": 2, "t": 256, "d": 64})(
    attention(f32, True, window=128)
)
practice("attention_small_tiles_f32", full={"batch": 2, "heads": 8, "t": 256, "d": 32}, quick={"batch": 1, "heads": 2, "t": 64, "d": 32})(
    attention(f32, False, tile=(32, 32))
)


@ct.kernel
def decode_kernel(q, k, v, o, scale, D: ConstInt, N: ConstInt):
    """One query for each head against all keys so far, without a matrix product."""
    head = ct.bid(0)
    query = ct.load(q, index=(head, 0), shape=(1, D)).astype(ct.float32)
    largest = ct.full((1, 1), -1e30, dtype=ct.float32)
    total = ct.full((1, 1), 0.0, dtype=ct.float32)
    acc = ct.full((1, D), 0.0, dtype=ct.float32)
    for j in range(ct.cdiv(k.shape[1], N)):
        keys = ct.load(k, index=(head, j, 0), shape=(1, N, D)).reshape((N, D)).astype(ct.float32)
        scores = ct.sum(keys * query, axis=1, keepdims=True) * scale
        above = ct.maximum(largest, ct.max(scores, axis=0, keepdims=True))
        p = ct.exp2(scores - above)
        correction = ct.exp2(largest - above)
        total = total * correction + ct.sum(p, axis=0, keepdims=True)
        values = ct.load(v, index=(head, j, 0), shape=(1, N, D)).reshape((N, D)).astype(ct.float32)
        acc = acc * correction + ct.sum(p * values, axis=0, keepdims=True)
        largest = above
    ct.store(o, index=(head, 0), tile=(acc / total).astype(o.dtype))


@practice("attention_decode_f16", full={"heads": 16, "t": 1024, "d": 128}, quick={"heads": 2, "t": 128, "d": 128})
def decode(heads, t, d):
    def run(q, k, v):
        q, k, v = (widened(x)[None] for x in (q[:, None], k, v))
        return F.scaled_dot_product_attention(q, k, v)[0, :, 0].half()

    arguments = [floats(f16, heads, d), floats(f16, heads, t, d), floats(f16, heads, t, d), result(f16, heads, d), Number(f32, LOG2_E / math.sqrt(d)), d, 64]
    return Problem(decode_kernel, arguments, heads, torch=run, tolerance=1e-2)
