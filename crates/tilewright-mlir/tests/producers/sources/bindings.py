"""Makes NAME.mlirbc of a module with the Python bindings of MLIR in a package, and what they print of it: bindings.py PACKAGE MODULE NAME."""

import importlib
import io
import sys
from pathlib import Path

package, source, name = sys.argv[1:]


def circt():
    ir = importlib.import_module("circt.ir")
    context = ir.Context()
    importlib.import_module("circt").register_dialects(context)
    return ir, context


def jaxlib():
    context = importlib.import_module("jax._src.interpreters.mlir").make_ir_context()
    importlib.import_module("jaxlib.mlir.dialects.mhlo").register_mhlo_dialect(context)
    return importlib.import_module("jaxlib.mlir.ir"), context


def cudaq():
    context = importlib.import_module("cudaq").PyKernel([]).ctx
    return importlib.import_module("cudaq.mlir.ir"), context


def litert():
    ir = importlib.import_module("litert_converter.mlir.ir")
    context = ir.Context()
    importlib.import_module("litert_converter.mlir._mlir_libs.converter_api_ext").prepare_mlir_context(context)
    return ir, context


ir, context = {"circt": circt, "jaxlib": jaxlib, "cudaq": cudaq, "litert": litert}[package]()
context.allow_unregistered_dialects = True
with context, ir.Location.unknown():
    bytecode = io.BytesIO()
    ir.Module.parse(Path(source).read_text()).operation.write_bytecode(bytecode)
    operation = ir.Module.parse(bytecode.getvalue()).operation
    Path(f"{name}.mlirbc").write_bytes(bytecode.getvalue())
    Path(f"{name}.mlir").write_text(operation.get_asm(print_generic_op_form=True))
    Path(f"{name}.located.mlir").write_text(operation.get_asm(print_generic_op_form=True, enable_debug_info=True))
