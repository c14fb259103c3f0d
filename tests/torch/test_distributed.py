"""Several processes: rows sharded over the sequence against the undistributed result, and DDP on one cache."""

import os

import pytest
import torch
import torch.distributed as dist
import torch.multiprocessing as mp

import ffc_torch
from ffc_torch import _routes, distributed
from reference import Problem, error

BATCH, CHANNELS, LENGTH = 2, 4, 512


def start(rank, processes, store, works, device="cpu", cache=None):
    """One of the processes: every work(rank, processes, device), by NCCL where device is "cuda", a GPU for each.
    `cache` is a folder for kernels, the usual one where it is None."""
    _routes.host = True  # rows of the CPU, whether there is a GPU or not
    torch.set_num_threads(1)
    if cache is not None:
        os.environ["FFC_CACHE_DIR"] = cache
    backend = "gloo"
    if device == "cuda":
        backend, device = "nccl", f"cuda:{rank}"
        torch.cuda.set_device(rank)
    dist.init_process_group(backend, init_method=f"file://{store}", rank=rank, world_size=processes)
    try:
        for work in works:
            try:
                work(rank, processes, device)
            except Exception as failure:
                raise AssertionError(f"{work.__name__} failed on rank {rank}") from failure
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
    part = distributed.fft_conv(u, k, skip=d, in_gate=w, out_gate=v)
    assert torch.equal(part, y[..., samples])
    found = torch.autograd.grad(part, (u, k, d, w, v), dy[..., samples])
    parts = (samples, channels, channels, samples, samples)
    for one, other, place in zip(found, expected, parts, strict=True):
        other = other[..., place] if one.dim() == 3 else other[place]
        assert error(one, other) < 1e-3  # batches of another parity sum in another order

    with pytest.raises(ValueError, match=f"u has 1 channels; {processes} processes must divide them"):
        distributed.fft_conv(u[:, :1], k)


def chunked(rank, processes, device):
    """Any number of chunks gives the same, both directions and shared filters too."""
    torch.manual_seed(7)
    u = torch.randn(BATCH, 4 * processes, 256, device=device).half()
    k, ahead = (torch.randn(4 * processes, 256, device=device) / 16 for _ in range(2))
    keywords = {"mode": "bidirectional", "reverse_lag": 1}
    expected = ffc_torch.fft_conv(u, k, k_reverse=ahead, **keywords)
    samples = slice(rank * 256 // processes, (rank + 1) * 256 // processes)
    own = slice(4 * rank, 4 * rank + 4)
    for chunks in (None, 1, 2, 4):
        part = distributed.fft_conv(u[..., samples], k[own], k_reverse=ahead[own], chunks=chunks, **keywords)
        assert torch.equal(part, expected[..., samples])
    shared = ffc_torch.fft_conv(u, k[: 2 * processes])
    part = distributed.fft_conv(u[..., samples], k[2 * rank : 2 * rank + 2])
    assert torch.equal(part, shared[..., samples])
    for chunks in (0, 3, 8, 2.0):
        with pytest.raises(ValueError, match=f"chunks is {chunks}; it must divide the 4 channels of a process"):
            distributed.fft_conv(u[..., samples], k[own], chunks=chunks)


def in_flight(rank, processes, device):
    """All exchanges of the way there are under way before the first convolution, in both directions."""
    order = []
    flight, land, convolve = distributed._Flight, distributed._Flight.land, distributed._fft_conv

    class Flight(flight):
        def __init__(self, *arguments):
            order.append("start")
            super().__init__(*arguments)

        def land(self):
            order.append("land")
            return land(self)

    class Noted(torch.autograd.Function):
        @staticmethod
        def forward(ctx, y):
            order.append("conv")
            return y.view_as(y)

        @staticmethod
        def backward(ctx, gradient):
            order.append("conv")
            return gradient

    distributed._Flight = Flight
    distributed._fft_conv = lambda *arguments, **keywords: Noted.apply(convolve(*arguments, **keywords))
    try:
        check_order(order, processes, device)
    finally:
        distributed._Flight, distributed._fft_conv = flight, convolve


def check_order(order, processes, device):
    u = torch.randn(1, 2 * processes, 256, device=device).half().requires_grad_()
    k = (torch.randn(2, 256 * processes, device=device) / 16).requires_grad_()
    y = distributed.fft_conv(u, k, chunks=2)
    once = ["start", "start", "land", "conv", "start", "land", "conv", "start", "land", "land"]
    assert order == once, order
    order.clear()
    y.float().sum().backward()
    assert order == once, order


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


class Mixer(torch.nn.Module):
    """A gated long convolution between projections."""

    def __init__(self, conv, device):
        super().__init__()
        self.into, self.out = (torch.nn.Conv1d(CHANNELS, n * CHANNELS, 1, device=device) for n in (3, 1))
        self.conv = conv

    def forward(self, x):
        u, w, v = self.into(x).bfloat16().chunk(3, 1)
        return self.out(self.conv(u, w, v).float())


def mixers(shard, shards, group, device):
    """A model whose filters are sharded over `group`, rows to give it, and gradients of the mean of its squares for
    all rows, by a model that is not distributed."""
    torch.manual_seed(7)
    whole = Mixer(ffc_torch.LongConv(CHANNELS, LENGTH, device=device), device)
    x = torch.randn(BATCH, CHANNELS, LENGTH, device=device)
    whole(x).square().mean().backward()
    own = slice(shard * CHANNELS // shards, (shard + 1) * CHANNELS // shards)
    model = Mixer(distributed.LongConv(CHANNELS, LENGTH, group, device=device), device)
    state = {n: t[own] if n.startswith("conv.") else t for n, t in whole.state_dict().items()}
    model.load_state_dict(state, strict=True)
    expected = {n: p.grad[own] if n.startswith("conv.") else p.grad for n, p in whole.named_parameters()}
    return model, x[..., shard * LENGTH // shards : (shard + 1) * LENGTH // shards], expected


def gradients_agree(model, expected):
    for name, parameter in model.named_parameters():
        gradient = parameter.grad.full_tensor() if hasattr(parameter.grad, "full_tensor") else parameter.grad
        name = name.replace("module.", "")
        assert error(gradient, expected[name]) < 1e-2, name


def sharded_filters_and_ddp(rank, processes, device):
    model, x, expected = mixers(rank, processes, None, device)
    ddp = torch.nn.parallel.DistributedDataParallel
    assert set(distributed.own_parameters(model)) == {"conv.k", "conv.skip"}
    ddp._set_params_and_buffers_to_ignore_for_model(model, list(distributed.own_parameters(model)))
    parallel = ddp(model)  # its hooks live as long as it does
    parallel(x).square().mean().backward()
    gradients_agree(model, expected)


def sharded_filters_in_a_mesh(rank, processes, device):
    """Two replicas, over half of the processes each: filters are averaged over replicas, the rest over all."""
    mesh = dist.device_mesh.init_device_mesh(
        torch.device(device).type, (2, processes // 2), mesh_dim_names=("replica", "sequence")
    )
    group = mesh.get_group("sequence")
    model, x, expected = mixers(mesh.get_local_rank("sequence"), processes // 2, group, device)
    replica = slice(mesh.get_local_rank("replica"), None, 2)  # of the batch
    ddp = torch.nn.parallel.DistributedDataParallel
    ddp._set_params_and_buffers_to_ignore_for_model(model, list(distributed.own_parameters(model)))
    parallel = ddp(model)
    model.conv = ddp(model.conv, process_group=mesh.get_group("replica"))
    parallel(x[replica]).square().mean().backward()
    gradients_agree(model, expected)


def sharded_filters_and_fsdp(rank, processes, device):
    from torch.distributed.fsdp import fully_shard

    model, x, expected = mixers(rank, processes, None, device)
    mesh = dist.device_mesh.init_device_mesh(torch.device(device).type, (processes,))
    fully_shard(model, mesh=mesh, ignored_params=set(distributed.own_parameters(model).values()))
    model(x).square().mean().backward()
    gradients_agree(model, expected)


WORKS = (sharded, chunked, in_flight, sharded_filters_and_ddp, sharded_filters_and_fsdp, data_parallel)


@pytest.mark.parametrize(("processes", "more"), ((2, ()), (4, (sharded_filters_in_a_mesh,))))
def test_processes(tmp_path, processes, more):
    mp.spawn(start, (processes, tmp_path / "store", WORKS + more), processes)


@pytest.mark.skipif(torch.cuda.device_count() < 2, reason="needs two GPUs")
def test_processes_with_a_gpu_each(tmp_path):
    """By NCCL."""
    mp.spawn(start, (2, tmp_path / "store", WORKS, "cuda"), 2)
