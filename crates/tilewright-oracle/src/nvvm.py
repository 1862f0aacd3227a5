"""Compiles a module of LLVM to PTX with libNVVM: nvvm.py LIBRARY MODULE ARCHITECTURE OUTPUT"""

import ctypes
import sys

library, module, architecture, output = sys.argv[1:]
nvvm = ctypes.CDLL(library)
program = ctypes.c_void_p()
# Floats are multiplied and added as the module says.
options = (ctypes.c_char_p * 2)(f"-arch={architecture}".encode(), b"-fma=0")


def text(size, get):
    """What two functions of a program give: how many bytes, and these."""
    count = ctypes.c_size_t()
    size(program, ctypes.byref(count))
    buffer = ctypes.create_string_buffer(count.value)
    get(program, buffer)
    return buffer.value.decode()


def check(what, status):
    if status:
        sys.exit(f"{what}: status {status}: {text(nvvm.nvvmGetProgramLogSize, nvvm.nvvmGetProgramLog)}")


with open(module, "rb") as file:
    data = file.read()
check("create", nvvm.nvvmCreateProgram(ctypes.byref(program)))
check("add", nvvm.nvvmAddModuleToProgram(program, data, ctypes.c_size_t(len(data)), b"module"))
check("verify", nvvm.nvvmVerifyProgram(program, len(options), options))
check("compile", nvvm.nvvmCompileProgram(program, len(options), options))
with open(output, "w") as file:
    file.write(text(nvvm.nvvmGetCompiledResultSize, nvvm.nvvmGetCompiledResult))
