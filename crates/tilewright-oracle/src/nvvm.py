"""Compiles modules of LLVM to PTX with libNVVM: nvvm.py LIBRARY

A request on standard input is a line with the architecture and the length of a module, and the module. It is answered on standard output by a line
with "ptx" or "error" and the length of a text, and the text. The end of standard input ends the program.
"""

import ctypes
import sys

nvvm = ctypes.CDLL(sys.argv[1])


class Refused(Exception):
    """What libNVVM says of a module that it does not compile."""


def text(program, size, get):
    """What two functions of a program give: how many bytes, and these."""
    count = ctypes.c_size_t()
    size(program, ctypes.byref(count))
    buffer = ctypes.create_string_buffer(count.value)
    get(program, buffer)
    return buffer.value.decode()


def compiled(program, module, architecture):
    def check(what, status):
        if status:
            raise Refused(f"{what}: status {status}: {text(program, nvvm.nvvmGetProgramLogSize, nvvm.nvvmGetProgramLog)}")

    # Floats are multiplied and added as the module says.
    options = (ctypes.c_char_p * 2)(f"-arch={architecture}".encode(), b"-fma=0")
    check("add", nvvm.nvvmAddModuleToProgram(program, module, ctypes.c_size_t(len(module)), b"module"))
    check("verify", nvvm.nvvmVerifyProgram(program, len(options), options))
    check("compile", nvvm.nvvmCompileProgram(program, len(options), options))
    return text(program, nvvm.nvvmGetCompiledResultSize, nvvm.nvvmGetCompiledResult)


def answer(module, architecture):
    program = ctypes.c_void_p()
    if status := nvvm.nvvmCreateProgram(ctypes.byref(program)):
        return "error", f"create: status {status}"
    try:
        return "ptx", compiled(program, module, architecture)
    except Refused as refused:
        return "error", str(refused)
    finally:
        nvvm.nvvmDestroyProgram(ctypes.byref(program))


for line in sys.stdin.buffer:
    architecture, length = line.decode().split()
    kind, told = answer(sys.stdin.buffer.read(int(length)), architecture)
    told = told.encode()
    sys.stdout.buffer.write(f"{kind} {len(told)}\n".encode() + told)
    sys.stdout.buffer.flush()
