"""Runs the kernels of `tilewright bench --suite practitioners` in PyTorch, eager and compiled, and in NumPy, by turns with Tilewright.

    cargo build --release -p tilewright
    python compare.py                     all of them, some minutes
    python compare.py --filter rows --json results.json

One thread each, the best of several runs, results compared. 'ratio' is the faster of PyTorch eager and `torch.compile` divided by
Tilewright: above 1, Tilewright is faster. 'share' is Tilewright's part of the machine's limit (bandwidth, or the peak of floating-point
operations) meanwhile.
"""

import argparse
import json
import math
import os
import pathlib
import subprocess
import sys
import time

# Libraries fix their number of threads when they start.
for variable in "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS":
    os.environ[variable] = "1"

import declare
import numpy as np
import suite  # noqa: F401  declares the kernels
import torch

ROOT = pathlib.Path(__file__).parents[4]
PATIENCE = 0.25
ROUNDS = 5


def best(run):
    """The least time of several runs."""
    least, begin, rounds = math.inf, time.perf_counter(), 0
    while rounds < ROUNDS or time.perf_counter() - begin < PATIENCE:
        started = time.perf_counter()
        run()
        least = min(least, time.perf_counter() - started)
        rounds += 1
    return least


def tilewright(binary, name):
    """What `tilewright bench` says of one kernel."""
    command = [binary, "bench", "--suite", "practitioners", "--filter", name, "--threads", "1", "--json"]
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode:
        return {"error": result.stderr.strip().removeprefix("error: ")}
    return json.loads(result.stdout)["results"][0]


def disagreement(problem, results):
    """Where PyTorch's results are not those that Tilewright's are compared with."""
    results = results if isinstance(results, (tuple, list)) else [results]
    for array, is_, want in zip(problem.results(), results, problem.expected(), strict=True):
        is_, want = is_.double(), want.double()
        usual = want[want.isfinite()].square().mean().sqrt().item() or 1.0
        tolerance = 0.0 if array.type not in declare.TOLERANCES else problem.tolerance or declare.TOLERANCES[array.type]
        worst = (is_ - want).abs().nan_to_num(0, 0, 0).sub(tolerance * (want.abs().nan_to_num(0, 0, 0) + usual)).max().item()
        if is_.shape != want.shape or worst > 0:
            return f"PyTorch is off by {worst:.3g} more than allowed"
    return None


def numpy_of(tensor):
    return None if tensor.dtype == torch.bfloat16 else tensor.numpy()


def measure(binary, practice, turns):
    """All times of a kernel."""
    problem = practice.problem()
    inputs = problem.inputs()
    row = {"name": practice.name, "size": declare.size_text(practice.full)}
    sides = {"eager": lambda: problem.torch(*inputs)}
    if problem.compiles:
        torch.compiler.reset()
        compiled = torch.compile(problem.torch)
        sides["compile"] = lambda: compiled(*inputs)
    else:
        row["compile_note"] = "torch.compile does not end"
    if problem.numpy:
        arrays = [numpy_of(x) for x in inputs]
        sides["numpy"] = lambda: problem.numpy(*arrays)
    for side, run in list(sides.items()):
        try:
            value = run()
            if side != "numpy" and (wrong := disagreement(problem, value)):
                row[f"{side}_note"] = wrong
            run()
        except Exception as error:  # noqa: BLE001  whatever a compiler cannot do is no reason to stop
            row[f"{side}_note"] = f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"
            del sides[side]
    for _ in range(turns):
        ours = tilewright(binary, practice.name)
        if "error" in ours:
            row["error"] = ours["error"]
        elif ours["seconds"] < row.get("ours", math.inf):
            row |= {"ours": ours["seconds"], "limit": ours["limit"]}
        if "share" in ours:
            row["share"] = max(ours["share"], row.get("share", 0.0))
        for side, run in sides.items():
            row[side] = min(row.get(side, math.inf), best(run))
    theirs = [row[side] for side in ("eager", "compile") if side in row]
    if "ours" in row and theirs:
        row["ratio"] = min(theirs) / row["ours"]
    return row


def geometric_mean(values):
    values = list(values)
    return math.exp(sum(map(math.log, values)) / len(values)) if values else math.nan


def head():
    return f"{'kernel':<34}{'size':<22}{'ours':>9}{'eager':>9}{'compile':>9}{'NumPy':>9}{'ratio':>7}{'share':>7}"


def line(row):
    def ms(side):
        return f"{row[side] * 1e3:>9.2f}" if side in row else f"{'-':>9}"

    ratio = f"{row['ratio']:>7.2f}" if "ratio" in row else f"{'-':>7}"
    share = f"{row['share'] * 100:>6.0f}%" if "share" in row else f"{'-':>7}"
    notes = [row[key] for key in ("error", "eager_note", "compile_note", "numpy_note") if key in row]
    return f"{row['name']:<34}{row['size']:<22}{ms('ours')}{ms('eager')}{ms('compile')}{ms('numpy')}{ratio}{share}  {'; '.join(notes)}".rstrip()


def summary(rows):
    """The means, and the worst."""
    ratios = {row["name"]: row["ratio"] for row in rows if "ratio" in row}
    shares = {row["name"]: row["share"] for row in rows if "share" in row}
    if not ratios:
        return "nothing was measured"

    def worst(values, text):
        return ", ".join(f"{name} {text(values[name])}" for name in sorted(values, key=values.get)[:8])

    def percent(share):
        return f"{share * 100:.0f} %"

    return (
        f"{len(rows)} kernels. Ratio to the faster of eager and compile: geometric mean {geometric_mean(ratios.values()):.2f}; "
        f"{sum(r < 0.5 for r in ratios.values())} under 0.5; the least: {worst(ratios, '{:.2f}'.format)}.\n"
        f"Share of the limit: geometric mean {percent(geometric_mean(shares.values()))}; "
        f"{sum(s < 0.1 for s in shares.values())} under 10 %; the least: {worst(shares, percent)}."
    )


def compare(binary, text="", turns=2, say=None):
    """The rows of all kernels whose name contains a text."""
    torch.set_num_threads(1)
    torch._dynamo.config.cache_size_limit = 1000
    rows = []
    with torch.no_grad():
        for practice in declare.PRACTICES:
            if text in practice.name:
                rows.append(measure(binary, practice, turns))
                if say:
                    say(line(rows[-1]))
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--filter", default="", help="only kernels whose name contains this")
    parser.add_argument("--tilewright", default=str(ROOT / "target/release/tilewright"), help="the command to measure")
    parser.add_argument("--turns", type=int, default=2, help="how many times each side has its turn")
    parser.add_argument("--json", metavar="FILE", help="also write the rows as JSON")
    args = parser.parse_args()
    print(f"one thread; PyTorch {torch.__version__}, NumPy {np.__version__}; times in ms\n{head()}", flush=True)
    rows = compare(args.tilewright, args.filter, args.turns, say=lambda text: print(text, flush=True))
    print(f"\n{summary(rows)}")
    if args.json:
        pathlib.Path(args.json).write_text(json.dumps(rows, indent=1))
    sys.exit(any("error" in row for row in rows))


if __name__ == "__main__":
    main()
