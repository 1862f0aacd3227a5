"""The names of ``torch.cuda`` where the CPU takes the place of the device "cuda"."""

import inspect
import subprocess
import sys
from pathlib import Path

import pytest

from tilewright.cutile._torch_names import NAMES, Kind, markdown

PAGE = Path(__file__).resolve().parents[2] / "docs" / "torch-cuda.md"


def test_the_page_is_that_of_the_table():
    assert PAGE.read_text() == markdown(), "run python -m tilewright.cutile._torch_names > docs/torch-cuda.md"


@pytest.fixture
def torch():
    torch = pytest.importorskip("torch")
    from tilewright import cutile

    cutile.install(torch_cuda=True)
    yield torch
    cutile.uninstall()


def test_every_public_name_is_in_the_table(torch):
    assert set(torch.cuda.__all__) - set(NAMES) == set()


def named(kind, torch):
    return [name for name, entry in NAMES.items() if entry.kind is kind and hasattr(torch.cuda, name)]


def test_what_is_refused_says_so(torch):
    for name in named(Kind.REFUSED, torch):
        with pytest.raises(NotImplementedError, match=f"^torch.cuda.{name} is not there with --torch-cuda: "):
            getattr(torch.cuda, name)()
    with pytest.raises(NotImplementedError, match=r"torch\.cuda\.cudart is not there"):
        torch.cuda.profiler.start()


def test_what_does_nothing_gives_a_constant(torch):
    for name in named(Kind.NOTHING, torch):
        assert getattr(torch.cuda, name)() == NAMES[name].value, name
    assert torch.cuda.memory.memory_allocated() == 0
    torch.cuda.memory_stats()["changed"] = 1
    assert torch.cuda.memory_stats() == {}


def test_what_works_asks_no_driver(torch):
    """Each name that works is either replaced, or is something that no driver is asked for."""
    from tilewright.cutile._torch_cuda import WORKING

    for name in named(Kind.WORKS, torch):
        value = getattr(torch.cuda, name)
        if name in WORKING:
            assert value is WORKING[name]
        else:
            assert isinstance(value, (type, bool)) or inspect.ismodule(value), name
    assert set(WORKING) <= {name for name, entry in NAMES.items() if entry.kind is Kind.WORKS}


def test_types_are_types(torch):
    for name in ("device", "device_of", "Stream", "Event", "StreamContext", "ExternalStream", "CUDAGraph", "FloatTensor"):
        assert isinstance(getattr(torch.cuda, name), type), name
    assert isinstance(torch.cuda.device(0), torch.cuda.device)
    assert not isinstance(0, torch.cuda.device)
    with torch.cuda.device("cuda:0"), torch.cuda.device(torch.device("cuda")), torch.cuda.device_of(torch.ones(1)):
        assert torch.cuda.current_device() == 0
    with torch.cuda.caching_allocator_disabled():
        assert isinstance(torch.cuda.FloatTensor([1.0, 2.0]), torch.Tensor)


def test_there_is_one_device_if_nothing_is_said(torch):
    assert torch.cuda.device_count() == torch.accelerator.device_count() == len(torch.cuda.default_generators) == 1
    for wrong in (1, "cuda:1"):
        with pytest.raises(RuntimeError, match=r"there is no device 1: --torch-cuda has one device, 0; --devices N"):
            torch.cuda.device(wrong)
        with pytest.raises(RuntimeError, match="there is no device 1"):
            torch.cuda.set_device(wrong)
    assert torch.cuda.set_device(0) is None


@pytest.fixture
def three_devices():
    torch = pytest.importorskip("torch")
    from tilewright import cutile

    cutile.install(torch_cuda=True, devices=3)
    yield torch
    torch.cuda.set_device(0)
    cutile.uninstall()


def test_several_devices(three_devices):
    from tilewright import cutile

    torch = three_devices
    # What is left out stays what it is.
    cutile.install(torch_cuda=True)
    assert torch.cuda.device_count() == torch.accelerator.device_count() == len(torch.cuda.get_rng_state_all()) == 3
    torch.cuda.set_rng_state_all(torch.cuda.get_rng_state_all())
    assert torch.cuda.default_generators[2] is torch.default_generator
    torch.cuda.set_device(1)
    assert torch.cuda.current_device() == torch.accelerator.current_device_index() == torch.ones(1).get_device() == 1
    with torch.cuda.device(2):
        assert torch.cuda.current_device() == 2
        with torch.cuda.device(None), torch.cuda.device(-1), torch.cuda.device(torch.device("cuda:0")):
            assert torch.cuda.current_device() == 2
        torch.accelerator.set_device_index(0)
        assert torch.cuda.current_device() == 0
    assert torch.cuda.current_device() == 1
    assert torch.cuda.can_device_access_peer(0, "cuda:1") and not torch.cuda.can_device_access_peer(0, 0)
    torch.accelerator.synchronize()
    with pytest.raises(RuntimeError, match=r"there is no device 3: --torch-cuda has 3 devices, 0 to 2"):
        torch.cuda.set_device("cuda:3")


def test_devices_by_their_numbers(three_devices):
    torch = three_devices
    cpu = torch.device("cpu")
    for device in (torch.device("cuda", 2), torch.device(2), torch.device("cuda:2"), torch.device(type="cuda", index=2)):
        assert device == cpu
    assert torch.device("meta") != cpu
    x = torch.ones(2, device=1)
    moved = x.to(2), x.to("cuda:2"), x.to(device=2), x.cuda(2), x.new_zeros(3, device=2), torch.nn.Linear(2, 2, device=2).to(1).weight
    assert all(tensor.device == cpu for tensor in moved)
    assert x.to(torch.float64).dtype == torch.float64
    assert torch.Generator(device=1).device == cpu


def test_torchrun_says_how_many_devices_there_are(torch, monkeypatch):
    monkeypatch.setenv("LOCAL_WORLD_SIZE", "4")
    assert torch.cuda.device_count() == 4


def test_devices_that_make_no_sense():
    pytest.importorskip("torch")
    from tilewright import cutile

    with pytest.raises(ValueError, match="devices must be at least 1, got 0"):
        cutile.install(torch_cuda=True, devices=0)
    with pytest.raises(ValueError, match="set torch_cuda too"):
        cutile.install(devices=2)
    assert not cutile.installed()


def test_streams(torch):
    first, second = torch.cuda.Stream(), torch.cuda.Stream(priority=-1)
    default = torch.cuda.current_stream()
    assert default is torch.cuda.default_stream()
    with torch.cuda.stream(first):
        assert torch.cuda.current_stream() is first
        with torch.cuda.stream(second), torch.cuda.stream(None):
            assert torch.cuda.current_stream() is second
        assert torch.cuda.current_stream() is first
    assert torch.cuda.current_stream() is default
    torch.cuda.set_stream(first)
    assert torch.cuda.current_stream() is first
    torch.cuda.set_stream(default)
    assert torch.cuda.ExternalStream(4096).cuda_stream == torch.cuda.get_stream_from_external(4096).cuda_stream == 4096
    first.wait_stream(second)
    assert first.query() and first.record_event().query()


def test_random_numbers(torch):
    generator = torch.Generator(device="cuda")
    assert isinstance(generator, torch.Generator) and isinstance(torch.default_generator, torch.Generator)
    assert not isinstance(3, torch.Generator)
    generator.manual_seed(5)
    first = torch.rand(4, device="cuda", generator=generator)
    assert torch.equal(first, torch.rand(4, generator=torch.Generator().manual_seed(5)))
    torch.cuda.manual_seed(7)
    first = torch.rand(4, device="cuda")
    torch.cuda.manual_seed_all(7)
    assert torch.equal(first, torch.rand(4, device="cuda"))
    assert torch.cuda.initial_seed() == 7
    state, states = torch.cuda.get_rng_state(), torch.cuda.get_rng_state_all()
    first = torch.rand(4, device="cuda")
    for restore in (lambda: torch.cuda.set_rng_state(state), lambda: torch.cuda.set_rng_state_all(states)):
        assert restore() is None
        assert torch.equal(first, torch.rand(4, device="cuda"))
    torch.manual_seed(7)
    torch.cuda.seed()
    assert torch.cuda.random.initial_seed() != 7
    state = torch.get_rng_state()
    for arguments in ({}, {"devices": [0]}, {"devices": [0], "enabled": True, "device_type": "cuda"}):
        with torch.random.fork_rng(**arguments):
            torch.rand(1)
        assert torch.equal(torch.get_rng_state(), state)


def test_memory(torch):
    free, total = torch.cuda.mem_get_info()
    assert 0 < free <= total
    assert torch.cuda.memory.mem_get_info(0)[1] == total
    properties = torch.cuda.get_device_properties("cuda")
    assert properties.total_memory == total
    assert (properties.major, properties.minor) == torch.cuda.get_device_capability() == (10, 0)
    assert torch.cuda.get_arch_list() == ["sm_100"]
    with pytest.raises(AttributeError, match="regs_per_multiprocessor"):
        properties.regs_per_multiprocessor  # noqa: B018


def test_memory_need_not_be_pinned(torch):
    for tensor in (torch.empty(3, pin_memory=True), torch.tensor([1.0], pin_memory=True), torch.zeros(2, device="cpu", pin_memory=False)):
        assert tensor.pin_memory() is tensor
        assert tensor.cuda(non_blocking=True) is tensor


def test_ranges_and_marks(torch):
    with torch.cuda.nvtx.range("launch"):
        torch.cuda.nvtx.range_push("inner")
        torch.cuda.nvtx.mark("here")
        torch.cuda.nvtx.range_pop()
    torch.cuda.nvtx.range_end(torch.cuda.nvtx.range_start("outer"))


def test_everything_is_put_back():
    pytest.importorskip("torch")
    code = """
import torch
from tilewright import cutile
import torch.distributed._symmetric_memory as symm_mem
dist, c10d = torch.distributed, torch.distributed.distributed_c10d
modules = [torch, torch.cuda, torch.cuda.memory, torch.cuda.random, torch.cuda.nvtx, torch.accelerator, dist, c10d, symm_mem]
modules += [torch._C._distributed_c10d, torch.nn.parallel.DistributedDataParallel]
before = [dict(vars(module)) for module in modules]
cutile.install(torch_cuda=True)
assert torch.cuda.is_available() and dist.init_process_group is not before[6]["init_process_group"]
cutile.uninstall()
for module, names in zip(modules, before):
    changed = [name for name in names if vars(module)[name] is not names[name]]
    assert not changed, (module, changed)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
