"""fft_conv and prepare_filter against float64."""

import pytest
import torch

import ffc_torch
from ffc_torch import _by_fft, _routes
from reference import LONG_ROWS, ROWS, Problem, conv, direct, error

HALF = (torch.float16, torch.bfloat16)


@pytest.mark.parametrize("dtype", HALF)
@pytest.mark.parametrize("length", (512, 1000, 333))
def test_causal(device, dtype, length):
    p = Problem.random((3, 2, length), length // 2, dtype, device)
    y = ffc_torch.fft_conv(p.u, p.k)
    assert y.dtype == dtype and y.shape == p.u.shape and y.is_contiguous()
    exact = p.exact()
    assert error(y, conv(exact.u, exact.k)) < ROWS[dtype]


def test_rows_past_one_block(device):
    p = Problem.random((2, 1, 40000), 40000, torch.bfloat16, device)
    exact = p.exact()
    assert error(ffc_torch.fft_conv(p.u, p.k), conv(exact.u, exact.k)) < LONG_ROWS[torch.bfloat16]


@pytest.mark.parametrize("gates", ((True, False), (False, True), (True, True)))
def test_gates_and_skip(device, gates):
    p = Problem.random((2, 2, 512), 512, torch.float16, device, skip=True, in_gate=gates[0], out_gate=gates[1])
    exact = p.exact()
    assert error(ffc_torch.fft_conv(p.u, p.k, **p.keywords()), conv(*exact.all())) < ROWS[torch.float16]


@pytest.mark.parametrize(("padding", "length", "points"), (("circular", 512, None), ("padded", 300, 512)))
def test_padding(device, padding, length, points):
    p = Problem.random((2, 2, length), 200, torch.float16, device)
    y = ffc_torch.fft_conv(p.u, p.k, padding=padding, fft_length=points)
    exact = p.exact()
    assert error(y, conv(exact.u, exact.k, points=points or length)) < ROWS[torch.float16]


def test_windows_of_a_forced_transform(device):
    p = Problem.random((1, 2, 8192), 256, torch.float16, device)
    exact = p.exact()
    assert error(ffc_torch.fft_conv(p.u, p.k, fft_length=1024), conv(exact.u, exact.k)) < ROWS[torch.float16]


@pytest.mark.parametrize("reverse_lag", (0, 1))
def test_both_directions(device, reverse_lag):
    length = 300
    p = Problem.random((2, 2, length), length, torch.float16, device)
    ahead = torch.randn(2, length, device=device) / length**0.5
    y = ffc_torch.fft_conv(p.u, p.k, mode="bidirectional", k_reverse=ahead, reverse_lag=reverse_lag)
    u, k, r = p.u.double(), p.k.double(), ahead.double()
    # Behind by the filter, and ahead by the other one over reversed rows.
    back = conv(u.flip(-1), r)
    back = back if reverse_lag == 0 else torch.nn.functional.pad(back[..., :-1], (1, 0))
    assert error(y, conv(u, k) + back.flip(-1)) < ROWS[torch.float16]
    both = {"mode": "bidirectional", "k_reverse": ahead, "reverse_lag": reverse_lag}
    assert torch.equal(ffc_torch.fft_conv(p.u, ffc_torch.prepare_filter(p.k, length, dtype=torch.float16, **both)), y)


def test_shapes_of_filters(device):
    u = torch.randn(2, 6, 256, device=device).half()
    k = torch.randn(3, 256, device=device) / 16
    grouped = ffc_torch.fft_conv(u, k)
    each = k.repeat_interleave(2, 0)
    assert error(grouped, conv(u.double(), each.double())) < ROWS[torch.float16]
    assert torch.equal(grouped, ffc_torch.fft_conv(u, each[None]))
    assert error(ffc_torch.fft_conv(u, k[0]), conv(u.double(), k[:1].double().expand(6, -1))) < ROWS[torch.float16]


def test_taps_past_the_row_reach_nothing(device):
    u, k = torch.randn(2, 2, 256, device=device).half(), torch.randn(2, 400, device=device) / 16
    assert torch.equal(ffc_torch.fft_conv(u, k), ffc_torch.fft_conv(u, k[:, :256]))


def test_strides(device):
    projection = torch.randn(2, 256, 6, device=device).half()  # (B, L, 3 H): rows not contiguous in L
    u, w, v = projection.transpose(1, 2).split(2, dim=1)
    k = torch.randn(2, 256, device=device) / 16
    y = ffc_torch.fft_conv(u, k, in_gate=w, out_gate=v)
    assert error(y, conv(u.double(), k.double(), None, w.double(), v.double())) < ROWS[torch.float16]
    stacked = projection.transpose(1, 2).contiguous()  # slices of it are rows with gaps, and are not copied
    assert torch.equal(y, ffc_torch.fft_conv(*_slices(stacked, k)[:2], **_slices(stacked, k)[2]))
    shifted = torch.randn(2, 2, 257, device=device).half()[..., 1:]  # aligned to 2 bytes
    assert error(ffc_torch.fft_conv(shifted, k), conv(shifted.double(), k.double())) < ROWS[torch.float16]
    shared = torch.randn(1, 2, 256, device=device).half().expand(3, -1, -1)
    assert error(ffc_torch.fft_conv(shared, k), conv(shared.double(), k.double())) < ROWS[torch.float16]


def _slices(stacked, k):
    u, w, v = stacked.split(2, dim=1)
    return u, k, {"in_gate": w, "out_gate": v}


def test_strides_of_filters(device):
    u = torch.randn(2, 4, 256, device=device).half()
    skip = torch.randn(8, device=device)[::2]
    for k in (torch.randn(4, 512, device=device)[:, ::2] / 16, torch.randn(256, 4, device=device).T / 16):
        y = ffc_torch.fft_conv(u, k, skip=skip)
        assert torch.equal(y, ffc_torch.fft_conv(u, k.contiguous(), skip=skip.contiguous()))
        assert error(y, conv(u.double(), k.double(), skip.double())) < ROWS[torch.float16]


def test_empty_batch(device):
    u = torch.empty(0, 2, 256, device=device, dtype=torch.bfloat16, requires_grad=True)
    k = torch.randn(2, 256, device=device, requires_grad=True)
    y = ffc_torch.fft_conv(u, k)
    y.sum().backward()
    assert y.shape == u.shape and u.grad.shape == u.shape and k.grad.abs().sum() == 0


def test_prepared_filter(device):
    p = Problem.random((2, 2, 512), 512, torch.bfloat16, device, skip=True, in_gate=True)
    prepared = ffc_torch.prepare_filter(p.k, 512, skip=p.skip, in_gate=True)
    y = ffc_torch.fft_conv(p.u, prepared, in_gate=p.in_gate)
    assert torch.equal(y, ffc_torch.fft_conv(p.u, p.k, **p.keywords()))
    y.float().square().sum().backward()  # rows and gates have gradients, the filter's is nobody's
    assert p.u.grad.norm() > 0 and p.in_gate.grad.norm() > 0 and p.k.grad is None


def test_prepared_filter_in_float32(device):
    p = Problem.random((2, 2, 300), 300, torch.float32, device)
    prepared = ffc_torch.prepare_filter(p.k, 300, dtype=torch.float32)
    assert prepared.spectrum is None
    assert torch.equal(ffc_torch.fft_conv(p.u, prepared), ffc_torch.fft_conv(p.u, p.k))


def test_float32_keeps_its_precision_unless_asked(device):
    p = Problem.random((2, 2, 512), 512, torch.float32, device)
    exact = p.exact()
    reference = conv(exact.u, exact.k)
    assert error(ffc_torch.fft_conv(p.u, p.k), reference) < 1e-6
    y = ffc_torch.fft_conv(p.u, p.k, precision="half")
    assert y.dtype == torch.float32
    assert 1e-5 < error(y, reference) < ROWS[torch.float16]


def test_cpu_by_torch_fft(monkeypatch):
    monkeypatch.setattr(_routes, "host", False)
    p = Problem.random((2, 2, 256), 256, torch.bfloat16, "cpu", skip=True, in_gate=True, out_gate=True)
    exact = p.exact()
    y = ffc_torch.fft_conv(p.u, p.k, **p.keywords())
    assert y.dtype == torch.bfloat16
    rounded_once = conv(*exact.all()).to(torch.bfloat16).double()
    assert error(y, rounded_once) < 2e-3  # but where float32 stands between two of bfloat16


def test_reference_against_conv1d():
    u, k = torch.randn(2, 3, 50, dtype=torch.float64), torch.randn(3, 20, dtype=torch.float64)
    assert error(conv(u, k), direct(u, k)) < 1e-13
    assert error(_by_fft.conv(u, k, None, None, None, "causal", 0), direct(u, k)) < 1e-13


def test_good_lengths():
    for least in range(1, 3000):
        points = _by_fft.good_length(least)
        assert least <= points < max(2 * least, 3)


@pytest.mark.parametrize("dtype", HALF)
def test_autocast(device, dtype):
    u, k = torch.randn(2, 2, 256, device=device), torch.randn(2, 256, device=device, requires_grad=True)
    w = torch.randn(2, 2, 256, device=device, dtype=torch.float64 if dtype is None else torch.float32)
    with torch.autocast(device.type, dtype):
        y = ffc_torch.fft_conv(u, k, in_gate=w)
        like = torch.nn.functional.conv1d(u, torch.randn(2, 2, 3, device=device))
        exact = ffc_torch.fft_conv(u.double(), k)
    assert y.dtype == like.dtype == dtype and exact.dtype == torch.float64
    assert torch.equal(y, ffc_torch.fft_conv(u.to(dtype), k, in_gate=w.to(dtype)))
    y.float().sum().backward()
    assert k.grad.dtype == torch.float32
