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


def test_tensors_of_a_gpu_are_refused(saxpy):
    of_gpu = spread(Tensor(np.zeros(3, np.float32), "torch.float32", device="cuda"))
    with pytest.raises(TypeError, match=r"the tensor is on device .*kernels run on the CPU"):
        saxpy["saxpy"].launch(4, 2.0, *of_gpu, *of_gpu)


def test_what_tile_ir_cannot_hold_is_refused():
    with pytest.raises(TypeError, match=r"torch\.complex64 elements"):
        spread(Tensor(np.zeros(3, np.complex64), "torch.complex64"))


def test_pytorch(saxpy):
    torch = pytest.importorskip("torch")
    x, y = torch.ones(1000), torch.zeros(1000, requires_grad=True)
    saxpy["saxpy"].launch(4, 2.0, *spread(x), *spread(y))
    assert (y == 2).all()
    negative = torch.full((1000,), 3j, dtype=torch.complex64).conj().imag
    with pytest.raises(TypeError, match=r"holds its negative: use \.resolve_neg\(\)"):
        spread(negative)
    assert spread(negative.resolve_neg())[1:] == (1000, 1)
    half = torch.zeros(4, 3, dtype=torch.bfloat16).T
    assert spread(half)[1:] == (3, 4, 1, 3)


@pytest.fixture
def torch_on_cpu():
    torch = pytest.importorskip("torch")
    from tilewright import cutile

    cutile.install(torch_cuda=True)
    yield torch
    cutile.uninstall()


def test_a_launch_does_not_ask_what_takes_the_place_of_cuda(torch_on_cpu, monkeypatch):
    import cuda.tile as ct

    from tilewright.cutile._torch import CudaOnCpu

    @ct.kernel
    def double(x, y):
        ct.store(y, (0,), ct.load(x, (0,), (16,)) * 2)

    x, y = torch_on_cpu.ones(16), torch_on_cpu.zeros(16)
    asked = []
    monkeypatch.setattr(CudaOnCpu, "__torch_function__", lambda _, func, *rest: asked.append(func))
    ct.launch(None, (1,), double, (x, y))
    assert asked == []


def test_sums_of_products_are_rounded_once(torch_on_cpu):
    torch = torch_on_cpu
    for dtype in (torch.float16, torch.bfloat16):
        a, b = torch.randn(40, 600, dtype=dtype, device="cuda"), torch.randn(600, 30, dtype=dtype, device="cuda")
        exact = (a.double() @ b.double()).to(dtype)
        for product in (a @ b, torch.matmul(a, b), a.mm(b), torch.einsum("ik,kj->ij", a, b), torch.nn.functional.linear(a, b.T)):
            assert product.dtype == dtype
            assert torch.equal(product, exact)
        assert torch.equal(torch.mm(a, b, out=torch.empty_like(exact)), exact)
        wide = torch.mm(a, b, out_dtype=torch.float32)
        assert wide.dtype == torch.float32
        torch.testing.assert_close(wide, (a.double() @ b.double()).float())
    single = torch.randn(4, 4)
    assert (single @ single).dtype == torch.float32


def test_products_have_factors_of_tf32_where_the_program_allows_it(torch_on_cpu):
    torch = torch_on_cpu
    a, identity = torch.tensor([[1 + 2**-10, 1 + 2**-11, 1 + 3 * 2**-11, 1 + 2**-23]]), torch.eye(4)
    assert torch.equal(a @ identity, a)
    torch.set_float32_matmul_precision("high")
    try:
        product = a @ identity
    finally:
        torch.set_float32_matmul_precision("highest")
    assert torch.equal(product, torch.tensor([[1 + 2**-10, 1, 1 + 2**-9, 1]]))


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_products_of_another_type(torch_on_cpu, dtype):
    torch = torch_on_cpu
    a, b = (torch.randn(8, 8, dtype=getattr(torch, dtype), device="cuda") for _ in range(2))
    found = torch.mm(a, b, out_dtype=torch.float32)
    assert found.dtype == torch.float32
    assert torch.equal(found, (a.double() @ b.double()).float())


def test_gradients_are_rounded_once(torch_on_cpu):
    torch = torch_on_cpu
    x = torch.randn(300, 64, dtype=torch.bfloat16, device="cuda", requires_grad=True)
    weight, bias = (torch.randn(64, dtype=torch.bfloat16, device="cuda", requires_grad=True) for _ in range(2))
    gradient = torch.randn_like(x)
    torch.nn.functional.layer_norm(x, (64,), weight, bias).backward(gradient)
    assert torch.equal(bias.grad, gradient.double().sum(0).bfloat16())


def test_attention_needs_no_gpu(torch_on_cpu):
    torch = torch_on_cpu
    from torch.nn.attention import SDPBackend, sdpa_kernel

    q, k, v = (torch.randn(2, 3, 16, 8, dtype=torch.float16, device="cuda") for _ in range(3))
    with sdpa_kernel(SDPBackend.CUDNN_ATTENTION):
        found = torch.nn.functional.scaled_dot_product_attention(q, k, v)
    scores = torch.softmax(q.double() @ k.double().transpose(-1, -2) / 8**0.5, dim=-1)
    torch.testing.assert_close(found, (scores @ v.double()).half(), atol=1e-3, rtol=1e-3)


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
