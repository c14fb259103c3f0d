"""Several processes: rows sharded over the sequence against the undistributed result, and DDP on one cache."""

import os

import pytest
import torch
import torch.distributed as dist
import torch.multiprocessing as mp

import ffc_torch
import ffc_torch.distributed
from ffc_torch import _routes
from reference import Problem, error

BATCH, CHANNELS, LENGTH = 2, 4, 512


def start(rank, processes, store, work, device="cpu", cache=None):
    """One of the processes: work(rank, processes, device). `cache` is a folder for kernels, the usual one if None."""
    _routes.host = True  # rows of the CPU, whether there is a GPU or not
    if cache is not None:
        os.environ["FFC_CACHE_DIR"] = cache
    dist.init_process_group("gloo", init_method=f"file://{store}", rank=rank, world_size=processes)
    try:
        work(rank, processes, device)
    finally:
        dist.destroy_process_group()


def sharded(rank, processes, device):
    torch.manual_seed(7)
    p = Problem.random(
        (BATCH, CHANNELS, LENGTH), LENGTH, torch.bfloat16, device, skip=True, in_gate=True, out_gate=True
    )
    y = ffc_torch.fft_conv(p.u, p.k, **p.keywords())
    dy = torch.randn_like(y)
    expected = torch.autograd.grad(y, p.all(), dy)

    samples = slice(rank * LENGTH // processes, (rank + 1) * LENGTH // processes)
    channels = slice(rank * CHANNELS // processes, (rank + 1) * CHANNELS // processes)
    u, w, v = (t.detach()[..., samples].clone().requires_grad_() for t in (p.u, p.in_gate, p.out_gate))
    k, d = (t.detach()[channels].clone().requires_grad_() for t in (p.k, p.skip))
    part = ffc_torch.distributed.fft_conv(u, k, skip=d, in_gate=w, out_gate=v)
    assert torch.equal(part, y[..., samples])
    found = torch.autograd.grad(part, (u, k, d, w, v), dy[..., samples])
    parts = (samples, channels, channels, samples, samples)
    for one, other, place in zip(found, expected, parts, strict=True):
        other = other[..., place] if one.dim() == 3 else other[place]
        assert error(one, other) < 1e-3  # batches of another parity sum in another order

    with pytest.raises(ValueError, match=f"u has 1 channels; {processes} processes must divide them"):
        ffc_torch.distributed.fft_conv(u[:, :1], k)


def data_parallel(rank, processes, device):
    torch.manual_seed(7)
    module = ffc_torch.LongConv(2, 256, device=device)
    u = torch.randn(2 * processes, 2, 256, device=device).bfloat16()
    module(u).float().square().mean().backward()
    expected = [p.grad.clone() for p in module.parameters()]
    module.zero_grad()
    parallel = torch.nn.parallel.DistributedDataParallel(module)
    parallel(u[2 * rank : 2 * rank + 2]).float().square().mean().backward()
    for parameter, gradient in zip(module.parameters(), expected, strict=True):
        assert error(parameter.grad, gradient) < 5e-3


@pytest.mark.parametrize("processes", (2, 4))
def test_rows_sharded_over_the_sequence(tmp_path, processes):
    mp.spawn(start, (processes, tmp_path / "store", sharded), processes)


def test_data_parallel(tmp_path):
    mp.spawn(start, (2, tmp_path / "store", data_parallel), 2)
