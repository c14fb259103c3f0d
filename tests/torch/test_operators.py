"""torch.library.opcheck of every operator, and torch.compile."""

import pytest
import torch
from functorch.compile import make_boxed_func
from torch._dynamo.backends.common import aot_autograd
from torch.library import opcheck

import ffc_torch
from ffc_torch._operators import ops, spectrum_bytes
from reference import ROWS, Calls, Problem, conv, error, gradient_bound

HALF = (torch.float16, torch.bfloat16)
GATES = ((False, False), (True, False), (False, True), (True, True))


@pytest.mark.parametrize("dtype", HALF)
@pytest.mark.parametrize("gates", GATES)
def test_opcheck(device, dtype, gates):
    p = Problem.random((2, 2, 512), 512, dtype, device, skip=True, in_gate=gates[0], out_gate=gates[1])
    prepare = (p.k.detach(), p.skip.detach(), "causal", 512, 0, str(dtype).removeprefix("torch."), *gates, False)
    opcheck(ops.prepare.default, prepare)
    spectrum = ops.prepare(*prepare)
    opcheck(ops.forward.default, (p.u, spectrum, p.k, p.skip, p.in_gate, p.out_gate, "causal", 512, 0, True, True))
    u, k, skip, w, v = (None if t is None else t.detach() for t in p.all())
    largest = u.abs().amax().float()
    opcheck(ops.infer.default, (u, spectrum, w, v, "causal", 512, 0, True))
    for scale_rows in (False, True):
        opcheck(ops.conv.default, (u, k, skip, w, v, "causal", 0, scale_rows))
    dy = torch.randn_like(u)
    opcheck(ops.backward.default, (dy, None, None, u, spectrum, k, skip, w, v, "causal", 0, True, True, *5 * [True]))
    if gates[0] and gates[1]:
        wants = False, True, False, False, True
        opcheck(
            ops.gradients.default, (dy, largest, largest, u, spectrum, k, skip, w, v, "causal", 0, False, False, *wants)
        )


@pytest.mark.parametrize("length", (66013, 70002))
def test_opcheck_where_magnitudes_are_found_ahead(device, length):
    p = Problem.random((2, 1, length), length, torch.bfloat16, device)
    spectrum = ops.prepare(p.k.detach(), None, "causal", length, 0, "bfloat16", False, False, False)
    arguments = p.u, spectrum, p.k, None, None, None, "causal", length, 0
    for scale_rows, found in ((True, 2), (False, 0)):
        assert ops.forward(*arguments, scale_rows, True)[1].shape == (1, found)
        opcheck(ops.forward.default, (*arguments, scale_rows, True))


def test_compiled_gradients_take_what_forward_found(device):
    """Rows past one block are measured once in a graph too; short ones are by each kernel itself."""
    graphs = []

    def keep(graph, _):
        graphs.append(graph)
        return make_boxed_func(graph.forward)

    backend = aot_autograd(fw_compiler=keep, bw_compiler=keep)
    compiled = torch.compile(ffc_torch.fft_conv, fullgraph=True, backend=backend, dynamic=False)
    for length in (512, 66013, 70002):
        p = Problem.random((2, 2, length), length, torch.bfloat16, device)
        y = compiled(p.u, p.k)
        dy = torch.randn_like(y)
        exact = p.exact()
        reference = conv(*exact.all())
        assert error(y, reference) < ROWS[torch.bfloat16]
        found = torch.autograd.grad(y, (p.u, p.k), dy)
        expected = torch.autograd.grad(reference, (exact.u, exact.k), dy.double())
        for name, gradient, of in zip("uk", found, expected, strict=True):
            assert error(gradient, of) < gradient_bound(name, torch.bfloat16)
        of_rows = [node.args[2] for node in graphs[-1].graph.nodes if node.target is ops.gradients.default]
        assert [tuple(node.meta["val"].shape) for node in of_rows] == [(2, 0 if length == 512 else 2)]


def test_the_operator_that_does_nothing(device):
    u, spectrum = torch.randn(1, 2, 64, device=device).half(), torch.zeros(2, 16, device=device, dtype=torch.uint8)
    y = ops.nothing(u, spectrum, None, None, "causal", 64, 0, False)
    assert y.shape == u.shape and y.data_ptr() != u.data_ptr()


def test_a_call_is_one_operator(device):
    """No cast, no view, no filter prepared apart: they would cost as much as the call itself."""
    p = Problem.random((2, 2, 512), 512, torch.float16, device, skip=True, in_gate=True, out_gate=True)
    prepared = ffc_torch.prepare_filter(p.k, 512, dtype=torch.float16, skip=p.skip, in_gate=True, out_gate=True)
    gates = {"in_gate": p.in_gate, "out_gate": p.out_gate}
    with Calls() as calls, torch.no_grad():
        y = ffc_torch.fft_conv(p.u, p.k, **p.keywords())
        same = ffc_torch.fft_conv(p.u, prepared, **gates)
        with torch.autocast(device.type, torch.float16):
            ffc_torch.fft_conv(p.u, p.k, **p.keywords())
    assert calls.names == ["ffc_torch.conv.default", "ffc_torch.infer.default", "ffc_torch.conv.default"]
    by_the_long_way = ffc_torch.fft_conv(p.u, p.k[None], **p.keywords())
    assert torch.equal(y, same) and torch.equal(y, by_the_long_way)


def test_opcheck_of_segments(device):
    u, w = torch.randn(2, 2, 512, device=device).half(), torch.randn(2, 2, 512, device=device).half()
    k = torch.randn(2, 100, device=device) / 10
    spectrum = ops.prepare(k, None, "causal", 512, 0, "float16", True, False, True)
    past = torch.randn(2, 2, 99, device=device).half()
    opcheck(ops.segment.default, (u, spectrum, w, None, past, past, 100, 0, False))
    opcheck(ops.segment.default, (u, spectrum, w, None, None, None, 100, 0, False))


def test_bytes_of_a_spectrum_without_a_kernel(device):
    k = torch.randn(2, 512, device=device)
    for gates in GATES:
        shape = ops.prepare(k, None, "causal", 512, 0, "float16", *gates, False).shape
        assert shape == (2, spectrum_bytes("causal", 512, 512, 0, "float16", *gates, False, k.device))


@pytest.mark.parametrize("backend", ("aot_eager", "inductor"))
def test_compile(device, backend):
    p = Problem.random((2, 2, 512), 512, torch.bfloat16, device, skip=True, in_gate=True, out_gate=True)

    def block(u, k, skip, w, v):
        return torch.sin(ffc_torch.fft_conv(u * 2, k, skip=skip, in_gate=w, out_gate=v)).float().sum()

    expected = torch.autograd.grad(block(*p.all()), p.all())
    found = torch.autograd.grad(torch.compile(block, fullgraph=True, backend=backend)(*p.all()), p.all())
    for one, other in zip(found, expected, strict=True):
        assert (one - other).norm() < 2e-2 * other.norm()  # sums of bfloat16 in another order


def test_compile_of_any_batch(device):
    """The second batch compiles for all."""
    compiled = torch.compile(ffc_torch.fft_conv, fullgraph=True, backend="aot_eager")
    k = (torch.randn(2, 512, device=device) / 23).requires_grad_()

    def check(batch):
        u = torch.randn(batch, 2, 512, device=device).half()
        y, expected = compiled(u, k), ffc_torch.fft_conv(u, k)
        dy = torch.randn_like(y)
        assert torch.equal(y, expected)
        assert torch.equal(torch.autograd.grad(y, k, dy)[0], torch.autograd.grad(expected, k, dy)[0])

    check(2)
    check(3)
    with torch.compiler.set_stance("fail_on_recompile"):
        for batch in (4, 7):
            check(batch)


def test_compile_of_modules(device):
    conv = ffc_torch.LongConv(2, 512, device=device)
    u = torch.randn(2, 2, 512, device=device).bfloat16()
    assert torch.equal(torch.compile(conv, fullgraph=True)(u), conv(u))


def test_compiled_graphs_keep_no_scale(device):
    conv = ffc_torch.LongConv(2, 512, scale_gradients="delayed", device=device)
    u = torch.randn(2, 2, 512, device=device).half()
    with pytest.raises(Exception, match="scale_gradients has a state"):
        torch.compile(conv, fullgraph=True, backend="aot_eager")(u)


@pytest.mark.parametrize("reentrant", (False, True))
def test_checkpointing(device, reentrant):
    p = Problem.random((2, 2, 512), 512, torch.bfloat16, device)

    def block(u, k):
        return ffc_torch.fft_conv(torch.tanh(u), k).float().square().sum()

    expected = torch.autograd.grad(block(p.u, p.k), (p.u, p.k))
    torch.utils.checkpoint.checkpoint(block, p.u, p.k, use_reentrant=reentrant).backward()
    assert torch.equal(p.u.grad, expected[0]) and torch.equal(p.k.grad, expected[1])
