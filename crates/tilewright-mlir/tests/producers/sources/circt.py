"""Makes NAME.mlirbc of a module with the Python bindings of CIRCT, and what they print of it: circt.py MODULE NAME."""

import io
import sys
from pathlib import Path

import circt
from circt import ir

with ir.Context() as context, ir.Location.unknown():
    circt.register_dialects(context)
    bytecode = io.BytesIO()
    ir.Module.parse(Path(sys.argv[1]).read_text()).operation.write_bytecode(bytecode)
    operation = ir.Module.parse(bytecode.getvalue()).operation
    Path(f"{sys.argv[2]}.mlirbc").write_bytes(bytecode.getvalue())
    Path(f"{sys.argv[2]}.mlir").write_text(operation.get_asm(print_generic_op_form=True))
    Path(f"{sys.argv[2]}.located.mlir").write_text(operation.get_asm(print_generic_op_form=True, enable_debug_info=True))
