"""What only a GPU shows: graphs, streams, allocator reuse, and that nothing waits."""

import contextlib

import pytest
import torch
import torch.multiprocessing as mp

import ffc_torch
import test_distributed
from reference import ROWS, Problem, conv, error

pytestmark = pytest.mark.cuda


class Block(torch.nn.Module):
    """A gated long convolution between projections, as a layer of a model has it."""

    def __init__(self, channels=4, length=4096):
        super().__init__()
        self.into, self.out = (torch.nn.Conv1d(channels, n * channels, 1, device="cuda") for n in (3, 1))
        self.conv = ffc_torch.LongConv(channels, length, device="cuda")

    def forward(self, x):
        u, w, v = self.into(x).chunk(3, 1)
        return x + self.out(self.conv(u, w, v))


def on_a_side_stream(call):
    """As torch.cuda.graph asks for what runs before a capture."""
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        call()
    torch.cuda.current_stream().wait_stream(side)


def test_a_training_step_in_a_graph():
    p = Problem.random((2, 4, 4096), 4096, torch.bfloat16, "cuda", skip=True, in_gate=True, out_gate=True)
    k = p.k.detach()
    dy = torch.randn_like(p.u)

    def step():
        y = ffc_torch.fft_conv(p.u, p.k, **p.keywords())
        return y, torch.autograd.grad(y, p.all(), dy)

    on_a_side_stream(step)  # compiles and loads
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


@pytest.mark.parametrize("behind", [0, 1], ids=["alike", "apart"])
def test_a_first_call_in_a_graph(behind):
    """What is not loaded is compiled and loaded while the stream is captured, also where u and gate lie apart."""
    length = 2051 + 2 * behind  # that no other test has
    p = Problem.random((2, 4, length), length, torch.bfloat16, "cuda", in_gate=True)
    w = torch.randn(2, 4, length + behind, device="cuda", dtype=torch.bfloat16)[..., behind:]
    u, k = p.u.detach(), p.k.detach()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        y = ffc_torch.fft_conv(u, k, in_gate=w)
    y.fill_(float("nan"))
    graph.replay()
    assert torch.equal(y, ffc_torch.fft_conv(u, k, in_gate=w))
    assert error(y, conv(u.double(), k.double(), in_gate=w.double())) < ROWS[torch.bfloat16]


def test_a_model_that_learns_in_a_graph():
    """Forward under autocast, backward and optimizer in one capture: replayed, it learns as step by step."""
    inputs, targets = torch.randn(2, 5, 2, 4, 4096, device="cuda").unbind()
    torch.manual_seed(3)
    start = Block().state_dict()

    def learner():
        model = Block()
        model.load_state_dict(start)
        return model, torch.optim.AdamW(model.parameters(), lr=1e-2, capturable=True)

    def step(model, optimizer, x, target):
        optimizer.zero_grad(set_to_none=True)
        with torch.autocast("cuda", torch.bfloat16):
            loss = (model(x).float() - target).square().mean()
        loss.backward()
        optimizer.step()
        return loss

    model, optimizer = learner()
    expected = [step(model, optimizer, *pair).item() for pair in zip(inputs, targets, strict=True)]
    assert error(model.conv.k, start["conv.k"]) > 1e-2

    twin, optimizer = learner()
    x, target = inputs[0].clone(), targets[0].clone()
    on_a_side_stream(lambda: step(twin, optimizer, x, target))
    graph = torch.cuda.CUDAGraph()
    optimizer.zero_grad(set_to_none=True)
    with torch.cuda.graph(graph):
        loss = step(twin, optimizer, x, target)
    # The capture ran nothing; what ran before it made the first step.
    found = [expected[0]]
    for pair in list(zip(inputs, targets, strict=True))[1:]:
        x.copy_(pair[0])
        target.copy_(pair[1])
        graph.replay()
        found.append(loss.item())
    assert all(abs(one - other) < 1e-3 * other for one, other in zip(found, expected, strict=True))
    for name, tensor in twin.state_dict().items():
        assert error(tensor, model.state_dict()[name]) < 5e-2, name


def test_long_rows_in_a_graph():
    p = Problem.random((2, 2, 100000), 100000, torch.bfloat16, "cuda")
    ffc_torch.fft_conv(p.u, p.k)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph), torch.no_grad():
        y = ffc_torch.fft_conv(p.u, p.k)
    y.fill_(float("nan"))
    graph.replay()
    exact = p.exact()
    assert error(y, conv(exact.u, exact.k)) < ROWS[torch.bfloat16]


def test_streams_and_memory_that_is_used_again():
    """Steps on two streams at once, whose spectra and workspaces go back to the allocator before the kernels that read
    them have run, and are written over by what comes next on the same stream."""
    sides = [torch.cuda.Stream() for _ in range(2)]
    problems = [Problem.random((4, 64, 4096), 4096, torch.bfloat16, "cuda", in_gate=True) for _ in range(4)]
    dy = torch.randn_like(problems[0].u)

    def step(p):
        y = ffc_torch.fft_conv(p.u, p.k, in_gate=p.in_gate)
        return (y, *torch.autograd.grad(y, (p.u, p.k, p.in_gate), dy))

    expected = [step(p) for p in problems]
    torch.cuda.synchronize()
    for _ in range(5):
        found = []
        for i, p in enumerate(problems):
            side = sides[i % 2]
            side.wait_stream(torch.cuda.current_stream())
            with torch.cuda.stream(side):
                found.append(step(p))
                for size in (1 << 16, 1 << 20, 1 << 23):  # takes what was freed
                    torch.full((size,), 0xFF, dtype=torch.uint8, device="cuda")
        for side in sides:
            torch.cuda.current_stream().wait_stream(side)
        for mine, theirs in zip(found, expected, strict=True):
            for one, other in zip(mine, theirs, strict=True):
                one.record_stream(torch.cuda.current_stream())
                assert torch.equal(one, other)


def test_rows_of_another_stream():
    """Rows that were made on another stream and dropped there; record_stream keeps their memory, as for every op."""
    side = torch.cuda.Stream()
    k = torch.randn(64, 4096, device="cuda") / 64
    for _ in range(5):
        u = torch.randn(8, 64, 4096, device="cuda").bfloat16()
        copy = u.clone()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side), torch.no_grad():
            torch.cuda._sleep(1_000_000)
            y = ffc_torch.fft_conv(u, k)
        u.record_stream(side)
        del u
        torch.full((8, 64, 4096), float("nan"), device="cuda", dtype=torch.bfloat16)  # of the same size
        torch.cuda.current_stream().wait_stream(side)
        y.record_stream(torch.cuda.current_stream())
        assert torch.equal(y, ffc_torch.fft_conv(copy, k))


def steps_of_all_kinds():
    """Calls that must not wait for the GPU."""
    p = Problem.random((2, 4, 4096), 4096, torch.bfloat16, "cuda", skip=True, in_gate=True, out_gate=True)
    long = Problem.random((2, 4, 65536), 65536, torch.float16, "cuda")
    dy, long_dy = torch.randn_like(p.u), torch.randn_like(long.u)
    block, x = Block(), torch.randn(2, 4, 4096, device="cuda")
    stream = ffc_torch.StreamingConv(torch.randn(4, 100, device="cuda") / 10)
    prepared = ffc_torch.prepare_filter(p.k, 4096)
    u = p.u.detach()

    def learn():
        with torch.autocast("cuda", torch.bfloat16):
            block(x).float().square().mean().backward()

    return (
        lambda: torch.autograd.grad(ffc_torch.fft_conv(p.u, p.k, **p.keywords()), p.all(), dy),
        lambda: torch.autograd.grad(ffc_torch.fft_conv(long.u, long.k), (long.u, long.k), long_dy),
        lambda: ffc_torch.fft_conv(u, prepared),
        lambda: ffc_torch.fft_conv(u[..., 1:], p.k.detach()),  # copied, to rows that are aligned
        lambda: stream(u),
        learn,
    )


def test_calls_return_before_the_gpu_has_worked():
    steps = steps_of_all_kinds()
    for _ in range(2):
        for step in steps:
            step()
    for step in steps:
        torch.cuda.synchronize()
        torch.cuda._sleep(500_000_000)  # a quarter of a second
        slept = torch.cuda.Event()
        slept.record()
        step()
        assert not slept.query()


def test_pytorch_sees_no_synchronisation():
    steps = steps_of_all_kinds()
    for _ in range(2):
        for step in steps:
            step()
    torch.cuda.set_sync_debug_mode("error")
    try:
        for step in steps:
            step()
    finally:
        torch.cuda.set_sync_debug_mode("default")


def test_the_profiler_sees_no_synchronisation_and_no_allocation():
    """Of the runtime's and the driver's calls, ours among them."""
    steps = steps_of_all_kinds()
    for _ in range(3):
        for step in steps:
            step()
    torch.cuda.synchronize()
    activities = [torch.profiler.ProfilerActivity.CPU, torch.profiler.ProfilerActivity.CUDA]
    with torch.profiler.profile(activities=activities) as profile, torch.profiler.record_function("the steps"):
        for step in steps:
            step()
    events = profile.events()
    (whole,) = [event for event in events if event.name == "the steps" and event.cpu_time_total > 0][:1]
    inside = [
        event.name
        for event in events
        if whole.time_range.start <= event.time_range.start <= whole.time_range.end and event.name.startswith("cu")
    ]
    assert any("Launch" in name for name in inside), sorted(set(inside))
    words = ("Synchronize", "Malloc", "MemAlloc", "Free", "cudaMemcpy", "cuMemcpy")
    bad = {name for name in inside if any(word in name for word in words) and "Async" not in name}
    assert not bad
    # Ours are among what it saw.
    assert any(event.name.startswith("conv_") for event in events), sorted({event.name for event in events})


def test_memory_is_of_torchs_allocator():
    """A spectrum, results and workspaces are seen by torch's counters, and nothing is taken beside them."""
    k = torch.randn(64, 65536, device="cuda") / 256
    u = torch.randn(2, 64, 65536, device="cuda").bfloat16()
    ffc_torch.fft_conv(u, ffc_torch.prepare_filter(k, 65536))  # compiles, loads, and fills the allocator
    torch.cuda.synchronize()
    taken, free, reserved = (torch.cuda.memory_allocated(), torch.cuda.mem_get_info()[0], torch.cuda.memory_reserved())
    prepared = ffc_torch.prepare_filter(k, 65536)
    kept = prepared.spectrum.numel() + k.numel() * k.element_size()
    rounded = 4 << 20  # blocks of the allocator
    assert kept <= torch.cuda.memory_allocated() - taken < kept + rounded
    y = ffc_torch.fft_conv(u, prepared)
    torch.cuda.synchronize()
    assert torch.cuda.memory_allocated() - taken < kept + y.numel() * y.element_size() + rounded
    assert free - torch.cuda.mem_get_info()[0] <= torch.cuda.memory_reserved() - reserved + rounded


def test_more_memory_than_there_is():
    u, k = torch.randn(2, 2, 4096, device="cuda").bfloat16(), torch.randn(2, 4096, device="cuda") / 64
    expected = ffc_torch.fft_conv(u, k)
    size = torch.cuda.mem_get_info()[1]
    with pytest.raises(torch.OutOfMemoryError, match=r"^ffc_torch: out of memory: .* on cuda:0"):
        ffc_torch.fft_conv(u[:1].expand(size // u[0].nbytes + 1, -1, -1), k)
    assert torch.equal(ffc_torch.fft_conv(u, k), expected)


@contextlib.contextmanager
def no_memory_left():
    """The allocator gets no more from the GPU, and has nothing as large as a result of the next test."""
    torch.cuda.synchronize()
    torch.cuda.empty_cache()
    torch.cuda.set_per_process_memory_fraction(torch.cuda.memory_reserved() / torch.cuda.mem_get_info()[1])
    taken = []
    try:
        with contextlib.suppress(torch.OutOfMemoryError):
            while True:
                taken.append(torch.empty(2 << 20, dtype=torch.uint8, device="cuda"))
        yield
    finally:
        torch.cuda.set_per_process_memory_fraction(1.0)


def test_memory_that_ends_and_comes_back():
    u = torch.randn(32, 64, 8192, device="cuda").bfloat16().requires_grad_()
    k = torch.randn(64, 8192, device="cuda") / 90
    y = ffc_torch.fft_conv(u, k)

    def gradient():
        return torch.autograd.grad(y, u, u.detach(), retain_graph=True)[0]

    expected = gradient()
    for call in (gradient, lambda: ffc_torch.fft_conv(u, k)):
        with no_memory_left(), pytest.raises(torch.OutOfMemoryError, match=r"^ffc_torch: out of memory: "):
            call()
    assert torch.equal(gradient(), expected)
    assert torch.equal(ffc_torch.fft_conv(u, k), y)


def test_nothing_is_left_behind():
    step = steps_of_all_kinds()[0]
    step()
    torch.cuda.synchronize()
    taken = torch.cuda.memory_allocated()
    for _ in range(20):
        step()
    torch.cuda.synchronize()
    assert torch.cuda.memory_allocated() == taken


@pytest.mark.parametrize("dtype", (torch.float16, torch.bfloat16))
def test_autocast_as_conv1d(dtype):
    block, x = Block(), torch.randn(2, 4, 4096, device="cuda")
    scaler = torch.amp.GradScaler("cuda", enabled=dtype == torch.float16)
    optimizer = torch.optim.SGD(block.parameters(), lr=0.1)
    with torch.autocast("cuda", dtype):
        y = block.conv(x, x, x)
        assert y.dtype == torch.nn.functional.conv1d(x, torch.randn(4, 4, 3, device="cuda")).dtype == dtype
        loss = block(x).float().square().mean()
    scaler.scale(loss).backward()
    scaler.unscale_(optimizer)
    found = {name: parameter.grad.clone() for name, parameter in block.named_parameters()}
    block.zero_grad()
    block(x).square().mean().backward()  # float32, by torch.fft
    for name, parameter in block.named_parameters():
        assert found[name].dtype == torch.float32 and error(found[name], parameter.grad) < 3e-2, name


def test_reduce_overhead():
    conv_module = ffc_torch.LongConv(4, 4096, device="cuda")
    compiled = torch.compile(conv_module, fullgraph=True, mode="reduce-overhead")
    for _ in range(4):
        u = torch.randn(2, 4, 4096, device="cuda").bfloat16()
        torch.compiler.cudagraph_mark_step_begin()
        with torch.no_grad():
            assert torch.equal(compiled(u), conv_module(u))


def test_reduce_overhead_of_a_training_step():
    block = Block()
    compiled = torch.compile(block, fullgraph=True, mode="reduce-overhead")
    for _ in range(4):  # warms up, records, replays
        x = torch.randn(2, 4, 4096, device="cuda")
        found = []
        for model in (block, compiled):
            torch.compiler.cudagraph_mark_step_begin()
            block.zero_grad()
            with torch.autocast("cuda", torch.bfloat16):
                loss = model(x).float().square().mean()
            loss.backward()
            found.append({name: parameter.grad.clone() for name, parameter in block.named_parameters()})
        for name, gradient in found[0].items():
            assert error(found[1][name], gradient) < 1e-2, name


def test_two_processes_on_one_gpu(tmp_path):
    """DistributedDataParallel, and one cache of kernels, into which both compile at once."""
    works = (test_distributed.data_parallel,)
    mp.spawn(test_distributed.start, (2, tmp_path / "store", works, "cuda:0", str(tmp_path / "cache")), 2)


@pytest.mark.skipif(torch.cuda.device_count() < 2, reason="needs two GPUs")
def test_a_device_that_is_not_the_current_one():
    p = Problem.random((2, 4, 4096), 4096, torch.bfloat16, "cuda:1")
    exact = p.exact()
    assert torch.cuda.current_device() == 0
    y = ffc_torch.fft_conv(p.u, p.k)
    assert y.device == p.u.device and error(y, conv(exact.u, exact.k)) < ROWS[torch.bfloat16]
    y.float().sum().backward()
    assert torch.cuda.current_device() == 0
