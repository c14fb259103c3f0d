"""What only a GPU shows: graphs, streams, allocator reuse, and that nothing waits."""

import pytest
import torch

import ffc_torch
from reference import Problem, conv, error

pytestmark = pytest.mark.cuda


def test_a_training_step_in_a_graph():
    p = Problem.random((2, 4, 4096), 4096, torch.bfloat16, "cuda", skip=True, in_gate=True, out_gate=True)
    k = p.k.detach()
    dy = torch.randn_like(p.u)

    def step():
        y = ffc_torch.fft_conv(p.u, p.k, **p.keywords())
        return y, torch.autograd.grad(y, p.all(), dy)

    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        step()  # compiles and loads
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        y, gradients = step()
    with torch.no_grad():
        p.k.copy_(torch.randn_like(k) / 64)  # the filter of the next step
        p.u.copy_(torch.randn_like(p.u))
    for tensor in (y, *gradients):
        tensor.fill_(float("nan"))
    graph.replay()
    expected_y, expected = step()
    assert torch.equal(y, expected_y)
    assert all(torch.equal(one, other) for one, other in zip(gradients, expected, strict=True))


def test_long_rows_in_a_graph():
    p = Problem.random((2, 2, 100000), 100000, torch.bfloat16, "cuda")
    ffc_torch.fft_conv(p.u, p.k)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph), torch.no_grad():
        y = ffc_torch.fft_conv(p.u, p.k)
    y.fill_(float("nan"))
    graph.replay()
    exact = p.exact()
    assert error(y, conv(exact.u, exact.k)) < 2.5e-3


def test_streams_and_memory_that_is_used_again():
    side = torch.cuda.Stream()
    problems = [Problem.random((4, 64, 4096), 4096, torch.bfloat16, "cuda") for _ in range(4)]
    expected = [ffc_torch.fft_conv(p.u, p.k) for p in problems]
    torch.cuda.synchronize()
    for _ in range(5):
        with torch.cuda.stream(side):
            found = [ffc_torch.fft_conv(p.u, p.k) for p in problems]  # workspaces and spectra go back at once
        torch.cuda.current_stream().wait_stream(side)
        for one, other in zip(found, expected, strict=True):
            one.record_stream(torch.cuda.current_stream())
            assert torch.equal(one, other)


def test_nothing_synchronises_or_allocates():
    p = Problem.random((2, 4, 4096), 4096, torch.bfloat16, "cuda", in_gate=True)
    dy = torch.randn_like(p.u)

    def step():
        return torch.autograd.grad(ffc_torch.fft_conv(p.u, p.k, in_gate=p.in_gate), (p.u, p.k, p.in_gate), dy)

    for _ in range(3):
        step()
    torch.cuda.synchronize()
    activities = [torch.profiler.ProfilerActivity.CPU, torch.profiler.ProfilerActivity.CUDA]
    with torch.profiler.profile(activities=activities) as profile, torch.profiler.record_function("the steps"):
        for _ in range(3):
            step()
    events = profile.events()
    (steps,) = [event for event in events if event.name == "the steps" and event.cpu_time_total > 0][:1]
    inside = [
        event.name
        for event in events
        if steps.time_range.start <= event.time_range.start <= steps.time_range.end and event.name.startswith("cu")
    ]
    assert any("Launch" in name for name in inside), inside
    bad = [name for name in inside if any(word in name for word in ("Synchronize", "Malloc", "MemAlloc", "MemFree"))]
    assert not bad


def test_reduce_overhead():
    conv_module = ffc_torch.LongConv(4, 4096, device="cuda")
    compiled = torch.compile(conv_module, fullgraph=True, mode="reduce-overhead")
    u = torch.randn(2, 4, 4096, device="cuda").bfloat16()
    expected = conv_module(u)
    for _ in range(4):
        torch.compiler.cudagraph_mark_step_begin()
        assert torch.equal(compiled(u), expected)


@pytest.mark.skipif(torch.cuda.device_count() < 2, reason="needs two GPUs")
def test_a_device_that_is_not_the_current_one():
    p = Problem.random((2, 4, 4096), 4096, torch.bfloat16, "cuda:1")
    exact = p.exact()
    assert torch.cuda.current_device() == 0
    y = ffc_torch.fft_conv(p.u, p.k)
    assert y.device == p.u.device and error(y, conv(exact.u, exact.k)) < 2.5e-3
    y.float().sum().backward()
    assert torch.cuda.current_device() == 0
