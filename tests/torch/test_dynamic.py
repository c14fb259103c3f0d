"""torch.compile and torch.export of graphs whose lengths, taps and batches change: one graph serves all."""

import pytest
import torch

import ffc_torch

LENGTHS = (256, 512, 1000, 333)


def compiled(function, backend="aot_eager", **keywords):
    torch._dynamo.reset()
    return torch.compile(function, fullgraph=True, backend=backend, **keywords)


def check(graph, function, device, batch, length, taps, mark=False):
    u = torch.randn(batch, 2, length, device=device).bfloat16().requires_grad_()
    k = (torch.randn(2, taps, device=device) / taps**0.5).requires_grad_()
    if mark:
        for tensor, axis in ((u, 0), (u, 2), (k, 1)):
            torch._dynamo.mark_dynamic(tensor, axis)
    y, expected = graph(u, k), function(u, k)
    dy = torch.randn_like(y)
    assert torch.equal(y, expected)
    for one, other in zip(torch.autograd.grad(y, (u, k), dy), torch.autograd.grad(expected, (u, k), dy), strict=True):
        assert torch.equal(one, other)


def check_lengths(graph, function, device, taps=None, lengths=LENGTHS, **keywords):
    """The first compiles; another batch and length does not."""
    for i, length in enumerate(lengths):
        with torch.compiler.set_stance("fail_on_recompile" if i > 0 else "default"):
            check(graph, function, device, 3 + i, length, taps or length, **keywords)


def gated(u, k):
    return ffc_torch.fft_conv(u, k, skip=k[:, 0], in_gate=u.sin(), out_gate=u.cos(), scale_rows=True)


FUNCTIONS = {
    "causal": ffc_torch.fft_conv,
    "gated": gated,
    "circular": lambda u, k: ffc_torch.fft_conv(u, k, padding="circular"),
    "padded": lambda u, k: ffc_torch.fft_conv(u, k, padding="padded", fft_length=2 * u.shape[-1]),
    "bidirectional": lambda u, k: ffc_torch.fft_conv(u, k, mode="bidirectional", k_reverse=k.flip(0), fft_length=2048),
    "shared filters": lambda u, k: ffc_torch.fft_conv(u, k[:1]),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_dynamic_graphs(device, name):
    function = FUNCTIONS[name]
    check_lengths(compiled(function, dynamic=True), function, device)


def test_rows_that_are_measured_ahead(device):
    """Long ones are, whose magnitudes gradients take, and short ones are not."""
    lengths = 512, 40000, 34001, 1000
    check_lengths(compiled(ffc_torch.fft_conv, dynamic=True), ffc_torch.fft_conv, device, lengths=lengths)


@pytest.mark.parametrize("taps", (100, 2000))
def test_filters_of_one_length(device, taps):
    """Shorter than all rows, or longer."""
    check_lengths(compiled(ffc_torch.fft_conv, dynamic=True), ffc_torch.fft_conv, device, taps)


def test_marked_axes(device):
    check_lengths(compiled(ffc_torch.fft_conv), ffc_torch.fft_conv, device, mark=True)


def test_axes_that_were_seen_to_change(device):
    """Without a word of it the second batch and length compiles for all that follow."""
    graph = compiled(ffc_torch.fft_conv)
    check(graph, ffc_torch.fft_conv, device, 3, 512, 512)
    check(graph, ffc_torch.fft_conv, device, 4, 256, 256)
    with torch.compiler.set_stance("fail_on_recompile"):
        check(graph, ffc_torch.fft_conv, device, 5, 1000, 1000)


def test_by_inductor(device):
    def block(u, k):
        return ffc_torch.fft_conv(u * 2, k) * 2

    check_lengths(compiled(block, "inductor", dynamic=True), block, device)


def test_lengths_that_compile_again(device):
    """Where the transform's points follow from the length, PyTorch says that the axis cannot be left open."""

    def both(u, k):
        return ffc_torch.fft_conv(u, k, mode="bidirectional", k_reverse=k)

    check(compiled(both, dynamic=True), both, device, 3, 256, 256)
    with pytest.raises(Exception, match=r"marked .* as dynamic|Constraints violated"):
        check(compiled(both), both, device, 3, 256, 256, mark=True)


class Block(torch.nn.Module):
    def __init__(self, taps, device):
        super().__init__()
        self.k = torch.nn.Parameter(torch.randn(2, taps, device=device) / taps**0.5)

    def forward(self, u):
        return ffc_torch.fft_conv(u * 2, self.k)


@pytest.mark.parametrize("strict", (False, True))
@pytest.mark.parametrize(("taps", "lengths"), ((1024, (16, 1000)), (256, (300, 2000))))
def test_export_with_any_batch_and_length(device, strict, taps, lengths):
    """Lengths below the filter's, or above."""
    axes = {0: torch.export.Dim("batch", min=1, max=64), 2: torch.export.Dim("length", min=lengths[0], max=lengths[1])}
    block = Block(taps, device)
    u = torch.randn(3, 2, 512, device=device).half()
    program = torch.export.export(block, (u,), dynamic_shapes={"u": axes}, strict=strict).module()
    for batch, length in ((1, 512), (4, 300), (2, lengths[1])):
        u = torch.randn(batch, 2, length, device=device).half()
        dy = torch.randn_like(u)
        y, expected = program(u), block(u)
        assert torch.equal(y, expected)
        (found,) = torch.autograd.grad(y, list(program.parameters()), dy)
        assert torch.equal(found, torch.autograd.grad(expected, block.k, dy)[0])
