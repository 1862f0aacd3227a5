"""A program for GPUs that starts a process for each of them itself."""

import socket

import cuda.tile as ct
import torch
import torch.distributed as dist
import torch.multiprocessing as mp


@ct.kernel
def add_rank(x, rank, n: ct.Constant[int]):
    ct.store(x, (0,), ct.load(x, (0,), (n,)) + rank)


def work(rank, world_size, port):
    dist.init_process_group("nccl", init_method=f"tcp://localhost:{port}", rank=rank, world_size=world_size)
    x = torch.ones(16, device=f"cuda:{rank}")
    ct.launch(torch.cuda.current_stream(), (1,), add_rank, (x, float(rank), 16))
    dist.all_reduce(x)
    assert (x == world_size + sum(range(world_size))).all()
    print(f"rank {rank} of {world_size}: passed", flush=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    with socket.socket() as free:
        free.bind(("localhost", 0))
        port = free.getsockname()[1]
    devices = torch.cuda.device_count()
    mp.spawn(work, args=(devices, port), nprocs=devices)
