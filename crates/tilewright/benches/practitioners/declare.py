"""How a kernel of the suite is declared, and how what `tilewright bench` reads is made of it.

A declaration is a function from a size to a `Problem`, beneath `@practice(name, full=..., quick=...)`: the kernel with its arguments and
grid, the limit that applies, and the same in PyTorch. Nothing else has to be told about a new kernel: `export.py` compiles it, runs the
PyTorch side in double precision, and writes what comes out beside the bytecode; `compare.py` measures it.
"""

import dataclasses
import math
import subprocess
import tempfile
from collections.abc import Callable

import cuda.tile as ct
import numpy as np
import torch
from cuda.tile.compilation import ArrayConstraint, CallingConvention, ConstantConstraint, KernelSignature, ScalarConstraint, export_kernel

ConstInt = ct.Constant[int]
ConstBool = ct.Constant[bool]
ConstFloat = ct.Constant[float]

# The name in Tile IR, the type in cuTile, and the type in PyTorch.
f16, bf16, f32, f64, i8, u8, i16, i32, i64 = "f16", "bf16", "f32", "f64", "i8", "u8", "i16", "i32", "i64"
CUTILE = {
    f16: ct.float16, bf16: ct.bfloat16, f32: ct.float32, f64: ct.float64,
    i8: ct.int8, u8: ct.uint8, i16: ct.int16, i32: ct.int32, i64: ct.int64,
}  # fmt: skip
TORCH = {
    f16: torch.float16, bf16: torch.bfloat16, f32: torch.float32, f64: torch.float64,
    i8: torch.int8, u8: torch.uint8, i16: torch.int16, i32: torch.int32, i64: torch.int64,
}  # fmt: skip
# How far a result may be off, as a part of its own size and of the usual size of the results.
TOLERANCES = {f16: 4e-3, bf16: 3e-2, f32: 1e-4, f64: 1e-11}
SAMPLES = 24
WEIGHTS = 1000


def random(seed, count):
    """The same numbers as `random` in src/cli/bench/arrays.rs."""
    x = (np.uint64(seed) << np.uint64(40)) + np.arange(1, count + 1, dtype=np.uint64)
    x *= np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


def fraction(seed, count):
    return (random(seed, count) >> np.uint64(40)).astype(np.float64) / 2**24


@dataclasses.dataclass
class Array:
    """An array that a kernel gets."""

    type: str
    shape: tuple
    fill: object = "zeros"
    strides: tuple | None = None
    # Whether the kernel writes into it, and whether it reads it, too.
    result: bool = False
    read: bool = True
    # Whether its begin, its rows and their lengths are multiples of 16 bytes, and the kernel may rely on it.
    aligned: bool = False

    def __post_init__(self):
        self.contiguous = self.strides is None
        if self.contiguous:
            self.strides = tuple(math.prod(self.shape[d + 1 :]) for d in range(len(self.shape)))

    def storage(self):
        """How many elements lie from the first to the last."""
        return 1 + sum((n - 1) * stride for n, stride in zip(self.shape, self.strides))

    def bytes(self):
        return math.prod(self.shape) * TORCH[self.type].itemsize

    def make(self, seed):
        """The array as a tensor."""
        count = self.storage()
        if self.fill == "zeros":
            flat = torch.zeros(count, dtype=TORCH[self.type])
        elif "below" in self.fill:
            flat = torch.from_numpy((random(seed, count) % np.uint64(self.fill["below"])).astype(np.int64)).to(TORCH[self.type])
        else:
            low, high = self.fill["uniform"]
            values = low + (high - low) * fraction(seed, count)
            flat = torch.from_numpy(values if self.type == f64 else values.astype(np.float32)).to(TORCH[self.type])
        return torch.as_strided(flat, self.shape, self.strides)

    def constraint(self):
        last = 1 if self.strides[-1] == 1 else None
        return ArrayConstraint(
            CUTILE[self.type], len(self.shape), index_dtype=ct.int32, stride_lower_bound_incl=0, alias_groups=[], may_alias_internally=False,
            stride_constant=[None] * (len(self.shape) - 1) + [last], **(self.alignment() if self.aligned else {}),
        )  # fmt: skip

    def alignment(self):
        """What `ct.launch` finds out of a tensor of this shape."""
        elements = 16 // TORCH[self.type].itemsize

        def divisors(numbers):
            return [math.gcd(n, elements) for n in numbers]

        return {
            "base_addr_divisible_by": 16, "shape_divisible_by": divisors(self.shape), "stride_divisible_by": divisors(self.strides),
        }  # fmt: skip

    def description(self):
        # Tile IR's integers have no sign.
        name = self.type.replace("u", "i")
        return {"type": name, "shape": self.shape, "strides": self.strides, "fill": self.fill}


@dataclasses.dataclass
class Number:
    """A number that a kernel gets when it is launched."""

    type: str
    value: float

    def constraint(self):
        return ScalarConstraint(CUTILE[self.type])

    def description(self):
        return {"type": self.type, "value": number(self.value)}


def number(value):
    """As JSON has it, which has neither infinities nor NaN: those are "inf", "-inf" and "nan"."""
    return value if math.isfinite(value) else str(float(value))


def floats(type, *shape, low=-1.0, high=1.0, strides=None):
    return Array(type, shape, {"uniform": [low, high]}, strides)


def below(end, type, *shape, strides=None):
    """Whole numbers from 0 to below an end."""
    return Array(type, shape, {"below": end}, strides)


def result(type, *shape):
    """An array that the kernel fills."""
    return Array(type, shape, result=True, read=False)


def sums(type, *shape):
    """An array of zeros that the kernel adds to."""
    return Array(type, shape, result=True, read=False)


def updated(array):
    """An array that the kernel reads and writes."""
    return dataclasses.replace(array, strides=None, result=True)


class Expression:
    """A function in PyTorch as text, of tensors `a`, `b` and `c`."""

    def __init__(self, text):
        self.text = text

    def __call__(self, *inputs):
        return eval(self.text, {"torch": torch, "F": torch.nn.functional}, dict(zip("abc", inputs)))


def expression(text):
    """What a kernel computes, in PyTorch, where another program shall measure that, too."""
    return Expression(text)


@dataclasses.dataclass
class Problem:
    """A kernel at a size."""

    kernel: object
    # As the kernel takes them: arrays, numbers, and constants as they are.
    arguments: list
    grid: tuple | int
    # The same in PyTorch: takes the arrays that are read, in order, and gives those that are written.
    torch: Callable
    # The same in NumPy, where that is simple to write.
    numpy: Callable | None = None
    # What is compared with; `torch` in double precision if it is not given.
    reference: Callable | None = None
    # Operations on floating-point numbers, where those and not the bytes of the arrays are the limit.
    flops: int | None = None
    limit: str = "f32 peak"
    bytes: int | None = None
    tolerance: float | None = None
    # Whether `torch.compile` ends: loops with some hundred operations, which it unrolls, keep it busy for longer than an hour.
    compiles: bool = True
    # Whether all arrays are aligned.
    aligned: bool = False
    # The extents of a product of matrices: how many, rows, columns, and what is summed up.
    product: tuple | None = None

    def __post_init__(self):
        if self.aligned:
            for array in self.arrays():
                array.aligned = True

    def arrays(self):
        return [a for a in self.arguments if isinstance(a, Array)]

    def runtime(self):
        return [a for a in self.arguments if isinstance(a, (Array, Number))]

    def inputs(self):
        """The tensors that are read. An array's seed is its place among the arguments of the launch."""
        return [a.make(seed) for seed, a in enumerate(self.runtime()) if isinstance(a, Array) and a.read]

    def results(self):
        return [a for a in self.arrays() if a.result]

    def work(self):
        if self.flops is not None:
            return self.limit, int(self.flops)
        moved = sum(a.bytes() * (2 if a.result and a.read else 1) for a in self.arrays())
        return "bandwidth", int(self.bytes or moved)

    def expected(self):
        """The results, in double precision where they are floating-point numbers."""
        inputs = self.inputs()
        if self.reference is None:
            inputs = [x.double() if x.is_floating_point() else x for x in inputs]
        with torch.no_grad():
            values = (self.reference or self.torch)(*inputs)
        return values if isinstance(values, (tuple, list)) else [values]


@dataclasses.dataclass
class Practice:
    name: str
    make: Callable
    full: dict
    quick: dict

    def problem(self, quick=False):
        return self.make(**(self.quick if quick else self.full))


PRACTICES = []


def practice(name, full, quick):
    """Declares a kernel with a large and a small size."""

    def declared(make):
        PRACTICES.append(Practice(name, make, full, quick))
        return make

    return declared


def size_text(size):
    def text(n):
        for unit, name in (1 << 20, "Mi"), (1 << 10, "Ki"):
            if n >= 1 << 16 and n % unit == 0:
                return f"{n // unit} {name}"
        return str(n)

    return " x ".join(text(n) for n in size.values())


def grid_of(problem):
    grid = problem.grid if isinstance(problem.grid, tuple) else (problem.grid,)
    return [*grid, 1, 1][:3]


def expectations(problem):
    """What the results are."""
    out = []
    runtime = problem.runtime()
    for array, value in zip(problem.results(), problem.expected(), strict=True):
        assert array.contiguous and tuple(value.shape) == tuple(array.shape), (array.shape, value.shape)
        # As the kernel's type holds it: what the type rounds is no error.
        exact = array.type not in TOLERANCES
        if array.type == u8:
            value = value.to(torch.int8)
        flat = value.contiguous().reshape(-1).to(torch.float64).numpy()
        tolerance = problem.tolerance or (0.0 if exact else TOLERANCES[array.type])
        finite = np.isfinite(flat)
        usual = (float(np.sqrt(np.mean(flat[finite] ** 2))) if finite.any() else 0.0) or 1.0
        summed = np.where(finite, flat, 0.0)
        odd = {} if finite.all() else {"non_finite": int((~finite).sum())}
        # Odd steps visit every row and column of a power of two.
        step = flat.size // SAMPLES | 1
        places = sorted({(i * step) % flat.size for i in range(SAMPLES)} | {flat.size - 1})
        digits = (lambda x: int(x)) if exact else (lambda x: float(f"{x:.16g}" if array.type == f64 else f"{x:.7g}"))
        out.append({
            "argument": next(i for i, a in enumerate(runtime) if a is array),
            "relative": tolerance or 1e-12, "absolute": float(f"{tolerance * usual:.4g}"),
            "mean": float(summed.mean()), "weighted": float((summed * fraction(WEIGHTS, flat.size)).mean()), **odd,
            "elements": [[place, number(digits(flat[place]))] for place in places],
        })  # fmt: skip
    return out


def description(practice, quick):
    """A problem as `tilewright bench` reads it."""
    problem = practice.problem(quick)
    limit, work = problem.work()
    others = {"torch": problem.torch.text} if isinstance(problem.torch, Expression) else {}
    if problem.product:
        others["product"] = problem.product
    return {
        "size": size_text(practice.quick if quick else practice.full), "arguments": [a.description() for a in problem.runtime()],
        "grid": grid_of(problem), "limit": limit, "work": work, **others, "expected": expectations(problem),
    }  # fmt: skip


def compile_kernel(practice, file, tilewright):
    """Compiles a kernel to a file of bytecode."""
    problem = practice.problem()
    params = [a.constraint() if isinstance(a, (Array, Number)) else ConstantConstraint(a) for a in problem.arguments]
    signature = KernelSignature(params, CallingConvention.cutile_python_v1(), problem.kernel._pyfunc.__name__)
    with tempfile.TemporaryDirectory() as folder:
        compiled, text = f"{folder}/kernel.tilebc", f"{folder}/kernel.mlir"
        export_kernel(problem.kernel, [signature], compiled, output_format="tileir_bytecode", bytecode_version="13.3")
        # By way of text, which leaves out where in which file of this machine each operation stands.
        with open(text, "w") as out:
            subprocess.run([tilewright, "print", compiled], stdout=out, check=True)
        subprocess.run([tilewright, "convert", text, "--to", "13.3", "-o", file], check=True)
