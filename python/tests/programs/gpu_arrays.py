"""Arrays of a GPU, by the driver that TILEWRIGHT_CUDA_DRIVER names: what a library such as CuPy does, in little."""

import ctypes
import os

import numpy as np


class Driver:
    """The driver, with a context that is current."""

    def __init__(self):
        self.library = ctypes.CDLL(os.environ["TILEWRIGHT_CUDA_DRIVER"])
        self.call("cuInit", 0)
        context = ctypes.c_void_p()
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), 0)
        self.call("cuCtxPushCurrent_v2", context)

    def call(self, function, *args):
        code = getattr(self.library, function)(*args)
        if code:
            raise RuntimeError(f"{function}: {code}")

    def array(self, content):
        return GpuArray(self, np.ascontiguousarray(content))

    def stream(self):
        handle = ctypes.c_void_p()
        self.call("cuStreamCreate", ctypes.byref(handle), 1)
        return Stream(self, handle.value)


class Stream:
    """A stream that waits for no other, as PyTorch describes its own."""

    def __init__(self, driver, handle):
        self.driver = driver
        self.cuda_stream = handle

    def synchronize(self):
        self.driver.call("cuStreamSynchronize", ctypes.c_void_p(self.cuda_stream))


class GpuArray:
    """An array in memory of the GPU."""

    def __init__(self, driver, content):
        self.driver = driver
        self.shape, self.dtype, self.nbytes = content.shape, content.dtype, content.nbytes
        address = ctypes.c_uint64()
        driver.call("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(content.nbytes))
        self.address = address.value
        driver.call("cuMemcpyHtoD_v2", address, ctypes.c_void_p(content.ctypes.data), ctypes.c_size_t(content.nbytes))

    @property
    def __cuda_array_interface__(self):
        return {"version": 3, "typestr": self.dtype.str, "shape": self.shape, "strides": None, "data": (self.address, False)}

    def get(self):
        """The content, without waiting for any stream but the default one."""
        content = np.empty(self.shape, self.dtype)
        self.driver.call(
            "cuMemcpyDtoH_v2", ctypes.c_void_p(content.ctypes.data), ctypes.c_uint64(self.address), ctypes.c_size_t(self.nbytes)
        )
        return content
