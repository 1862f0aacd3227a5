"""Compiling kernels of cuTile Python to Tile IR for given arguments, by cuTile's own rules and with its own compiler."""

from __future__ import annotations

import dataclasses
from typing import Any

import cuda.tile as ct
from cuda.tile import _compile as ct_compile
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

from tilewright._native import ArrayDescription, Kernel, Module, describe

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
    """Compiles one kernel; a signature is compiled once."""

    def __init__(self, kernel: ct.kernel) -> None:
        """Compile for ``kernel``."""
        self._kernel = kernel
        self._compiled: dict[str, Kernel] = {}

    def __call__(self, args: tuple[Any, ...]) -> tuple[Kernel, list[bool]]:
        """The kernel for these arguments, and for each leaf of the arguments whether it is a constant of it."""
        convention = CallingConvention.cutile_python_v2()
        constraints = parameter_constraints(self._kernel, args, convention)
        name = self._kernel._annotated_function.pyfunc.__name__
        signature = KernelSignature(constraints, convention).with_mangled_symbol(name)
        kernel = self._compiled.get(signature.symbol)
        if kernel is None:
            kernel = self._compiled[signature.symbol] = self._compile(signature)
        leaves: list[bool] = []
        for constraint in constraints:
            _constant_leaves(constraint, leaves)
        return kernel, leaves

    def _compile(self, signature: KernelSignature) -> Kernel:
        result = ct_compile.compile_tile(
            self._kernel._annotated_function,
            (signature,),
            ct_compile.format_sm_arch(*get_compute_capability()),
            self._kernel._compiler_options,
            default_tile_context,
            bytecode_version=VERSION,
            return_bytecode=True,
            return_cubin=False,
        )
        return Module.from_bytecode(bytes(result.bytecode))[signature.symbol]


def parameter_constraints(kernel: ct.kernel, args: tuple[Any, ...], convention: CallingConvention, /) -> list[Any]:
    """What a kernel compiled for these arguments takes: cuTile's function of the longer name, for arrays of this machine too."""
    described = tuple(_described(arg) for arg in args)
    inferred = get_parameter_constraints_from_pyargs(kernel, described, convention)
    return [_with_dtype(constraint, arg) for constraint, arg in zip(inferred, described, strict=True)]


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
