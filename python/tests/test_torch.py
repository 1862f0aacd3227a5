"""Tensors, and code that asks for the device "cuda"."""

import types

import numpy as np
import pytest

from tilewright import spread


class Tensor:
    """What this package uses of a tensor of PyTorch."""

    def __init__(self, array, dtype, device="cpu"):
        self._array = array
        self.dtype = dtype
        self.device = types.SimpleNamespace(type=device)
        self.shape = array.shape

    def data_ptr(self):
        return self._array.__array_interface__["data"][0]

    def stride(self):
        return tuple(stride // self._array.itemsize for stride in self._array.strides)


def test_tensors_are_used_in_place(saxpy):
    x, y = np.ones(1000, np.float32), np.zeros(1000, np.float32)
    saxpy["saxpy"].launch(4, 2.0, *spread(Tensor(x, "torch.float32")), *spread(Tensor(y, "torch.float32")))
    assert (y == 2).all()


def test_tensors_of_a_gpu_are_refused():
    with pytest.raises(TypeError, match="kernels run on the CPU"):
        spread(Tensor(np.zeros(3, np.float32), "torch.float32", device="cuda"))
    with pytest.raises(TypeError, match=r"torch\.complex64 elements"):
        spread(Tensor(np.zeros(3, np.complex64), "torch.complex64"))


def test_pytorch(saxpy):
    torch = pytest.importorskip("torch")
    x, y = torch.ones(1000), torch.zeros(1000, requires_grad=True)
    saxpy["saxpy"].launch(4, 2.0, *spread(x), *spread(y))
    assert (y == 2).all()
    half = torch.zeros(4, 3, dtype=torch.bfloat16).T
    assert spread(half)[1:] == (3, 4, 1, 3)


def test_the_cpu_takes_the_place_of_cuda():
    torch = pytest.importorskip("torch")
    import cuda.tile as ct

    from tilewright import cutile

    @ct.kernel
    def double(x, y):
        ct.store(y, (0,), ct.load(x, (0,), (16,)) * 2)

    cutile.install(torch_cuda=True)
    try:
        x = torch.arange(16, dtype=torch.float32, device="cuda")
        y = torch.empty_like(x).cuda()
        assert x.is_cuda
        assert x.to("cuda:0").device.type == "cpu"
        assert torch.cuda.is_available()
        assert torch.cuda.get_device_capability() == (10, 0)
        start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        start.record()
        ct.launch(torch.cuda.current_stream(), (1,), double, (x, y))
        end.record()
        torch.cuda.synchronize()
        assert start.elapsed_time(end) > 0
        assert (y == 2 * x).all()
    finally:
        cutile.uninstall()
    assert not torch.ones(1).is_cuda
