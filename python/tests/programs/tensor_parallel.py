"""Layers whose weights lie on several devices, as a program for GPUs has them: run by torchrun, it knows nothing of the CPU."""

import os

import cuda.tile as ct
import torch
import torch.distributed as dist
import torch.distributed._symmetric_memory as symm_mem

TILE = 16


@ct.kernel
def linear(x, w, y, n: ct.Constant[int]):
    i, j = ct.bid(0), ct.bid(1)
    acc = ct.full((n, n), 0, ct.float32)
    for k in range(ct.num_tiles(w, axis=0, shape=(n, n))):
        acc = ct.mma(ct.load(x, (i, k), (n, n)), ct.load(w, (k, j), (n, n)), acc)
    ct.store(y, (i, j), acc)


@ct.kernel
def sum_of_peers(peers, y, n: ct.Constant[int], world_size: ct.Constant[int]):
    i = ct.bid(0)
    acc = ct.full((n,), 0, ct.float32)
    for peer in range(world_size):
        acc = acc + ct.load(peers[peer], (i,), (n,))
    ct.store(y, (i,), acc)


@ct.kernel
def push(x, inbox, flag, n: ct.Constant[int]):
    ct.store(inbox, (0,), ct.load(x, (0,), (n,)))
    ct.atomic_xchg(flag, 0, 1, memory_order=ct.MemoryOrder.RELEASE, memory_scope=ct.MemoryScope.SYS)


@ct.kernel
def take(flag, inbox, y, n: ct.Constant[int]):
    while ct.atomic_add(flag, 0, 0, memory_order=ct.MemoryOrder.ACQUIRE, memory_scope=ct.MemoryScope.SYS) == 0:
        pass
    ct.store(y, (0,), ct.load(inbox, (0,), (n,)))


def apply(x, w):
    y = torch.empty(x.shape[0], w.shape[1], device=x.device)
    grid = ct.cdiv(y.shape[0], TILE), ct.cdiv(y.shape[1], TILE)
    ct.launch(torch.cuda.current_stream(), grid, linear, (x, w, y, TILE))
    return y


def column_parallel(x, w, rank, world_size):
    """Each device has columns of the weights, and computes columns of the result, which all gather."""
    part = apply(x, w.chunk(world_size, dim=1)[rank].contiguous())
    parts = [torch.empty_like(part) for _ in range(world_size)]
    dist.all_gather(parts, part)
    return torch.cat(parts, dim=1)


def row_parallel(x, w, rank, world_size):
    """Each device has rows of the weights, and computes a part of each sum, which all add up."""
    y = apply(x.chunk(world_size, dim=1)[rank].contiguous(), w.chunk(world_size, dim=0)[rank].contiguous())
    dist.all_reduce(y)
    return y


def one_shot_all_reduce(values, world_size):
    """Each device reads the memory of all others."""
    mine = symm_mem.empty(values.shape, dtype=values.dtype, device=values.device)
    handle = symm_mem.rendezvous(mine, dist.group.WORLD.group_name)
    mine.copy_(values)
    handle.barrier(channel=0)
    peers = [handle.get_buffer(peer, mine.shape, mine.dtype) for peer in range(world_size)]
    total = torch.empty_like(values)
    ct.launch(torch.cuda.current_stream(), (values.numel() // TILE,), sum_of_peers, (peers, total, TILE, world_size))
    handle.barrier(channel=0)
    return total


def collectives_of_symmetric_memory(rank, world_size, device):
    """Operations of PyTorch on memory that all devices share."""
    group = dist.group.WORLD.group_name
    mine = symm_mem.empty(world_size, 8, dtype=torch.bfloat16, device=device).fill_(rank + 1)
    total = world_size * (world_size + 1) // 2
    assert (torch.ops.symm_mem.one_shot_all_reduce(mine, "sum", group) == total).all()
    assert (mine == rank + 1).all()
    part = torch.ops.symm_mem.reduce_scatter_out(mine, group, False, torch.empty(1, 8, dtype=torch.bfloat16, device=device))
    assert (part == total).all()
    assert (torch.ops.symm_mem.two_shot_all_reduce_(mine, "sum", group) == total).all()
    rows = symm_mem.empty(world_size, 8, device=device)
    torch.ops.symm_mem.multimem_all_gather_out(torch.full((8,), float(rank), device=device), group, rows)
    assert torch.equal(rows, torch.arange(world_size, device=device).float()[:, None].expand(-1, 8))


def around_the_ring(values, rank, world_size):
    """Each device writes into the memory of the next one, whose kernel waits for that."""
    inbox = symm_mem.empty(TILE, device=values.device)
    flag = symm_mem.empty(1, dtype=torch.int32, device=values.device).zero_()
    inboxes, flags = (symm_mem.rendezvous(tensor, dist.group.WORLD) for tensor in (inbox, flag))
    dist.barrier(device_ids=[rank])
    following = (rank + 1) % world_size
    to = inboxes.get_buffer(following, (TILE,), torch.float32), flags.get_buffer(following, (1,), torch.int32)
    ct.launch(torch.cuda.current_stream(), (1,), push, (values, *to, TILE))
    received = torch.empty_like(values)
    ct.launch(torch.cuda.current_stream(), (1,), take, (flag, inbox, received, TILE))
    dist.barrier()
    return received


def main():
    rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(rank)
    device = torch.device("cuda", rank)
    dist.init_process_group("nccl", device_id=device)
    rank, world_size = dist.get_rank(), dist.get_world_size()
    assert torch.cuda.device_count() == world_size and torch.cuda.current_device() == rank
    torch.manual_seed(0)
    x, w = torch.randint(-4, 5, (32, 64), device=device).float(), torch.randint(-4, 5, (64, 128), device=device).float()
    expected = x @ w
    assert torch.equal(column_parallel(x, w, rank, world_size), expected)
    assert torch.equal(row_parallel(x, w, rank, world_size), expected)
    values = torch.arange(4 * TILE, device=f"cuda:{rank}") + 1000.0 * rank
    total = one_shot_all_reduce(values, world_size)
    assert torch.equal(total, torch.arange(4 * TILE) * float(world_size) + 1000.0 * sum(range(world_size)))
    collectives_of_symmetric_memory(rank, world_size, device)
    received = around_the_ring(torch.full((TILE,), float(rank), device=device), rank, world_size)
    assert (received == (rank - 1) % world_size).all()
    print(f"rank {rank} of {world_size}: passed", flush=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
