"""Runs the problems of `tilewright bench` in NumPy and, where installed, PyTorch on the CPU, and prints the ratios.

    tilewright bench --json --threads 2 > bench.json
    python compare.py bench.json

Each problem runs with as many threads as the results in the file name, in a process of its own, because libraries fix their number of
threads when they start. Times are the best of several. A ratio above 1 says that Tilewright is faster.
"""

import argparse
import json
import os
import subprocess
import sys
import time

PATIENCE = 0.6
ROUNDS = 5
TOO_LONG = 60


def best(run):
    """The least wall-clock time and processor time of several runs."""
    run()
    least, least_busy, begin, rounds = float("inf"), float("inf"), time.perf_counter(), 0
    while rounds < ROUNDS or time.perf_counter() - begin < PATIENCE:
        started, busy = time.perf_counter(), time.process_time()
        run()
        least = min(least, time.perf_counter() - started)
        least_busy = min(least_busy, time.process_time() - busy)
        rounds += 1
    return {"seconds": least, "cpu_seconds": least_busy}


def numpy_problems():
    import numpy as np

    rng = np.random.default_rng(1)

    def floats(*shape, dtype=np.float32):
        return rng.uniform(-1, 1, shape).astype(dtype)

    def into(make, *inputs):
        """A function that writes into one output, made once."""
        out = np.empty_like(make(*inputs))
        return lambda: make(*inputs, out=out)

    def vector_add():
        return into(np.add, floats(1 << 26), floats(1 << 26))

    def gelu_of(x):
        return 0.5 * x * (1 + np.tanh(np.float32(0.7978845608) * (x + np.float32(0.044715) * x * x * x)))

    def gelu():
        x = floats(1 << 24)
        return lambda: gelu_of(x)

    def gelu_f16():
        x = floats(1 << 24, dtype=np.float16)
        return lambda: gelu_of(x.astype(np.float32)).astype(np.float16)

    def softmax():
        x = floats(4096, 4096)

        def run():
            e = np.exp(x - x.max(axis=1, keepdims=True))
            e /= e.sum(axis=1, keepdims=True)

        return run

    def layernorm():
        x, w, b = floats(4096, 4096), floats(4096), floats(4096)

        def run():
            centred = x - x.mean(axis=1, keepdims=True)
            return centred / np.sqrt((centred * centred).mean(axis=1, keepdims=True) + np.float32(1e-5)) * w + b

        return run

    def rmsnorm_of(x, w):
        return x / np.sqrt((x * x).mean(axis=1, keepdims=True) + np.float32(1e-5)) * w

    def rmsnorm():
        x, w = floats(4096, 4096), floats(4096)
        return lambda: rmsnorm_of(x, w)

    def rmsnorm_f16():
        x, w = floats(4096, 4096, dtype=np.float16), floats(4096, dtype=np.float16)
        return lambda: rmsnorm_of(x.astype(np.float32), w.astype(np.float32)).astype(np.float16)

    def transpose():
        x = floats(4096, 4096)
        out = np.empty_like(x)
        return lambda: np.copyto(out, x.T)

    def row_sums():
        x = floats(4096, 4096)
        return lambda: x.sum(axis=1)

    def column_sums():
        x = floats(4096, 4096)
        return lambda: x.sum(axis=0)

    def row_scan():
        x = floats(4096, 4096)
        out = np.empty_like(x)
        return lambda: np.cumsum(x, axis=1, out=out)

    def histogram():
        x = rng.integers(0, 256, 1 << 24, dtype=np.int32)
        return lambda: np.bincount(x, minlength=256)

    def gather():
        x, index = floats(1 << 24), rng.integers(0, 1 << 24, 1 << 24, dtype=np.int32)
        out = np.empty_like(x)
        return lambda: np.take(x, index, out=out, mode="clip")

    def matmul(dtype):
        return lambda: into(np.matmul, floats(2048, 2048, dtype=dtype), floats(2048, 2048, dtype=dtype))

    def batched_matmul():
        return into(np.matmul, floats(16, 512, 512), floats(16, 512, 512))

    def attention():
        q, k, v = (floats(4, 8, 1024, 64) for _ in range(3))

        def run():
            scores = q @ k.swapaxes(-1, -2) * np.float32(0.125)
            p = np.exp(scores - scores.max(axis=-1, keepdims=True))
            return (p / p.sum(axis=-1, keepdims=True)) @ v

        return run

    # NumPy multiplies matrices of halves and of bytes element by element, which says nothing, and has no bf16.
    return {
        "vector_add": vector_add, "gelu": gelu, "softmax": softmax, "layernorm": layernorm, "rmsnorm": rmsnorm, "transpose": transpose,
        "row_sums": row_sums, "column_sums": column_sums, "row_scan": row_scan, "histogram": histogram, "gather": gather,
        "matmul_f32": matmul(np.float32), "matmul_f64": matmul(np.float64), "batched_matmul_f32": batched_matmul,
        "attention_f32": attention, "gelu_f16": gelu_f16, "rmsnorm_f16": rmsnorm_f16,
    }


def torch_problems():
    import torch
    import torch.nn.functional as F

    torch.set_num_threads(int(os.environ["OMP_NUM_THREADS"]))
    torch.manual_seed(1)

    def floats(*shape, dtype=torch.float32):
        return (torch.rand(*shape) * 2 - 1).to(dtype)

    def over(make, *shapes, dtype=torch.float32):
        def prepare():
            inputs = [floats(*shape, dtype=dtype) for shape in shapes]
            return lambda: make(*inputs)

        return prepare

    def add():
        x, y, z = floats(1 << 26), floats(1 << 26), torch.empty(1 << 26)
        return lambda: torch.add(x, y, out=z)

    def indexed(make):
        def prepare():
            x, index = floats(1 << 24), torch.randint(0, 1 << 24, (1 << 24,), dtype=torch.int32)
            return lambda: make(x, index)

        return prepare

    def histogram():
        x = torch.randint(0, 256, (1 << 24,), dtype=torch.int32)
        return lambda: torch.bincount(x, minlength=256)

    def attention(dtype, causal):
        return over(lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=causal), *[(4, 8, 1024, 64)] * 3, dtype=dtype)

    rows, square = (4096, 4096), (2048, 2048)
    problems = {
        "vector_add": add,
        "gelu": over(lambda x: F.gelu(x, approximate="tanh"), (1 << 24,)),
        "gelu_f16": over(lambda x: F.gelu(x, approximate="tanh"), (1 << 24,), dtype=torch.float16),
        "softmax": over(lambda x: F.softmax(x, dim=1), rows),
        "softmax_bf16": over(lambda x: F.softmax(x, dim=1), rows, dtype=torch.bfloat16),
        "layernorm": over(lambda x, w, b: F.layer_norm(x, (4096,), w, b), rows, (4096,), (4096,)),
        "rmsnorm": over(lambda x, w: F.rms_norm(x, (4096,), w), rows, (4096,)),
        "rmsnorm_f16": over(lambda x, w: F.rms_norm(x, (4096,), w), rows, (4096,), dtype=torch.float16),
        "transpose": over(lambda x: x.t().contiguous(), rows),
        "row_sums": over(lambda x: x.sum(dim=1), rows),
        "column_sums": over(lambda x: x.sum(dim=0), rows),
        "row_scan": over(lambda x: x.cumsum(dim=1), rows),
        "histogram": histogram,
        "gather": indexed(lambda x, index: x.index_select(0, index)),
        "batched_matmul_f32": over(torch.matmul, (16, 512, 512), (16, 512, 512)),
        "attention_f32": attention(torch.float32, False),
        "attention_f32_causal": attention(torch.float32, True),
        "attention_f16": attention(torch.float16, False),
        "attention_f16_causal": attention(torch.float16, True),
    }
    for name, dtype in ("f32", torch.float32), ("f16", torch.float16), ("bf16", torch.bfloat16), ("f64", torch.float64):
        problems[f"matmul_{name}"] = over(torch.matmul, square, square, dtype=dtype)
    return problems


LIBRARIES = {"numpy": numpy_problems, "torch": torch_problems}


def measure(library, name, threads):
    """The times of a problem in a process of its own; None if the library is missing, has no such problem, or takes minutes."""
    environment = dict(os.environ)
    for variable in "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS":
        environment[variable] = str(threads)
    # Libraries find out themselves what the CPU can do: a setting that says otherwise would be no match for them.
    for variable in "OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE":
        environment.pop(variable, None)
    command = [sys.executable, __file__, "--one", library, name]
    try:
        result = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=TOO_LONG)
    except subprocess.TimeoutExpired:
        return None
    return json.loads(result.stdout) if result.returncode == 0 and result.stdout else None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("report", nargs="?", help="what `tilewright bench --json` printed")
    parser.add_argument("--filter", default="", help="only problems whose name contains this")
    parser.add_argument("--one", nargs=2, metavar=("LIBRARY", "NAME"), help="run one problem and print its time")
    args = parser.parse_args()
    if args.one:
        prepare = LIBRARIES[args.one[0]]().get(args.one[1])
        if prepare:
            print(json.dumps(best(prepare())))
        return
    if not args.report:
        parser.error("the report is missing")
    with open(args.report) as file:
        report = json.load(file)
    print(f"{'kernel':<22}{'threads':>7} {'tilewright':>12} {'NumPy':>10} {'ratio':>6} {'busy':>6} {'PyTorch':>10} {'ratio':>6} {'busy':>6}")
    for row in report["results"]:
        if args.filter not in row["name"]:
            continue
        line = f"{row['name']:<22}{row['threads']:>7} {row['seconds'] * 1e3:>9.2f} ms"
        for library in LIBRARIES:
            theirs = measure(library, row["name"], row["threads"])
            if theirs is None:
                line += f" {'-':>10} {'':>6} {'':>6}"
                continue
            busy = theirs["cpu_seconds"] / row["cpu_seconds"] if row.get("cpu_seconds") else float("nan")
            line += f" {theirs['seconds'] * 1e3:>7.2f} ms {theirs['seconds'] / row['seconds']:>6.2f} {busy:>6.2f}"
        print(line, flush=True)


if __name__ == "__main__":
    main()
