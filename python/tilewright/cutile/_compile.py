"""Compiling kernels of cuTile Python to Tile IR for given arguments, by cuTile's own rules and with its own compiler."""

from __future__ import annotations

import dataclasses
import logging
import re
from typing import Any, NamedTuple

import cuda.tile as ct
from cuda.tile import _compile as ct_compile
from cuda.tile import _debug
from cuda.tile._bytecode.version import BytecodeVersion
from cuda.tile._cext import default_tile_context, get_compute_capability, get_parameter_constraints_from_pyargs
from cuda.tile.compilation import (
    ArrayConstraint,
    CallingConvention,
    ConstantConstraint,
    KernelSignature,
    ListConstraint,
    TupleConstraint,
)

from tilewright._errors import LoadError, PlanError, TilewrightError, VerifyError
from tilewright._native import ArrayDescription, Kernel, Module, describe
from tilewright.cutile._disk_cache import DiskCache
from tilewright.cutile._fingerprint import Unknown, fingerprint

_log = logging.getLogger("tilewright.cutile")

#: The newest version that the releases of cuTile Python write by default.
VERSION = BytecodeVersion.V_13_4

#: Element types that an array can only describe to cuTile as unsigned integers of their size.
_OPAQUE_DTYPES = {
    "bf16": ct.bfloat16,
    "f8E4M3FN": ct.float8_e4m3fn,
    "f8E5M2": ct.float8_e5m2,
    "f8E8M0FNU": ct.float8_e8m0fnu,
}


class Compiler:
    """Compiles one kernel; a signature is compiled once for each target."""

    def __init__(self, kernel: ct.kernel) -> None:
        """Compile for ``kernel``."""
        self._kernel = kernel
        self._compiled: dict[tuple[str, str], Kernel] = {}

    def __call__(self, args: tuple[Any, ...]) -> tuple[Kernel, list[bool]]:
        """The kernel for these arguments, and for each leaf of the arguments whether it is a constant of it."""
        convention = CallingConvention.cutile_python_v2()
        constraints = parameter_constraints(self._kernel, args, convention)
        name = self._kernel._annotated_function.pyfunc.__name__
        signature = KernelSignature(constraints, convention).with_mangled_symbol(name)
        key = (_arch(), signature.symbol)
        kernel = self._compiled.get(key)
        if kernel is None:
            kernel = self._compiled[key] = self._compile(signature)
        leaves: list[bool] = []
        for constraint in constraints:
            _constant_leaves(constraint, leaves)
        return kernel, leaves

    def _compile(self, signature: KernelSignature) -> Kernel:
        # No other thread may compile meanwhile: cuTile keeps what it has read of a function, and the key is made of that.
        with ct_compile._compiler_lock:
            cache = None if _is_watched() else DiskCache.from_environment()
            key = None if cache is None else self._key(signature)
            if cache is None or key is None:
                _counts["uncached"] += 1
                return _read(self._bytecode(signature), signature.symbol)
            kept = cache.load(key)
            kernel = None if kept is None else _read_kept(kept, signature.symbol)
            if kernel is not None:
                _counts["hits"] += 1
                return kernel
            _counts["misses"] += 1
            code = self._bytecode(signature)
            kernel = _read(code, signature.symbol)
            # Code that ran while the kernel was compiled may have changed what it depends on.
            if self._key(signature) == key:
                cache.store(key, code)
            return kernel

    def _key(self, signature: KernelSignature) -> str | None:
        """What the kernel is found by on disk; None if it depends on more than a key can tell."""
        try:
            return fingerprint(self._kernel, signature, _arch(), VERSION.as_string())
        except Unknown as reason:
            _log.debug("%s is not kept on disk, it depends on %s", signature.symbol, reason)
            return None

    def _bytecode(self, signature: KernelSignature) -> bytes:
        result = ct_compile.compile_tile(
            self._kernel._annotated_function,
            (signature,),
            _arch(),
            self._kernel._compiler_options,
            default_tile_context,
            bytecode_version=VERSION,
            return_bytecode=True,
            return_cubin=False,
        )
        return bytes(result.bytecode)


class CacheInfo(NamedTuple):
    """What ``tilewright.cutile.cache_info`` tells."""

    hits: int
    misses: int
    uncached: int
    folder: str | None


_counts = {"hits": 0, "misses": 0, "uncached": 0}


def cache_info() -> CacheInfo:
    """The counts of this process, and the folder; None if there is none."""
    cache = DiskCache.from_environment()
    return CacheInfo(**_counts, folder=None if cache is None else str(cache.folder))


def _arch() -> str:
    return ct_compile.format_sm_arch(*get_compute_capability())


def _is_watched() -> bool:
    """Whether cuTile was asked to show its work, for which it has to do it."""
    config = default_tile_context.config
    return bool(config.log_cutile_ir or config.log_tileir or _debug.CUDA_TILE_DUMP_BYTECODE or _debug.CUDA_TILE_DUMP_TILEIR)


def _read(code: bytes, symbol: str) -> Kernel:
    try:
        return Module.from_bytes(code)[symbol]
    except (LoadError, VerifyError) as error:
        raise PlanError(f"kernel {symbol}: what cuTile made of it is not valid Tile IR: {error}", kernel=symbol) from error


def _read_kept(code: bytes, symbol: str) -> Kernel | None:
    """The kernel in bytecode from disk, which is trusted no more than any file."""
    try:
        return _read(code, symbol)
    except (KeyError, TilewrightError) as error:
        _log.debug("an entry of the cache on disk cannot be used: %s", error)
        return None


def parameter_constraints(kernel: ct.kernel, args: tuple[Any, ...], convention: CallingConvention, /) -> list[Any]:
    """What a kernel compiled for these arguments takes: cuTile's function of the longer name, for arrays of this machine too."""
    described = tuple(_described(arg) for arg in args)
    try:
        inferred = get_parameter_constraints_from_pyargs(kernel, described, convention)
    except TypeError as error:
        raise TypeError(_about_array(str(error), args)) from None
    return [_with_dtype(constraint, arg) for constraint, arg in zip(inferred, described, strict=True)]


def _about_array(message: str, args: tuple[Any, ...]) -> str:
    """What cuTile says about an argument, with the type of the array that it saw a description of."""
    path = [int(number) for number in re.findall(r"#(\d+)", message)]
    found: Any = args
    # The outermost comes last: "item #0 of kernel argument #2".
    for index in reversed(path):
        found = found[index] if isinstance(found, (tuple, list)) and index < len(found) else found
    own = ArrayDescription.__module__ + "." + ArrayDescription.__qualname__
    return message.replace(own, type(found).__name__)


def _described(arg: Any) -> Any:
    """The argument with descriptions in the place of arrays: cuTile takes only arrays of a device."""
    if type(arg) is tuple:
        return tuple(_described(item) for item in arg)
    if type(arg) is list:
        return [_described(item) for item in arg]
    description = None if isinstance(arg, (bool, int, float)) else describe(arg)
    return arg if description is None else description


def _with_dtype(constraint: Any, arg: Any) -> Any:
    """The constraint with the element type that the description of the array could not tell."""
    if isinstance(constraint, ArrayConstraint):
        if isinstance(arg, ArrayDescription) and arg.is_opaque:
            return dataclasses.replace(constraint, dtype=_opaque_dtype(arg))
        return constraint
    if isinstance(constraint, ListConstraint):
        if len({item.dtype for item in arg}) > 1:
            raise TypeError("the arrays of a list vary in data type")
        return dataclasses.replace(constraint, element=_with_dtype(constraint.element, arg[0]))
    if isinstance(constraint, TupleConstraint):
        return TupleConstraint([_with_dtype(item, value) for item, value in zip(constraint.items, arg, strict=True)])
    return constraint


def _opaque_dtype(array: ArrayDescription) -> ct.DType:
    dtype = _OPAQUE_DTYPES.get(array.dtype)
    if dtype is None:
        raise TypeError(f"cuTile Python has no arrays of {array.dtype}")
    return dtype


def _constant_leaves(constraint: Any, leaves: list[bool]) -> None:
    if isinstance(constraint, TupleConstraint):
        for item in constraint.items:
            _constant_leaves(item, leaves)
    else:
        leaves.append(isinstance(constraint, ConstantConstraint))
