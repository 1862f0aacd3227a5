#!/usr/bin/env python3
"""Measures everything that docs/performance.md shows, and writes its tables anew.

    python3 crates/tilewright/benches/document.py                  all of them, about ten minutes on an idle machine
    python3 crates/tilewright/benches/document.py engine tools     only these

A table stands between `<!-- measured: NAME -->` and `<!-- end -->`; the text around it is for people to write. NAME is one of:

    tools      whole processes beside NVIDIA's tileirdisasm, which the tests install into target/oracle
    steps      the steps between the formats, in process (cargo bench)
    engine     kernels against the machine's limits (tilewright bench), with the aims of the project
    libraries  the same problems in NumPy and PyTorch, where this Python has them; each by turns with the engine
    practitioners  the second suite in PyTorch, eager and compiled, and NumPy, by turns, where this Python has torch and cuda-tile
    checker    launches under the checker beside plain ones
    launches   launches from Python, where this Python has cuda-tile and tilewright

A table that cannot be measured here is left as it is, and the script says so and fails.
"""

import argparse
import functools
import importlib.util
import json
import pathlib
import subprocess
import sys
import tempfile

import compare
import compare_check
import compare_tools

ROOT = compare_tools.ROOT
PAGE = ROOT / "docs/performance.md"
OPERATIONS = 200_000

# What the project aims at: shares of the limit on one thread, and how many times as fast two threads are.
AIMS = {
    "vector_add": 0.9, "gelu": 0.9, "transpose": 0.9, "row_sums": 0.9, "column_sums": 0.9,
    "softmax": 0.75, "layernorm": 0.75, "rmsnorm": 0.75,
    "matmul_f32": 0.85, "batched_matmul_f32": 0.85, "matmul_f16": 0.75, "matmul_bf16": 0.75,
    "attention_f32": 0.6, "attention_f32_causal": 0.6, "attention_f16": 0.6, "attention_f16_causal": 0.6,
}  # fmt: skip
TIMES_AIM = 25
SCALING_AIM = 1.8
# What no kernel of the second suite is to be under.
PRACTITIONERS_RATIO = 0.5
PRACTITIONERS_SHARE = 0.1


class CannotMeasure(Exception):
    """Why a table cannot be measured here."""


def table(head, rows):
    """A table of Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def with_aim(text, reached):
    """A figure that has an aim, bold where it does not reach it."""
    return text if reached else f"**{text}**"


def duration(seconds):
    """Seconds, in a unit that suits them."""
    return f"{seconds * 1e6:.1f} us" if seconds < 1e-3 else f"{seconds * 1e3:.1f} ms"


def cargo(*arguments):
    """Runs cargo and hides what it says, unless it fails."""
    result = subprocess.run(["cargo", *arguments], cwd=ROOT, capture_output=True, text=True)
    if result.returncode:
        sys.exit(result.stdout + result.stderr)


def tools():
    """Whole processes on a large file."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "large.tilebc"
        cargo("run", "-q", "--release", "-p", "tilewright-bytecode", "--example", "make_large", "--", str(OPERATIONS), str(file))
        best = compare_tools.compare(file, runs=25)
        size = file.stat().st_size
    reference = best["tileirdisasm"]
    rows = []
    for name, run in best.items():
        factor = compare_tools.FACTORS.get(name)
        times = factor and factor * reference.wall / run.wall
        what = "" if factor in (None, 1) else f" ({factor} × its time)"
        ratio = "" if factor is None else with_aim(f"{times:.1f}", times >= TIMES_AIM) + what
        rows.append([f"`{name}`", f"{run.wall * 1e3:.1f} ms", f"{run.processor * 1e3:.1f} ms", f"{run.memory / 1e6:.0f} MB", ratio])
    head = ["whole process", "on the clock", "processor time", "peak memory", f"times as fast as NVIDIA's tool (aim {TIMES_AIM})"]
    return f"{OPERATIONS:,} operations, {size / 1e6:.2f} MB of bytecode.\n\n{table(head, rows)}"


def steps():
    """The steps between the formats, from what criterion keeps of its last run."""
    cargo("bench", "-q", "-p", "tilewright", "--bench", "formats")
    names = ["decode", "verify", "decode and verify", "encode", "print", "parse"]
    rows = []
    for group, what in ("chain", "additions"), ("kernels", "attention kernels"):
        folder = ROOT / "target/criterion" / group
        sizes = sorted({int(path.name) for path in folder.glob("*/[0-9]*")})
        for size in sizes:
            rates = []
            for name in names:
                measured = json.loads((folder / name / str(size) / "new/estimates.json").read_text())
                rates.append(f"{size / measured['median']['point_estimate'] * 1e3:.3g}")
            rows.append([f"{round(size, -3):,}, {what}", *rates])
    return table(["million operations a second", *names], rows)


def bench(*arguments):
    """What `tilewright bench` reports."""
    command = [ROOT / "target/release/tilewright", "bench", "--json", *arguments]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


@functools.cache
def engine_report():
    """What `tilewright bench` measures, with the numbers of threads by which the tables are arranged."""
    cargo("build", "-q", "--release", "-p", "tilewright")
    return bench("--threads", "1,2")


def measured_again(name, threads):
    """The seconds that a kernel takes now, to compare with what others take in the same minute."""
    rows = bench("--filter", name, "--threads", str(threads))["results"]
    return next(row["seconds"] for row in rows if row["name"] == name)


def by_kernel(report):
    """The results of a report: for each kernel, those of one and of two threads."""
    kernels = {}
    for row in report["results"]:
        kernels.setdefault(row["name"], {})[row["threads"]] = row
    return kernels


def limits_line(report):
    """The machine and its limits."""
    parts = [
        f"{'one thread' if limit['threads'] == 1 else 'two threads'}: {limit['bandwidth'] / 1e9:.1f} GB/s, "
        f"{limit['peak_f32'] / 1e9:.0f} GFLOP/s in f32 and {limit['peak_f64'] / 1e9:.0f} in f64"
        for limit in report["limits"]
    ]
    costs = ", ".join(f"{row['name']}: {row['seconds'] * 1e6:.1f} us" for row in report["overheads"])
    return f"{report['cpu']}, {report['level']}. Limits of {'; of '.join(parts)}.\nOverheads: {costs}."


def engine():
    """Kernels against the limits."""
    report = engine_report()
    rows = []
    for name, runs in by_kernel(report).items():
        one, two = runs[1], runs[2]
        aim = AIMS.get(name)
        share = f"{one['share'] * 100:.0f} % of {one['limit_rate'] / 1e9:.1f}"
        scaling, possible = one["seconds"] / two["seconds"], two["limit_rate"] / one["limit_rate"]
        rows.append([
            name, one["size"], f"{one['seconds'] * 1e3:.1f} ms", f"{one['rate'] / 1e9:.1f} G{one['unit']}",
            share if aim is None else with_aim(share, one["share"] >= aim), "" if aim is None else f"{aim * 100:.0f} %",
            f"{two['seconds'] * 1e3:.1f} ms", with_aim(f"{scaling:.2f}", scaling >= min(SCALING_AIM, possible)), f"{possible:.2f}",
        ])  # fmt: skip
    head = ["kernel", "size", "one thread", "rate", "share of its limit then", "aim", "two threads", f"times as fast (aim {SCALING_AIM})"]
    head.append("its limit")
    return f"{limits_line(report)}\n\n{table(head, rows)}"


def libraries():
    """The same problems elsewhere."""
    kernels = by_kernel(engine_report())
    present = [name for name in compare.LIBRARIES if importlib.util.find_spec(name)]
    if not present:
        raise CannotMeasure("this Python has neither numpy nor torch")
    rows = []
    for name, runs in kernels.items():
        cells = []
        for library in present:
            for threads in 1, 2:
                theirs = compare.measure(library, name, threads)
                ratio = theirs and theirs["seconds"] / measured_again(name, threads)
                cells.append("" if ratio is None else with_aim(f"{ratio:.2f}", ratio >= 1))
        if any(cells):
            rows.append([name, f"{runs[1]['seconds'] * 1e3:.1f} ms", *cells])
    versions = subprocess.run([sys.executable, "-m", "pip", "list", "--format", "json"], capture_output=True, text=True).stdout
    versions = {package["name"]: package["version"] for package in json.loads(versions or "[]")}
    titles = [f"{library} {versions.get(library, '')}, {n}" for library in present for n in ("one thread", "two threads")]
    return table(["kernel", "Tilewright, one thread", *titles], rows)


def practitioners():
    """The second suite."""
    if not (importlib.util.find_spec("torch") and importlib.util.find_spec("cuda.tile")):
        raise CannotMeasure("this Python has no torch with cuda-tile; pip install torch cuda-tile==1.7.0")
    cargo("build", "-q", "--release", "-p", "tilewright")
    script = ROOT / "crates/tilewright/benches/practitioners/compare.py"
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "rows.json"
        # It fails if a kernel does; the table then says which.
        said = subprocess.run([sys.executable, script, "--json", file], capture_output=True, text=True)
        if not file.exists():
            sys.exit(said.stderr)
        measured = json.loads(file.read_text())
    _, _, summary = said.stdout.strip().rpartition("\n\n")

    def time(row, side):
        return f"{row[side] * 1e3:.2f} ms" if side in row else ""

    rows = []
    for row in measured:
        ratio = with_aim(f"{row['ratio']:.2f}", row["ratio"] >= PRACTITIONERS_RATIO) if "ratio" in row else ""
        share = with_aim(f"{row['share'] * 100:.0f} %", row["share"] >= PRACTITIONERS_SHARE) if "share" in row else row.get("error", "")
        rows.append([row["name"], row["size"], *(time(row, side) for side in ("ours", "eager", "compile", "numpy")), ratio, share])
    head = ["kernel", "size", "Tilewright", "PyTorch eager", "`torch.compile`", "NumPy", "ratio", "share of its limit"]
    return f"{summary}\n\n{table(head, rows)}"


def checker():
    """Launches under the checker."""
    rows = []
    for name, kernel in compare_check.KERNELS.items():
        plain, checked = compare_check.compare(name, runs=9)
        time, memory = checked.seconds / plain.seconds, checked.memory / plain.memory
        rows.append([
            name, kernel.size, duration(plain.seconds), duration(checked.seconds), with_aim(f"{time:.1f}", time <= compare_check.TIME_AIM),
            f"{plain.memory / 1e6:.0f} MB", f"{checked.memory / 1e6:.0f} MB", with_aim(f"{memory:.2f}", memory <= compare_check.MEMORY_AIM),
        ])  # fmt: skip
    head = ["kernel", "size", "plain", "checked", f"times (aim {compare_check.TIME_AIM})", "memory, plain", "memory, checked"]
    head.append(f"times (aim {compare_check.MEMORY_AIM})")
    return table(head, rows)


def launches():
    """Launches from Python."""
    if not (importlib.util.find_spec("tilewright") and importlib.util.find_spec("cuda.tile")):
        raise CannotMeasure("this Python has no tilewright with cuda-tile; pip install cuda-tile ./python")
    script = ROOT / "python/benches/launch.py"
    rows = json.loads(subprocess.run([sys.executable, script, "--json"], check=True, capture_output=True, text=True).stdout)
    rows = [[row["what"], duration(row["whole"]), duration(row["engine"])] for row in rows]
    return table(["`ct.launch` of a kernel that was compiled before", "from Python", "of which in the engine"], rows)


def replaced(page, name, content):
    """The page with another table."""
    begin, end = f"<!-- measured: {name} -->\n", "\n<!-- end -->"
    before, found, rest = page.partition(begin)
    if not found:
        raise SystemExit(f"{PAGE} has no table {name}")
    _, _, after = rest.partition(end)
    return f"{before}{begin}\n{content}\n{end}{after}"


TABLES = {"tools": tools, "steps": steps, "engine": engine, "libraries": libraries, "practitioners": practitioners, "checker": checker, "launches": launches}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tables", nargs="*", metavar="NAME", help=", ".join(TABLES))
    chosen = parser.parse_args().tables or list(TABLES)
    if unknown := set(chosen) - set(TABLES):
        parser.error(f"there is no table {unknown.pop()}")
    cargo("build", "-q", "--release")
    missing = False
    for name in chosen:
        print(f"{name} ...", file=sys.stderr, flush=True)
        try:
            PAGE.write_text(replaced(PAGE.read_text(), name, TABLES[name]()))
        except CannotMeasure as why:
            print(f"{name}: not measured: {why}", file=sys.stderr)
            missing = True
    sys.exit(missing)


if __name__ == "__main__":
    main()
