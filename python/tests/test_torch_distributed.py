"""Programs of several devices: process groups, and symmetric memory."""

import os
import re
import subprocess
import sys
import threading
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")
dist = torch.distributed
if not dist.is_available() or not dist.is_gloo_available():
    pytest.skip("this build of PyTorch has no Gloo", allow_module_level=True)

from torch.distributed import distributed_c10d as c10d  # noqa: E402

PROGRAMS = Path(__file__).parent / "programs"
TORCHRUN = [sys.executable, "-m", "torch.distributed.run", "--standalone"]


def run(*command):
    """The ranks that say that they passed; their lines may mix."""
    environment = {name: value for name, value in os.environ.items() if name not in ("RANK", "WORLD_SIZE", "LOCAL_WORLD_SIZE")}
    done = subprocess.run([*map(str, command)], capture_output=True, text=True, check=False, timeout=600, env=environment)
    assert done.returncode == 0, done.stderr
    return sorted(re.findall(r"rank (\d of \d): passed", done.stdout))


def test_a_tensor_parallel_program():
    program = PROGRAMS / "tensor_parallel.py"
    passed = run(*TORCHRUN, "--nproc-per-node", 4, "-m", "tilewright.cutile", "--torch-cuda", program)
    assert passed == ["0 of 4", "1 of 4", "2 of 4", "3 of 4"]


def test_a_program_that_starts_torchrun_itself():
    program = PROGRAMS / "tensor_parallel.py"
    torchrun = ["-m", *TORCHRUN[2:], "--nproc-per-node", "gpu"]
    passed = run(sys.executable, "-m", "tilewright.cutile", "--torch-cuda", "--devices", 2, "--subprocesses", *torchrun, program)
    assert passed == ["0 of 2", "1 of 2"]


def test_processes_of_the_program_itself():
    passed = run(sys.executable, "-m", "tilewright.cutile", "--torch-cuda", "--devices", 2, "--threads", 1, PROGRAMS / "spawned.py")
    assert passed == ["0 of 2", "1 of 2"]


@pytest.fixture
def cuda_on_cpu(monkeypatch):
    from tilewright import cutile
    from tilewright.cutile import _launch

    for name in ("RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT", "LOCAL_WORLD_SIZE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(_launch, "_share_of_cores", None)
    cutile.install(torch_cuda=True)
    yield
    if dist.is_initialized():
        dist.destroy_process_group()
    cutile.uninstall()


@pytest.fixture
def group(cuda_on_cpu):
    """The group of this process alone."""
    dist.init_process_group("nccl", store=dist.HashStore(), rank=0, world_size=1, device_id=torch.device("cuda:0"))
    return dist.group.WORLD


def test_nccl_is_gloo(group):
    assert dist.is_nccl_available() and dist.is_backend_available("nccl")
    assert dist.get_backend() == "gloo"
    x = torch.ones(4, device="cuda")
    dist.all_reduce(x, op=dist.ReduceOp.AVG)
    for backend in ("nccl", "NCCL", "cpu:gloo,cuda:nccl", None):
        dist.all_reduce(x, group=dist.new_group([0], backend=backend))
    dist.barrier(device_ids=[0])
    assert (x == 1).all()


@pytest.mark.parametrize("backend", [None, "cuda:nccl", "cpu:gloo,cuda:nccl", "gloo"])
def test_backends(cuda_on_cpu, backend):
    dist.init_process_group(backend, store=dist.HashStore(), rank=0, world_size=1)
    assert dist.get_backend() == "gloo"
    dist.all_reduce(torch.ones(3, device="cuda"))


def test_other_backends_stay():
    from tilewright.cutile._torch_distributed import _gloo_for_nccl

    assert [_gloo_for_nccl(backend) for backend in ("mpi", "cpu:mpi,cuda:ucc")] == ["mpi", "cpu:mpi,cuda:ucc"]


def test_modules_in_parallel(group):
    model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(3, 2).to("cuda:0"), device_ids=[0], output_device=0)
    model(torch.ones(4, 3, device="cuda")).sum().backward()
    assert model.module.bias.grad.tolist() == [4, 4]


def test_a_mesh_of_devices(group):
    mesh = dist.init_device_mesh("cuda", (1,))
    assert mesh.size() == 1
    dist.all_reduce(torch.ones(3, device="cuda"), group=mesh.get_group())


def test_a_signal_pad_whose_size_only_the_memory_of_a_tensor_has(monkeypatch):
    from torch.distributed import _symmetric_memory as symm_mem

    from tilewright.cutile import _torch_symmetric

    class Older:
        signal_pad_size = property(lambda _: 2048)

    monkeypatch.setattr(symm_mem, "_SymmetricMemory", Older)
    monkeypatch.setattr(_torch_symmetric.SymmetricMemory, "signal_pad_size", 9216)
    _torch_symmetric.replacements()
    assert _torch_symmetric.SymmetricMemory.signal_pad_size == 9216


def test_what_torchrun_would_have_said(cuda_on_cpu, monkeypatch):
    missing = r"finds no RANK, WORLD_SIZE, MASTER_ADDR, MASTER_PORT in the environment.*torchrun --nproc-per-node N -m tilewright\.cutile"
    for arguments in ({}, {"init_method": "env://"}):
        with pytest.raises(ValueError, match=missing):
            dist.init_process_group("nccl", **arguments)
    monkeypatch.setenv("MASTER_ADDR", "localhost")
    with pytest.raises(ValueError, match="finds no MASTER_PORT in"):
        dist.init_process_group("nccl", rank=0, world_size=1)


def test_a_build_without_gloo(cuda_on_cpu, monkeypatch):
    monkeypatch.setattr(dist, "is_gloo_available", lambda: False)
    with pytest.raises(RuntimeError, match="has no Gloo, which takes the place of NCCL"):
        dist.init_process_group("nccl", store=dist.HashStore(), rank=0, world_size=1)


def test_processes_share_the_cores(cuda_on_cpu, monkeypatch):
    from tilewright.cutile import _launch

    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    monkeypatch.setenv("LOCAL_WORLD_SIZE", "2")
    dist.init_process_group("nccl", store=dist.HashStore(), rank=0, world_size=1)
    assert _launch._share_of_cores == max(cores // 2, 1)


@pytest.fixture
def symmetric(group):
    import torch.distributed._symmetric_memory as symm_mem

    return symm_mem


def test_symmetric_memory(symmetric, group):
    x = symmetric.empty(4, 6, dtype=torch.float16, device="cuda")
    assert x.shape == (4, 6) and x.dtype == torch.float16 and x.is_contiguous()
    assert symmetric.is_symm_mem_tensor(x) and not symmetric.is_symm_mem_tensor(torch.ones(3))
    handle = symmetric.rendezvous(x, group)
    assert (handle.rank, handle.world_size, handle.offset, handle.buffer_size) == (0, 1, 0, 48)
    assert handle.buffer_ptrs == [x.data_ptr()] and handle.signal_pad_ptrs == [x.data_ptr() + 48]
    x.fill_(3)
    same = handle.get_buffer(0, (12,), torch.float16, 12)
    assert same.data_ptr() == x[2].data_ptr() and (same == 3).all()
    row = symmetric.rendezvous(x[1], group.group_name)
    assert row.offset == 12 and row.get_remote_tensor(0, (6,), torch.float16).data_ptr() == x[1].data_ptr()
    assert symmetric.empty([0]).numel() == 0
    got = torch.zeros(6, dtype=torch.float16)
    if hasattr(symmetric, "get"):
        symmetric.get(got, row, 0)
        assert (got == 3).all()


def test_symmetric_memory_lives_as_long_as_tensors_in_it(symmetric, group):
    from tilewright.cutile import _torch_symmetric

    before = len(_torch_symmetric._segments)
    x = symmetric.empty(4, device="cuda").fill_(2)
    view = symmetric.rendezvous(x, group).get_buffer(0, (4,), torch.float32)
    del x
    assert len(_torch_symmetric._segments) == before + 1 and view.tolist() == [2, 2, 2, 2]
    del view
    assert len(_torch_symmetric._segments) == before


def test_signals(symmetric, group):
    handle = symmetric.rendezvous(symmetric.empty(4, device="cuda"), group)
    handle.put_signal(0, channel=3)
    assert handle.get_signal_pad(0).tolist()[:5] == [0, 0, 0, 1, 0]
    with pytest.raises(TimeoutError, match="rank 0 did not take the last signal of rank 0 on channel 3 within 20 ms"):
        handle.put_signal(0, channel=3, timeout_ms=20)
    handle.wait_signal(0, channel=3)
    with pytest.raises(TimeoutError, match="no signal of rank 0 came to rank 0 on channel 3 within 20 ms"):
        handle.wait_signal(0, channel=3, timeout_ms=20)
    handle.barrier()
    with pytest.raises(ValueError, match="channel 99999: there are 1 ranks"):
        handle.put_signal(0, channel=99999)
    assert handle.get_signal_pad(0, (2, 2), torch.int64, 1).shape == (2, 2)


def test_words_are_written(symmetric, group):
    memory = torch.distributed._symmetric_memory._SymmetricMemory
    x = symmetric.empty(8, dtype=torch.uint32, device="cuda")
    memory.memset32(x, offset=1, val=0xFFFFFFFF, count=2)
    memory.stream_write_value32(x, offset=4, val=0x80000001)
    assert x.tolist() == [0, 0xFFFFFFFF, 0xFFFFFFFF, 0, 0x80000001, 0, 0, 0]
    with pytest.raises(ValueError, match="2 words from 7 on are not in a tensor of 8"):
        memory.memset32(x, offset=7, val=1, count=2)
    with pytest.raises(TypeError, match="32-bit integers"):
        memory.memset32(torch.ones(3), offset=0, val=1)


def test_operations_of_symmetric_memory(symmetric, group):
    name = group.group_name
    x = symmetric.empty(4, 6, dtype=torch.float16, device="cuda").fill_(3)
    row, out = symmetric.empty(6, device="cuda").fill_(2), torch.zeros(6)
    ops = torch.ops.symm_mem
    assert (ops.one_shot_all_reduce(x, "sum", name) == x).all() and (ops.two_shot_all_reduce_(x, "sum", name) == 3).all()
    assert (ops.multimem_all_reduce_(x[1], "sum", name) == 3).all()
    assert (ops.one_shot_all_reduce_copy(row, torch.ones(3), "sum", name) == 1).all() and row.tolist() == [1, 1, 1, 2, 2, 2]
    assert ops.reduce_scatter_out(row, name, False, out) is out and out.tolist() == [1, 1, 1, 2, 2, 2]
    ops.multimem_all_gather_out(torch.full((6,), 5.0), name, row)
    assert row.tolist() == [5] * 6 and ops.get_remote_tensors(row, name)[0].data_ptr() == row.data_ptr()
    for wrong, error, message in [
        (lambda: ops.one_shot_all_reduce(x, "max", name), ValueError, "expected the reduction 'sum', got 'max'"),
        (lambda: ops.one_shot_all_reduce(torch.ones(3), "sum", name), RuntimeError, "rendezvous takes tensors of"),
        (lambda: ops.multimem_all_gather_out(torch.ones(5), name, row), ValueError, "5 elements of each of 1 processes are not 6"),
        (lambda: ops.nvshmem_put(row, 0), NotImplementedError, "torch.ops.symm_mem.nvshmem_put is not there with --torch-cuda"),
    ]:
        with pytest.raises(error, match=re.escape(message)):
            wrong()


def test_what_symmetric_memory_refuses(symmetric, group):
    with pytest.raises(RuntimeError, match="rendezvous takes tensors of"):
        symmetric.rendezvous(torch.ones(3), group)
    x = symmetric.empty(4, device="cuda")
    handle = symmetric.rendezvous(x, group)
    with pytest.raises(ValueError, match=r"\[5\] of torch.float32 from byte 0 on end at byte 20 of 16"):
        handle.get_buffer(0, (5,), torch.float32)
    with pytest.raises(RuntimeError, match=r"give group\.group_name"):
        type(handle).rendezvous(x)
    for refused in (handle.boxed, lambda: symmetric.set_backend("NVSHMEM"), lambda: symmetric.get_mem_pool("cuda")):
        with pytest.raises(NotImplementedError, match="not there with --torch-cuda"):
            refused()


class Group:
    """As much of a process group as an exchange of segments asks for."""

    def __init__(self, rank, size):
        self._rank, self._size = rank, size

    def rank(self):
        return self._rank

    def size(self):
        return self._size


def exchange(monkeypatch, sizes, timeout=None):
    """What came of an exchange of segments of these sizes, each of which a thread has; None does not come."""
    from datetime import timedelta

    from tilewright.cutile import _torch_symmetric as symmetric

    store = dist.HashStore()
    if timeout:
        store.set_timeout(timedelta(seconds=timeout))
    monkeypatch.setattr(c10d, "_get_process_group_store", lambda _group: store)
    monkeypatch.setattr(symmetric, "_turns", dict.fromkeys(map(str, range(len(sizes))), iter([0] * len(sizes))))
    outcomes = {}

    def come(rank, size):
        segment = symmetric._TensorSegment.new(size)
        segment.buffer_size, segment.pad_size = size, 0
        try:
            found = symmetric._segments_of_others(segment, Group(rank, len(sizes)), str(rank))
            outcomes[rank] = sorted(found)
        except RuntimeError as error:
            outcomes[rank] = str(error)

    threads = [threading.Thread(target=come, args=item) for item in enumerate(sizes) if item[1]]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return outcomes


def test_segments_are_exchanged(monkeypatch):
    assert exchange(monkeypatch, [64, 64, 64]) == {0: [1, 2], 1: [0, 2], 2: [0, 1]}


def test_all_know_why_an_exchange_fails(monkeypatch):
    outcomes = exchange(monkeypatch, [64, 64, 128])
    assert len(outcomes) == 3
    assert all("give all processes tensors of the same size" in outcome for outcome in outcomes.values())
    [alone] = exchange(monkeypatch, [64, None], timeout=0.2).values()
    assert "rank 1 did not come to the rendezvous" in alone


def test_memory_of_another_machine(monkeypatch):
    from tilewright.cutile._shared_memory import Segment

    monkeypatch.setattr(Segment, "of_other_process", classmethod(lambda cls, place: os.open("/no/such/file", os.O_RDWR)))
    outcomes = exchange(monkeypatch, [64, 64])
    assert "cannot map the symmetric memory of rank" in outcomes[0] and "same machine" in outcomes[0]


@pytest.mark.parametrize("anonymous", [True, False])
def test_segments(monkeypatch, tmp_path, anonymous):
    from tilewright.cutile._shared_memory import Segment

    if not anonymous:
        monkeypatch.delattr(os, "memfd_create", raising=False)
        monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    elif not hasattr(os, "memfd_create"):
        pytest.skip("this system has no files without a name")
    first = Segment.new(100)
    second = Segment.of_other_process(first.place)
    first[3] = 7
    assert second[:4] == b"\0\0\0\7"
    assert len(list(tmp_path.iterdir())) == (0 if anonymous else 1)
    with pytest.raises(OSError, match="is something else"):
        Segment.of_other_process(first.place._replace(token="00" * 16))
    with pytest.raises(OSError, match="is shorter than 1000000 bytes"):
        Segment.of_other_process(first.place._replace(size=1000000))
    place = first.place
    del first
    assert list(tmp_path.iterdir()) == []
    assert second[3] == 7
    with pytest.raises(OSError):
        Segment.of_other_process(place)
