"""Makes MLIR bytecode and the generic form of it with a tool of some producer.

producers.py TOOL SOURCES OUT [LIMIT] [-- OPTION...]: each module of the `*.mlir` below SOURCES (several in a file stand between lines
`// -----`) that the tool takes becomes OUT/N.mlirbc, OUT/N.mlir and OUT/N.located.mlir. LIMIT is how many modules are tried, spread
evenly over all. The test `files_of_other_producers` compares what such folders hold.
"""
import concurrent.futures, os, pathlib, re, subprocess, sys


def modules(folder):
    for path in sorted(pathlib.Path(folder).rglob("*.mlir")):
        for piece in re.split(r"^// -----.*$", path.read_text(errors="replace"), flags=re.M):
            if re.search(r"^[^/\n]*[a-z]", piece, flags=re.M) and "expected-error" not in piece:
                yield path.name, piece


def make(tool, options, out, number, name, source):
    def run(*more, data):
        done = subprocess.run([tool, *options, "-", *more], input=data, capture_output=True, timeout=120)
        return done.stdout if done.returncode == 0 else None

    bytecode = run("--emit-bytecode", data=source.encode())
    if not bytecode or not bytecode.startswith(b"ML\xefR"):
        return 0
    generic = run("--mlir-print-op-generic", data=bytecode)
    located = run("--mlir-print-op-generic", "--mlir-print-debuginfo", data=bytecode)
    if generic is None or located is None:
        return 0
    stem = out / f"{number:05}_{re.sub(r'[^A-Za-z0-9]+', '_', name.removesuffix('.mlir'))}"
    for ending, data in [(".mlirbc", bytecode), (".mlir", generic), (".located.mlir", located)]:
        pathlib.Path(f"{stem}{ending}").write_bytes(data)
    return 1


def main():
    arguments = sys.argv[1:]
    options = []
    if "--" in arguments:
        at = arguments.index("--")
        arguments, options = arguments[:at], arguments[at + 1 :]
    tool, sources, out = arguments[0], arguments[1], pathlib.Path(arguments[2])
    out.mkdir(parents=True, exist_ok=True)
    found = list(modules(sources))
    limit = int(arguments[3]) if len(arguments) > 3 else len(found)
    chosen = [found[index * len(found) // limit] for index in range(min(limit, len(found)))] if limit < len(found) else found
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        made = sum(pool.map(lambda job: make(tool, options, out, job[0], *job[1]), enumerate(chosen)))
    print(f"{made} of {len(chosen)} modules")


main()
