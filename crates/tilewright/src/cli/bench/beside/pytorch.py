"""Measures problems of `tilewright bench` in PyTorch.

Reads JSON: the device, whether to measure as little as there is, and problems: the arrays of their arguments, and an expression of those that
are not zeros, `a`, `b` and `c`. Writes a line of JSON for each: the least seconds of a call, or an error.
"""

import json
import math
import sys
import time

import torch
import torch.nn.functional as F

TYPES = {
    "f16": torch.float16, "bf16": torch.bfloat16, "f32": torch.float32, "f64": torch.float64,
    "i8": torch.int8, "i16": torch.int16, "i32": torch.int32, "i64": torch.int64,
}  # fmt: skip
# Calls between two events, and how long they go on.
CALLS, PATIENCE = 10, 0.6


def signed(number):
    return number - (1 << 64) if number >> 63 else number


def shifted(x, by):
    """A shift of 64 bits without a sign."""
    return (x >> by) & ((1 << (64 - by)) - 1)


def random(seed, count, device):
    """The same numbers as `random` in src/cli/bench/arrays.rs."""
    x = torch.arange(1, count + 1, dtype=torch.int64, device=device) + (seed << 40)
    x *= signed(0x9E3779B97F4A7C15)
    x = (x ^ shifted(x, 30)) * signed(0xBF58476D1CE4E5B9)
    x = (x ^ shifted(x, 27)) * signed(0x94D049BB133111EB)
    return x ^ shifted(x, 31)


def tensor(argument, seed, device):
    fill, kind, shape = argument["fill"], TYPES[argument["type"]], argument["shape"]
    count = 1 + sum((n - 1) * stride for n, stride in zip(shape, argument["strides"]))
    x = random(seed, count, device)
    if "below" in fill:
        end = fill["below"]
        flat = ((shifted(x, 1) % end * 2 + (x & 1)) % end).to(kind)
    else:
        low, high = fill["uniform"]
        values = low + (high - low) * (shifted(x, 40).double() / 2**24)
        flat = (values if kind == torch.float64 else values.float()).to(kind)
    return torch.as_strided(flat, shape, argument["strides"])


def check(result, expected):
    flat = result.reshape(-1)
    for place, value in expected["elements"]:
        # Infinities and NaN are words.
        found, value = float(flat[place]), float(value)
        if math.isfinite(value):
            right = abs(found - value) <= expected["absolute"] + expected["relative"] * abs(value)
        else:
            right = found == value or math.isnan(found) and math.isnan(value)
        if not right:
            raise ValueError(f"element {place} is {found:e}, expected {value:e}")


def least_seconds(call, device, quick):
    if device.type != "cuda":
        begin = time.perf_counter()
        call()
        return time.perf_counter() - begin
    best, started = float("inf"), time.perf_counter()
    while best == float("inf") or not quick and time.perf_counter() - started < PATIENCE:
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        for _ in range(CALLS):
            call()
        end.record()
        end.synchronize()
        best = min(best, begin.elapsed_time(end) / 1e3 / CALLS)
    return best


def measure(problem, device, quick):
    arguments = [(seed, a) for seed, a in enumerate(problem["arguments"]) if a and a["fill"] != "zeros"]
    inputs = dict(zip("abc", [tensor(a, seed, device) for seed, a in arguments]))
    code = compile(problem["torch"], problem["name"], "eval")

    def call():
        return eval(code, {"torch": torch, "F": F}, inputs)

    check(call(), problem["expected"][0])
    return least_seconds(call, device, quick)


def main():
    asked = json.load(sys.stdin)
    device = torch.device(asked["device"])
    if device.type == "cuda" and not torch.cuda.is_available():
        sys.exit(f"PyTorch {torch.__version__} finds no GPU")
    # What the products of f32 are compared with.
    torch.backends.cuda.matmul.allow_tf32 = True
    for problem in asked["problems"]:
        try:
            with torch.no_grad():
                answer = {"seconds": measure(problem, device, asked["quick"])}
        except Exception as error:  # noqa: BLE001  every problem has its turn
            answer = {"error": f"{type(error).__name__}: {error}".splitlines()[0]}
        print(json.dumps({"name": problem["name"], **answer}), flush=True)


main()
