"""Types of the native part."""

from collections.abc import Callable, Iterator
from typing import Any, TypeAlias, TypeVar, final, overload

from tilewright._access_map import AccessMap
from tilewright._check import Check

Grid: TypeAlias = int | tuple[int, ...]
_T = TypeVar("_T")

__version__: str

@final
def number_from_environment(name: str) -> int | None:
    """Give the number from 1 that a variable of the environment holds; None where it is not set or empty."""

def gpu_compute_capability(ordinal: int) -> tuple[int, int]:
    """Give the compute capability of a GPU; load the CUDA driver."""

class Module:
    """A Tile IR module: a mapping from names to kernels. Made by ``tilewright.load``."""

    @staticmethod
    def from_bytes(data: bytes, name: str = "<bytes>", target: str | None = None) -> Module:
        """Read the bytes of a file, bytecode or text; text by the rules of a version or of the latest."""
    @property
    def version(self) -> str:
        """The version of the format, such as "13.4"."""
    @property
    def kernels(self) -> list[Kernel]:
        """The kernels, in the order of the module."""
    @property
    def stats(self) -> dict[str, Any]:
        """Counts of operations, types and bytes, and the work of each kernel."""
    def text(self, *, generic: bool = False, debug_info: bool = False) -> str:
        """The text of the module, as NVIDIA's disassembler prints it."""
    def write(self, target: str | None = None) -> bytes:
        """The bytecode of the module, for a version or its own."""
    def without_native_code(self) -> Module:
        """The same module, for whose kernels no machine code is made in process; TILEWRIGHT_JIT=0 makes all modules so."""
    def without_passes(self) -> Module:
        """The same module, of which every operation is carried out as it stands: kernels are improved by passes otherwise."""
    def verify(self) -> list[str]:
        """What breaks the rules of Tile IR; empty for a valid module."""
    def optimize(self, passes: str | None = None) -> Module:
        """The module that passes make of this one: a pipeline as `tilewright opt -p` takes it, or the usual ones."""
    def keys(self) -> list[str]:
        """The names of the kernels."""
    def values(self) -> list[Kernel]:
        """The kernels."""
    def items(self) -> list[tuple[str, Kernel]]:
        """The names of the kernels, each with its kernel."""
    @overload
    def get(self, name: str, default: None = None) -> Kernel | None: ...
    @overload
    def get(self, name: str, default: _T) -> Kernel | _T:
        """The kernel of this name, or else ``default``."""
    def _repr_html_(self) -> str: ...
    def __getitem__(self, name: str) -> Kernel: ...
    def __contains__(self, name: object) -> bool: ...
    def __iter__(self) -> Iterator[str]: ...
    def __len__(self) -> int: ...

@final
class Kernel:
    """A kernel of a module."""

    @property
    def name(self) -> str:
        """Its name."""
    @property
    def parameters(self) -> list[str]:
        """The types of its parameters, as Tile IR writes them."""
    def launch(
        self,
        grid: Grid,
        *args: Any,
        threads: int | None = None,
        timeout: float | None = None,
        max_memory: int | None = None,
        max_output: int | None = None,
        check: bool | Check | None = None,
        profile: bool = False,
    ) -> Report:
        """Run the kernel over a grid of blocks; arrays are changed in place.

        A launch that has not ended after ``timeout`` seconds is stopped with a TimeoutError. ``max_memory`` is how many bytes it may take
        besides the arrays, ``max_output`` how many it may print; more is a LaunchError. More than four threads for each processor
        are taken as that many.

        With ``check``, the launch runs under the checker, and undefined behaviour raises a CheckError; a ``Check`` says how to check.
        With ``profile``, the report has a profile: what each operation and line of source took.
        """
    def trace(self, grid: Grid, *args: Any) -> Trace:
        """Run the kernel, and give what it accesses."""
    def access_map(self, grid: Grid, *args: Any, array: Any = None) -> AccessMap:
        """Which block of a launch touches which elements of an array. The launch happens.

        ``array`` is one of the arrays among the arguments, or its position among them; left out: the last one.
        """
    def explain(self) -> str:
        """The operations of the kernel, each with the line of source that it comes from."""
    def _repr_html_(self) -> str: ...
    def text(self) -> str:
        """The text of the kernel."""
    def operations(self) -> list[tuple[int, str, tuple[str, int, int] | None]]:
        """Its operations in order: depth, text, and the file, line and column in the source of the kernel."""

@final
class Report:
    """What a launch did."""

    @property
    def blocks(self) -> int:
        """Tile blocks that ran."""
    @property
    def threads(self) -> int:
        """Worker threads."""
    @property
    def seconds(self) -> float:
        """Time from the start of the first block to the end of the last."""
    @property
    def profile(self) -> Profile | None:
        """What each operation took, if the launch was asked for it."""

@final
class Profile:
    """What each instruction, operation and line of a launch took."""

    @property
    def instructions(self) -> list[dict[str, Any]]:
        """The instructions that ran, each with the operations that it carries out and their shares of its time."""
    @property
    def operations(self) -> list[dict[str, Any]]:
        """The operations that they carried out, with counts, times, bytes and floating-point operations."""
    @property
    def lines(self) -> list[dict[str, Any]]:
        """The lines of source that these come from."""
    @property
    def total(self) -> dict[str, Any]:
        """All together."""
    def to_dict(self) -> dict[str, Any]:
        """All numbers, as ``tilewright run --profile --json`` writes them."""
    def to_html(self) -> str:
        """A page of HTML, with the source."""
    def to_flame_graph(self) -> str:
        """A flame graph in SVG."""
    def to_trace(self) -> str:
        """What the threads did when, as a trace that Perfetto opens."""
    def _repr_html_(self) -> str: ...

@final
class ArrayDescription:
    """An array, as the compiler of cuTile Python can see it."""

    @property
    def dtype(self) -> str: ...
    @property
    def address(self) -> int: ...
    @property
    def shape(self) -> tuple[int, ...]: ...
    @property
    def strides(self) -> tuple[int, ...]: ...
    @property
    def itemsize(self) -> int: ...
    @property
    def writable(self) -> bool: ...
    @property
    def is_opaque(self) -> bool: ...
    @property
    def __cuda_array_interface__(self) -> dict[str, Any]: ...

@final
class Trace:
    """The accesses of a launch."""

    @property
    def arrays(self) -> list[ArrayDescription]: ...
    def accesses(self, array: int) -> list[tuple[list[int], bool, bool, int, int]]: ...

@final
class Dispatcher:
    """Launches one kernel of cuTile Python."""

    def __new__(cls, constants: list[bool], compile: Callable[[tuple[Any, ...]], tuple[Kernel, list[bool]]]) -> Dispatcher: ...
    @property
    def compiler(self) -> Callable[[tuple[Any, ...]], tuple[Kernel, list[bool]]]: ...
    def trace(self, grid: Grid, args: tuple[Any, ...]) -> Trace: ...
    def launch(
        self,
        grid: Grid,
        args: tuple[Any, ...],
        threads: int | None = None,
        timeout: float | None = None,
        max_memory: int | None = None,
        max_output: int | None = None,
        check: bool | Check | None = None,
        profile: bool = False,
    ) -> Report: ...
    def launch_on_gpu(self, grid: Grid, args: tuple[Any, ...], stream: int, timed: bool = False) -> float | None: ...
    def __len__(self) -> int: ...

def describe(object: Any) -> ArrayDescription | None: ...
def driver_entry_point() -> int: ...
def set_compute_capability(major: int, minor: int) -> None: ...
def command_line(args: list[str]) -> int: ...
