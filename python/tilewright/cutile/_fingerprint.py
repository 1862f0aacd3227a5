"""A hash of all that cuTile Python reads when it compiles a kernel.

Equal hashes must mean equal compiled kernels, so nothing is guessed. The first step of cuTile's own compiler gives the kernel as HIR, with
every name resolved; the hash is over the HIR of the kernel and of all functions that it can reach, the places in the source
included, and over the values of the globals that they load. Expressions that are evaluated while compiling (``ct.static_eval`` and its
like) are Python's own code: their instructions are hashed, and must not reach what may change from run to run. A value
that none of this covers makes the kernel ``Unknown``.
"""

from __future__ import annotations

import builtins
import collections
import contextlib
import dataclasses
import dis
import enum
import functools
import hashlib
import importlib.metadata
import inspect
import os
import sys
from collections.abc import Iterable, Mapping
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any

import cuda.tile as ct
import numpy as np
from cuda.tile import _debug
from cuda.tile._by_target import UNSPECIFIED, ByTarget
from cuda.tile._cext import dev_features_enabled, foreign_dtype_object_to_native
from cuda.tile._compile import tile_impl_registry
from cuda.tile._execution import stub_aliases
from cuda.tile._ir import hir, hir_stubs
from cuda.tile._passes.ast2hir import HirMode, get_function_hir
from cuda.tile._preview_loader import get_preview_foreign_call_type
from cuda.tile.compilation import KernelSignature

from tilewright._native import __version__

#: Functions and types of Python whose results depend on their arguments alone.
# fmt: off
_PURE_BUILTINS = frozenset({
    abs, all, any, bool, bytes, callable, chr, complex, dict, divmod, enumerate, filter, float, format, frozenset, int, isinstance,
    issubclass, iter, len, list, map, max, min, next, object, ord, pow, print, range, repr, reversed, round, set, slice, sorted, str, sum,
    tuple, zip,
})
# fmt: on
_PURE_MODULES = frozenset({"math", "_operator"})
_EXCEPTIONS = frozenset(value for value in vars(builtins).values() if isinstance(value, type) and issubclass(value, Exception))
#: Instructions that reach what no name in the code tells of.
_OPAQUE_INSTRUCTIONS = frozenset(
    {"DELETE_GLOBAL", "IMPORT_FROM", "IMPORT_NAME", "LOAD_BUILD_CLASS", "LOAD_FROM_DICT_OR_GLOBALS", "LOAD_LOCALS", "STORE_GLOBAL"}
)
_CODE_FIELDS = (
    "co_argcount",
    "co_posonlyargcount",
    "co_kwonlyargcount",
    "co_flags",
    "co_code",
    "co_names",
    "co_varnames",
    "co_freevars",
    "co_cellvars",
)
_MISSING = object()


class Unknown(Exception):
    """A kernel depends on a value of which no hash can tell whether it is the same in another process."""


def fingerprint(kernel: ct.kernel, signature: KernelSignature, *options: str) -> str:
    """The hash of what a kernel is compiled from; ``options`` are what else the caller compiles with."""
    function = kernel._annotated_function
    walk = _Walk()
    try:
        walk.put(*_toolchain(), *options, signature.symbol, str(signature.calling_convention), function.pyfunc.__name__)
        walk.values(signature.parameters)
        walk.values(function.parameter_annotations)
        walk.value(kernel._compiler_options)
        walk.hir(get_function_hir(function.pyfunc, mode=HirMode.ENTRY_POINT))
        walk.evaluated_functions()
    except RecursionError:
        raise Unknown("values that are nested too deeply") from None
    return walk.digest()


@functools.cache
def _toolchain() -> tuple[str, ...]:
    """The versions of all that compiles, with the size and the time of each file of cuTile, and its switches."""
    if get_preview_foreign_call_type() is not None:
        raise Unknown("functions of libraries (cuda.tile_preview)")
    root = os.path.dirname(ct.__file__)
    files = []
    for folder, _, names in os.walk(root):
        for name in names:
            if not name.endswith(".pyc"):
                path = os.path.join(folder, name)
                status = os.stat(path)
                files.append(f"{os.path.relpath(path, root)} {status.st_size} {status.st_mtime_ns}")
    switches = (_debug.CUDA_TILE_TESTING_DISABLE_DIV, _debug.CUDA_TILE_TESTING_DISABLE_TOKEN_ORDER, dev_features_enabled())
    return (__version__, sys.version, importlib.metadata.version("cuda-tile"), repr(switches), *sorted(files))


class _Walk:
    """Collects what is hashed."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        # What was seen before, with the object itself, so that no other object gets its number.
        self._seen: dict[int, tuple[int, Any]] = {}
        self._functions: list[FunctionType] = []
        self._evaluates = False

    def digest(self) -> str:
        # No representation of a value has a line break.
        return hashlib.blake2b("\n".join(self._parts).encode("utf-8", "surrogatepass"), digest_size=20).hexdigest()

    def put(self, *parts: Any) -> None:
        self._parts.extend(map(repr, parts))

    # Values of Python

    def values(self, values: Iterable[Any]) -> None:
        values = tuple(values)
        self.put(len(values))
        for value in values:
            self.value(value)

    def value(self, value: Any) -> None:
        kind = type(value)
        if value is None or value is Ellipsis or value is NotImplemented or kind in (bool, int, str, bytes, complex):
            self.put(kind.__name__, value)
        elif kind is float:
            self.put("float", value.hex())
        elif kind in (tuple, list):
            self.put(kind.__name__)
            self.values(value)
        elif kind is dict:
            self.put("dict")
            self.values(value.items())
        elif kind is slice:
            self.values((value.start, value.stop, value.step))
        elif kind is FunctionType:
            self._function(value)
        elif kind is MethodType:
            self.values((value.__self__, value.__func__))
        elif isinstance(value, enum.Enum):
            self.put("member", value.name)
            self._class(kind)
        elif isinstance(value, np.generic) and not value.dtype.hasobject:
            self.put("scalar", value.dtype.str, value.tobytes())
        elif isinstance(value, ct.DType):
            self.put("dtype", str(value))
        elif isinstance(value, (BuiltinFunctionType, type)):
            self._named(value)
        elif kind is ByTarget:
            self.put("target", value._default is UNSPECIFIED)
            self.values((value._by_target, None if value._default is UNSPECIFIED else value._default))
        elif kind is ct.ConstantAnnotation:
            self.put("constant")
        elif dataclasses.is_dataclass(value) and _name_in_cutile(kind):
            self.put(kind.__qualname__)
            self.values(getattr(value, field.name) for field in dataclasses.fields(value))
        elif (dtype := foreign_dtype_object_to_native(value)) is not None:
            self.put("foreign dtype", str(dtype))
        else:
            raise Unknown(f"a value of type {kind.__module__}.{kind.__qualname__}")

    def _repeated(self, value: Any) -> bool:
        """Whether a value was seen before; then its number stands for it."""
        repeated = id(value) in self._seen
        number, _ = self._seen.setdefault(id(value), (len(self._seen), value))
        self.put("object", number)
        return repeated

    def _named(self, value: BuiltinFunctionType | type) -> None:
        """A function or a class without source: it is known by its name."""
        if name := _name_in_cutile(value):
            self.put(name)
        elif value is contextlib._GeneratorContextManager or _is_pure(value):
            self.put(f"{value.__module__}.{value.__qualname__}")
        elif isinstance(value, type) and issubclass(value, enum.Enum):
            self._class(value)
        elif (dtype := foreign_dtype_object_to_native(value)) is not None:
            self.put("foreign dtype", str(dtype))
        else:
            raise Unknown(f"{value.__module__}.{value.__qualname__}")

    def _class(self, cls: type[enum.Enum]) -> None:
        """An enumeration: its members, if there is nothing else in it."""
        if name := _name_in_cutile(cls):
            self.put(name)
            return
        if self._repeated(cls):
            return
        self.put("enumeration", cls.__qualname__, [base.__qualname__ for base in cls.__mro__])
        for base in cls.__mro__:
            own = base.__module__ not in ("builtins", "enum")
            if own and (not issubclass(base, enum.Enum) or any(map(_is_users, vars(base).values()))):
                raise Unknown(f"the enumeration {cls.__qualname__}, which has methods or other bases")
        self.values((name, member.value) for name, member in cls.__members__.items())

    def _function(self, function: FunctionType) -> None:
        function = stub_aliases.get(function, function)
        if name := _name_in_cutile(function):
            self.put(name)
            return
        if self._repeated(function):
            return
        if function in tile_impl_registry.op_implementations:
            raise Unknown(f"{function.__qualname__}, an extension of the compiler")
        self._functions.append(function)
        self.put(function.__name__)
        self.values(sorted(vars(function).items()))
        mode = HirMode.GENERATOR_CONTEXT_MANAGER if inspect.isgeneratorfunction(function) else HirMode.HELPER_FUNCTION
        try:
            tree = get_function_hir(function, mode=mode)
        except Exception as error:
            # It cannot be called in a kernel, then, only while compiling.
            self.put("no HIR", type(error).__name__)
            return
        self.hir(tree)

    # HIR

    def hir(self, function: hir.Function) -> None:
        place = function.desc
        self.put(place.name, place.filename, place.line, place.column, place.is_entry, function.local_names, function.param_local_indices)
        for parameter in function.signature.parameters.values():
            self.put(parameter.name, parameter.kind.name, parameter.default is parameter.empty)
            if parameter.default is not parameter.empty:
                self.value(parameter.default)
        for loc in function.param_locs:
            self._loc(loc, function)
        self._block(function.body, function, {})

    def _block(self, block: hir.Block, function: hir.Function, modules: dict[int, ModuleType]) -> None:
        """A block; ``modules`` are the values of the function that are modules."""
        self.put(block.block_id, [param.id for param in block.params], sorted(block.stored_indices), block.jump and block.jump.name)
        self._loc(block.loc, function)
        self._loc(block.jump_loc, function)
        for call in block.calls:
            self.put(call.result and call.result.id)
            self._loc(call.loc, function)
            if not self._loads(call, function, modules):
                for operand in (call.callee, *call.args):
                    self._operand(operand, function, modules)
                for name, operand in call.kwargs:
                    self.put(name)
                    self._operand(operand, function, modules)
        self.put(block.have_result)
        self._operand(block.result, function, modules)

    def _loads(self, call: hir.Call, function: hir.Function, modules: dict[int, ModuleType]) -> bool:
        """Whether a call loads a global, or something from a module; then that is hashed."""
        if call.callee is hir_stubs.load_var and call.args[0].depth == -1:
            place, name = call.args
            found = function.frozen_global_values[place.index] if place.index >= 0 else _MISSING
        elif call.callee is getattr and isinstance(call.args[0], hir.Value) and call.args[0].id in modules:
            module, name = modules[call.args[0].id], call.args[1]
            found = getattr(module, name, _MISSING) if isinstance(name, str) else module
        else:
            return False
        self.put("load", name)
        if isinstance(found, ModuleType) and call.result is not None:
            self.put("module", found.__name__)
            modules[call.result.id] = found
        elif found is not _MISSING:
            self.value(found)
        return True

    def _operand(self, operand: Any, function: hir.Function, modules: dict[int, ModuleType]) -> None:
        if isinstance(operand, hir.Starred):
            self.put("starred")
            operand = operand.value
        if isinstance(operand, hir.Value):
            if operand.id in modules:
                raise Unknown(f"the module {modules[operand.id].__name__}, used as a value")
            self.put("value", operand.id)
        elif isinstance(operand, hir.Block):
            self._block(operand, function, modules)
        elif isinstance(operand, hir.Function):
            self.hir(operand)
        elif isinstance(operand, hir.StaticEvalExpression):
            self._evaluates = True
            self.put("evaluate", operand.kind.name)
            self._python(operand.compiled_expr)
        elif operand is getattr:
            self.put("getattr")
        else:
            self.value(operand)

    def _loc(self, loc: Any, function: hir.Function) -> None:
        self._parts.append(f"{loc.line}:{loc.col}:{loc.last_line}:{loc.end_col}")
        if loc.filename != function.desc.filename:
            self.put(loc.filename)

    # Code that Python runs while the kernel is compiled

    def evaluated_functions(self) -> None:
        """If expressions are evaluated while compiling, they may call any function of the kernel."""
        done = 0
        while self._evaluates and done < len(self._functions):
            self._python(self._functions[done])
            done += 1

    def _python(self, function: FunctionType) -> None:
        self.put("python", function.__name__)
        self.values((function.__defaults__, function.__kwdefaults__))
        for cell in function.__closure__ or ():
            try:
                content = cell.cell_contents
            except ValueError:
                raise Unknown(f"a variable of {function.__qualname__} without a value") from None
            self.value(content)
        names = collections.ChainMap(function.__globals__, function.__builtins__)  # type: ignore[attr-defined]
        self._code(function.__code__, names)

    def _code(self, code: CodeType, names: Mapping[str, Any]) -> None:
        self.put(*(getattr(code, field) for field in _CODE_FIELDS), getattr(code, "co_exceptiontable", b""))
        for constant in code.co_consts:
            if isinstance(constant, CodeType):
                self._code(constant, names)
            elif isinstance(constant, frozenset):
                self.values(sorted(constant, key=repr))
            else:
                self.value(constant)
        module: ModuleType | None = None
        for instruction in dis.get_instructions(code):
            name = instruction.argval
            if instruction.opname in _OPAQUE_INSTRUCTIONS:
                raise Unknown(f"an import or an assignment to a global in {code.co_name}, which is evaluated while compiling")
            loads_attribute = instruction.opname in ("LOAD_ATTR", "LOAD_METHOD")
            if loads_attribute and name.startswith("__"):
                raise Unknown(f"the attribute {name}, in {code.co_name}, which is evaluated while compiling")
            if module is not None and not loads_attribute:
                raise Unknown(f"the module {module.__name__}, used as a value")
            if module is not None:
                module = self._found(getattr(module, name, _MISSING))
            elif instruction.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
                module = self._found(names.get(name, _MISSING))

    def _found(self, value: Any) -> ModuleType | None:
        """Hash what a name stands for; a module is returned instead, since only what is taken from it matters."""
        if isinstance(value, ModuleType):
            self.put("module", value.__name__)
            return value
        if value is _MISSING:
            self.put("missing")
        else:
            self.value(value)
        return None


def _name_in_cutile(value: Any) -> str | None:
    """The full name of a function or a class of cuTile itself, which the version of cuTile stands for."""
    module, name = getattr(value, "__module__", None), getattr(value, "__qualname__", None)
    if not isinstance(module, str) or not isinstance(name, str) or not (module + ".").startswith("cuda.tile."):
        return None
    found: Any = sys.modules.get(module)
    for part in name.split("."):
        found = getattr(found, part, None)
    return f"{module}.{name}" if found is value else None


def _is_pure(value: BuiltinFunctionType | type) -> bool:
    """Whether what a function or a type of Python gives depends on its arguments alone."""
    return value in _PURE_BUILTINS or value.__module__ in _PURE_MODULES or value in _EXCEPTIONS


def _is_users(value: Any) -> bool:
    """Whether something in the namespace of an enumeration is code that its author wrote."""
    if isinstance(value, (staticmethod, classmethod)):
        value = value.__func__
    if isinstance(value, FunctionType):
        return value.__code__.co_filename != enum.__file__
    return isinstance(value, property)
