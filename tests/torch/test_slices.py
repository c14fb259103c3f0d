"""Gradients of slices of one projection: those of torch.chunk, as one tensor and without a copy."""

import itertools

import pytest
import torch

import ffc_torch
from reference import error, gradient_bound

NAMES = ("out_gate", "in_gate", "u")


def step(chunk, projection, k, skip, order, dy, **keywords):
    """dp, dk and dskip."""
    slices = dict(zip(order, chunk(projection, len(order)), strict=True))
    y = ffc_torch.fft_conv(slices.pop("u"), k, skip=skip, **slices, **keywords)
    return torch.autograd.grad(y, (projection, k, skip), dy)


def tensors(count, length, dtype, device, batch=3, channels=2):
    projection = torch.randn(batch, count * channels, length, device=device).to(dtype).requires_grad_()
    k = (torch.randn(channels, length, device=device) / length**0.5).requires_grad_()
    skip = torch.randn(channels, device=device).requires_grad_()
    return projection, k, skip, torch.randn(batch, channels, length, device=device).to(dtype)


def by_torch(projection, chunks):
    return projection.chunk(chunks, 1)


@pytest.fixture
def no_copies(monkeypatch):
    """torch.cat fails: nothing may join gradients."""

    def refuse(*_, **__):
        raise AssertionError("gradients were joined by a copy")

    return lambda: monkeypatch.setattr(torch, "cat", refuse)


@pytest.mark.parametrize("dtype", (torch.float16, torch.bfloat16))
@pytest.mark.parametrize("order", [*itertools.permutations(NAMES), ("in_gate", "u"), ("u", "out_gate"), ("u",)])
def test_all_orders(device, dtype, order, no_copies):
    *leaves, dy = tensors(len(order), 256, dtype, device)
    expected = step(by_torch, *leaves, order, dy)
    no_copies()
    found = step(ffc_torch.chunk, *leaves, order, dy)
    for one, other in zip(found, expected, strict=True):
        assert one.shape == other.shape and torch.equal(one, other)


@pytest.mark.parametrize("length", (333, 1000, 1023, 40000))
def test_lengths(device, length, no_copies):
    projection, k, skip, dy = tensors(3, length, torch.bfloat16, device, channels=1)
    expected = step(by_torch, projection, k, skip, NAMES, dy)
    no_copies()
    for one, other in zip(step(ffc_torch.chunk, projection, k, skip, NAMES, dy), expected, strict=True):
        assert torch.equal(one, other)


def test_against_float64(device):
    projection, k, _, dy = tensors(3, 512, torch.float16, device)
    x1, x2, v = ffc_torch.chunk(projection, 3)
    (found,) = torch.autograd.grad(ffc_torch.fft_conv(v, k, in_gate=x2, out_gate=x1), projection, dy)
    exact = projection.detach().double().requires_grad_()
    x1, x2, v = exact.chunk(3, 1)
    y = torch.fft.irfft(torch.fft.rfft(v * x2, n=1024) * torch.fft.rfft(k.double(), n=1024), n=1024)[..., :512] * x1
    (expected,) = torch.autograd.grad(y, exact, dy.double())
    assert error(found, expected) < gradient_bound("u", torch.float16)


def both_ways(projection, function, dy):
    """The gradient of function(slices) with either chunk."""
    ways = by_torch, ffc_torch.chunk
    return [torch.autograd.grad(function(chunk(projection, 3)), projection, dy)[0] for chunk in ways]


def test_other_uses_of_slices(device):
    """A slice that something else takes too, one that nobody takes, and two convolutions."""
    projection, k, _, dy = tensors(3, 256, torch.bfloat16, device)
    conv = ffc_torch.fft_conv
    for function in (
        lambda s: conv(s[2], k, in_gate=s[1], out_gate=s[0]) + s[1],
        lambda s: conv(s[2], k, in_gate=s[0]),
        lambda s: conv(conv(s[2], k, in_gate=s[1]), k, out_gate=s[0]),
        lambda s: conv(s[0], k, in_gate=s[0], out_gate=s[0]),
        lambda s: s[0] * s[1] + s[2],
    ):
        one, other = both_ways(projection, function, dy)
        assert torch.equal(one, other)


def test_one_slice_in_two_places(device):
    projection, k, _, dy = tensors(1, 256, torch.float16, device)

    def gradient(chunk):
        (rows,) = chunk(projection, 1)
        return torch.autograd.grad(ffc_torch.fft_conv(rows, k, in_gate=rows), projection, dy)[0]

    assert torch.equal(gradient(ffc_torch.chunk), gradient(by_torch))


def test_frozen_filters_and_rows(device):
    projection, k, _, dy = tensors(3, 256, torch.float16, device)
    x1, x2, v = ffc_torch.chunk(projection, 3)
    ffc_torch.fft_conv(v, k.detach(), in_gate=x2, out_gate=x1).backward(dy)
    expected = both_ways(projection, lambda s: ffc_torch.fft_conv(s[2], k.detach(), in_gate=s[1], out_gate=s[0]), dy)[0]
    assert torch.equal(projection.grad, expected)
    x1, x2, v = ffc_torch.chunk(projection.detach(), 3)
    (dk,) = torch.autograd.grad(ffc_torch.fft_conv(v, k, in_gate=x2, out_gate=x1), k, dy)
    assert dk.isfinite().all()


def test_rows_through_torch_fft(device):
    projection, k, _, dy = tensors(3, 64, torch.float32, device)
    one, other = both_ways(projection, lambda s: ffc_torch.fft_conv(s[2], k, in_gate=s[1], out_gate=s[0]), dy)
    assert torch.equal(one, other)


def test_no_rows(device):
    projection, k, skip, dy = tensors(3, 64, torch.float16, device, batch=0)
    dp, dk, dskip = step(ffc_torch.chunk, projection, k, skip, NAMES, dy)
    assert dp.shape == projection.shape and not dk.any() and not dskip.any()


def test_within_transforms(device):
    projection, k, _, dy = tensors(3, 256, torch.bfloat16, device)

    def loss(projection):
        x1, x2, v = ffc_torch.chunk(projection, 3)
        return (ffc_torch.fft_conv(v, k.detach(), in_gate=x2, out_gate=x1).float() * dy.float()).sum()

    (expected,) = torch.autograd.grad(loss(projection), projection)
    assert error(torch.func.grad(loss)(projection.detach()), expected.double()) < 1e-2
    compiled = torch.compile(loss, fullgraph=True, backend="aot_eager")
    (found,) = torch.autograd.grad(compiled(projection), projection)
    assert error(found, expected.double()) < 1e-2


def test_refused(device):
    with pytest.raises(ValueError, match="projection has 6 channels and chunks is 4"):
        ffc_torch.chunk(torch.zeros(1, 6, 32, device=device), 4)
    with pytest.raises(ValueError, match="chunks is 0"):
        ffc_torch.chunk(torch.zeros(1, 6, 32, device=device), 0)
    with pytest.raises(ValueError, match="three axes"):
        ffc_torch.chunk(torch.zeros(6, 32, device=device), 2)
