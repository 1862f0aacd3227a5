#!/usr/bin/env python3
"""Times whole processes side by side: tilewright, and mlir-opt of Debian's mlir-22-tools, printing MLIR bytecode in the generic form.

    cargo build --release
    python3 crates/tilewright/benches/compare_mlir.py [KIND...] [--operations N] [--runs N]

Modules of several kinds are made as text, and mlir-opt makes bytecode of them. The tools take turns, so that whatever else the machine
does meets both; each figure is the best of its runs. The two texts must be equal, and the file must come out of `tilewright convert`
as it was.
"""

import argparse
import filecmp
import pathlib
import subprocess
import sys
import tempfile

from compare_tools import ROOT, Run, run

TOOL = "mlir-opt-22"


def functions(count, size, body):
    """Functions of `size` operations, each of lines that `body` makes."""
    for function in range(count):
        yield f"func.func @f{function}(%a: i32, %b: i32, %x: f32, %y: f32, %m: memref<?xf32>, %i: index) -> i32 {{"
        yield from body(function, size)
        yield "}"


def arith(count):
    """Straight code: additions, products, comparisons, selections, a constant now and then."""

    def body(function, size):
        last, previous, number = "%a", "%b", "%x"
        for step in range(size - 1):
            name = f"%v{step}"
            match step % 8:
                case 0:
                    yield f"{name} = arith.addi {last}, {previous} : i32"
                case 1:
                    yield f"{name} = arith.muli {last}, {previous} overflow<nsw> : i32"
                case 2:
                    yield f"{name} = arith.constant {function * size + step} : i32"
                case 3:
                    yield f"{name} = arith.xori {last}, {previous} : i32"
                case 4:
                    yield f"{name} = arith.mulf {number}, %y : f32"
                    number = name
                    continue
                case 5:
                    yield f"{name} = arith.cmpi slt, {last}, {previous} : i32"
                    condition = name
                    continue
                case 6:
                    yield f"{name} = arith.select {condition}, {last}, {previous} : i32"
                case _:
                    yield f"{name} = arith.subi {last}, {previous} : i32"
            last, previous = name, last
        yield f"return {last} : i32"

    return functions(count // 1000, 1000, body)


def scf(count):
    """Loops in loops with branches, around a few operations each."""

    def body(_, size):
        yield "%one = arith.constant 1 : index"
        for nest in range(size // 12):
            yield f"%r{nest} = scf.for %k{nest} = %i to %i step %one iter_args(%s{nest} = %x) -> (f32) {{"
            yield f"  %t{nest} = scf.for %l{nest} = %i to %k{nest} step %one iter_args(%u{nest} = %s{nest}) -> (f32) {{"
            yield f"    %p{nest} = memref.load %m[%l{nest}] : memref<?xf32>"
            yield f"    %q{nest} = arith.addf %u{nest}, %p{nest} : f32"
            yield f"    %c{nest} = arith.cmpf olt, %q{nest}, %y : f32"
            yield f"    %w{nest} = scf.if %c{nest} -> (f32) {{"
            yield f"      %z{nest} = arith.mulf %q{nest}, %p{nest} : f32"
            yield f"      scf.yield %z{nest} : f32"
            yield "    } else {"
            yield f"      scf.yield %q{nest} : f32"
            yield "    }"
            yield f"    scf.yield %w{nest} : f32"
            yield "  }"
            yield f"  memref.store %t{nest}, %m[%k{nest}] : memref<?xf32>"
            yield f"  scf.yield %t{nest} : f32"
            yield "}"
        yield "return %a : i32"

    return functions(count // 1000, 1000, body)


def located(count):
    """Straight code, each operation at a place of its own: a file, a name, a call, several fused."""
    places = [
        'loc("model.py":{line}:{column})',
        'loc("block_{line}"("layers.py":{line}:7))',
        'loc(callsite("kernels.py":{line}:{column} at "model.py":{line}:3))',
        'loc(fused["a.py":{line}:1, "b.py":{line}:{column}])',
    ]
    for index, line in enumerate(arith(count)):
        if " = " in line or line.startswith("return"):
            place = places[index % 4 if index % 3 == 0 else 0]
            line = f"{line} {place.format(line=index // 7, column=index % 80)}"
        yield line


def llvm(count):
    """The llvm dialect: arithmetic, addresses, loads and stores with alignments and flags, branches between blocks."""
    for function in range(count // 1000):
        yield f"llvm.func @f{function}(%p: !llvm.ptr {{llvm.noalias, llvm.nocapture}}, %n: i64, %x: f32) attributes {{passthrough = [\"nounwind\"]}} {{"
        yield "  llvm.br ^bb0(%n : i64)"
        for block in range(124):
            yield f"^bb{block}(%i{block}: i64):"
            yield f"  %a{block} = llvm.getelementptr inbounds %p[%i{block}] : (!llvm.ptr, i64) -> !llvm.ptr, f32"
            yield f"  %b{block} = llvm.load %a{block} {{alignment = 4 : i64}} : !llvm.ptr -> f32"
            yield f"  %c{block} = llvm.fmul %b{block}, %x {{fastmathFlags = #llvm.fastmath<contract>}} : f32"
            yield f"  llvm.store %c{block}, %a{block} {{alignment = 4 : i64}} : f32, !llvm.ptr"
            yield f"  %d{block} = llvm.mlir.constant({function * 124 + block} : i64) : i64"
            yield f"  %e{block} = llvm.add %i{block}, %d{block} overflow<nsw, nuw> : i64"
            yield f"  %f{block} = llvm.icmp \"slt\" %e{block}, %n : i64"
            after = f"^bb{block + 1}(%e{block} : i64)" if block < 123 else "^end"
            yield f"  llvm.cond_br %f{block}, {after}, ^end"
        yield "^end:"
        yield "  llvm.return"
        yield "}"


def attributes(count):
    """Operations of a dialect that is not registered, with many attributes: arrays, dictionaries, types, elements."""
    yield "func.func @f(%t: tensor<4x?xf32>) {"
    last = "%t"
    for step in range(count - 2):
        yield (
            f"  %v{step} = \"net.conv\"({last}, %t) {{strides = [{step % 3 + 1}, 1], padding = dense<[[{step % 5}, 0], [1, 1]]> : tensor<2x2xi64>, "
            f"layout = \"NHWC\", id = {step} : i64, groups = array<i32: 1, {step % 7}>, scale = {step}.5 : f32, "
            f"map = affine_map<(d0, d1) -> (d1, d0)>, config = {{kernel = @conv::@k{step % 50}, type = vector<{step % 4 + 1}xf16>, fast}}}} "
            ": (tensor<4x?xf32>, tensor<4x?xf32>) -> tensor<4x?xf32>"
        )
        last = f"%v{step}"
    yield "  return"
    yield "}"


KINDS = {"arith": arith, "scf": scf, "located": located, "llvm": llvm, "attributes": attributes}


def make(kind, count, file):
    """A module as bytecode."""
    text = "\n".join(KINDS[kind](count))
    command = [TOOL, "--allow-unregistered-dialect", "--emit-bytecode", "-", "-o", file]
    subprocess.run(command, input=text.encode(), check=True)


def compare(kind, count=200_000, runs=10):
    """The best runs of each tool, by its name, and the length of the file and of the text."""
    tilewright = ROOT / "target/release/tilewright"
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        file, ours, theirs, again = (folder / name for name in ("module.mlirbc", "ours.mlir", "theirs.mlir", "again.mlirbc"))
        make(kind, count, file)
        reference = [TOOL, "--allow-unregistered-dialect", "--mlir-print-op-generic", file]
        own = [tilewright, "print", file]
        if kind == "located":
            reference.append("--mlir-print-debuginfo")
            own.append("--debug-info")
        steps = {TOOL: (reference, theirs), "tilewright print": (own, ours)}
        best = {}
        for _ in range(runs):
            for name, (command, output) in steps.items():
                # A new file each time: before one replaces another, some file systems send it to the disk.
                output.unlink(missing_ok=True)
                this = run(command, output)
                best[name] = Run(*map(min, this, best.get(name, this)))
        if theirs.read_bytes().rstrip() != ours.read_bytes().rstrip():
            sys.exit(f"{kind}: the two texts differ")
        subprocess.run([tilewright, "convert", file, "-o", again], check=True)
        if not filecmp.cmp(file, again, shallow=False):
            sys.exit(f"{kind}: the file does not come out as it was")
        return best, file.stat().st_size, ours.stat().st_size


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kinds", nargs="*", default=list(KINDS), help=", ".join(KINDS))
    parser.add_argument("--operations", type=int, default=200_000)
    parser.add_argument("--runs", type=int, default=10)
    args = parser.parse_args()
    for kind in args.kinds:
        best, size, length = compare(kind, args.operations, args.runs)
        print(f"{kind}: {size / 1e6:.1f} MB of bytecode, {length / 1e6:.1f} MB of text")
        for name, (wall, processor, memory) in best.items():
            print(f"  {name:20} {wall * 1e3:8.1f} ms wall {processor * 1e3:8.1f} ms processor {memory / 1e6:8.0f} MB")
        wall, processor = (theirs / ours for theirs, ours in zip(best[TOOL][:2], best["tilewright print"][:2]))
        print(f"  {wall:.1f} times as fast (by processor time: {processor:.1f})")


if __name__ == "__main__":
    main()
