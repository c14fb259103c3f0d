"""Filters that are given as spectra: taps, the convolution and gradients against torch.fft in float64."""

import random

import pytest
import torch
from torch.library import opcheck

import ffc_torch
from ffc_torch._operators import ops
from reference import ROWS, TAP_GRADIENTS, conv, error

FLOATS = 1e-6


def spectrum_of(channels, n, device, scale=1.0):
    """Random numbers: imaginary parts of frequencies 0 and n / 2 too."""
    return (scale * torch.randn(channels, n // 2 + 1, dtype=torch.complex64, device=device)).requires_grad_()


def exact(tensor):
    return tensor.detach().to(torch.complex128 if tensor.is_complex() else torch.float64).requires_grad_()


def lengths():
    drawn = random.Random(torch.seed())
    return [16, 17, 61, 1009, 4096, 40000] + [drawn.randrange(16, 5000) for _ in range(4)]


@pytest.mark.parametrize("case", range(10))
def test_taps_and_gradients(device, case):
    n = lengths()[case]
    taps = n if case % 2 else n // 3 + 1
    print(f"n {n}, taps {taps}")
    spectrum = spectrum_of(3, n, device)
    k = ffc_torch.taps_of_spectrum(spectrum, n, taps)
    same = exact(spectrum)
    expected = torch.fft.irfft(same, n=n)[:, :taps]
    assert k.dtype == torch.float32 and k.shape == (3, taps) and error(k, expected) < FLOATS
    dk = torch.randn_like(k)
    (found,) = torch.autograd.grad(k, spectrum, dk)
    (right,) = torch.autograd.grad(expected, same, dk.double())
    assert found.dtype == torch.complex64 and (found - right).norm() < FLOATS * right.norm()


@pytest.mark.parametrize("n", (16, 17, 30))
def test_first_and_second_gradients_are_those_of_differences(device, n):
    """The operators are linear, so that differences of any step are exact but for rounding."""
    spectrum = spectrum_of(2, n, device)

    def taps(spectrum):
        return ffc_torch.taps_of_spectrum(spectrum, n, n - 1)

    wide = {"eps": 1.0, "atol": 1e-4, "rtol": 1e-4, "check_batched_grad": False, "nondet_tol": 0.0}
    assert torch.autograd.gradcheck(taps, (spectrum,), **wide)
    direction = torch.randn(2, n - 1, device=device, requires_grad=True)
    (gradient,) = torch.autograd.grad(taps(spectrum), spectrum, direction, create_graph=True)
    (again,) = torch.autograd.grad(gradient, direction, spectrum.detach())
    assert error(again, taps(spectrum)) < FLOATS


@pytest.mark.parametrize("dtype", (torch.float16, torch.bfloat16))
@pytest.mark.parametrize("padding", ("circular", "padded", "causal"))
def test_convolution(device, dtype, padding):
    length = 501 if padding == "circular" else 256
    points = length if padding == "circular" else 512
    keywords = {"padding": padding} | ({"fft_length": points} if padding == "padded" else {})
    u = torch.randn(3, 2, length, device=device).to(dtype).requires_grad_()
    spectrum = spectrum_of(2, points, device)
    y = ffc_torch.fft_conv(u, spectrum, **keywords)
    u_exact, same = exact(u), exact(spectrum)
    k = torch.fft.irfft(same, n=points)
    expected = conv(
        u_exact, k[:, :length] if padding == "causal" else k, points=None if padding == "causal" else points
    )
    assert error(y, expected) < ROWS[dtype]
    dy = torch.randn_like(y)
    du, found = torch.autograd.grad(y, (u, spectrum), dy)
    du_right, right = torch.autograd.grad(expected, (u_exact, same), dy.double())
    assert error(du, du_right) < TAP_GRADIENTS[dtype]
    assert (found - right).norm() < TAP_GRADIENTS[dtype] * right.norm()


def test_prepared_and_shared_and_modules(device):
    u, spectrum = torch.randn(2, 4, 256, device=device).half(), spectrum_of(2, 512, device).detach()
    y = ffc_torch.fft_conv(u, spectrum)
    assert torch.equal(ffc_torch.fft_conv(u, ffc_torch.prepare_filter(spectrum, 256, channels=4, dtype=u.dtype)), y)
    assert torch.equal(ffc_torch.fft_conv(u, ffc_torch.taps_of_spectrum(spectrum, 512, 256)), y)
    assert torch.equal(ffc_torch.LongConv(4, 256, filter=lambda: spectrum, skip=False, groups=2)(u), y)


def test_rows_in_float64(device):
    u, spectrum = torch.randn(2, 2, 64, dtype=torch.float64), exact(spectrum_of(2, 64, "cpu"))
    assert torch.autograd.gradcheck(lambda u, s: ffc_torch.fft_conv(u, s, padding="circular"), (u, spectrum))


def test_strides(device):
    spectrum = torch.randn(65, 3, 2, dtype=torch.complex64, device=device)[..., 1].T
    assert error(ffc_torch.taps_of_spectrum(spectrum, 128), torch.fft.irfft(spectrum, n=128)) < FLOATS


def test_operators(device):
    spectrum = torch.randn(2, 33, 2, device=device, requires_grad=True)
    opcheck(ops.taps_of_spectrum.default, (spectrum, 64, 50))
    opcheck(ops.spectrum_gradient.default, (torch.randn(2, 50, device=device, requires_grad=True), 64))


def test_compile(device):
    u, spectrum = torch.randn(2, 2, 256, device=device).half(), spectrum_of(2, 512, device)

    def block(spectrum):
        return ffc_torch.fft_conv(u, spectrum * 2).float().square().sum()

    (expected,) = torch.autograd.grad(block(spectrum), spectrum)
    compiled = torch.compile(block, fullgraph=True, backend="aot_eager")
    assert (torch.autograd.grad(compiled(spectrum), spectrum)[0] - expected).norm() < 2e-3 * expected.norm()


def test_func(device):
    u, spectrum = torch.randn(2, 2, 256, device=device).half(), spectrum_of(2, 512, device)

    def loss(spectrum):
        return ffc_torch.fft_conv(u, spectrum).float().square().sum()

    (expected,) = torch.autograd.grad(loss(spectrum), spectrum)
    found = torch.func.grad(loss)(spectrum.detach())
    assert (found - expected).norm() < 1e-5 * expected.norm()
    direction = torch.randn_like(spectrum)
    _, tangent = torch.func.jvp(lambda s: ffc_torch.taps_of_spectrum(s, 512), (spectrum.detach(),), (direction,))
    assert error(tangent, torch.fft.irfft(direction, n=512)) < FLOATS
    many = torch.stack([spectrum.detach() * factor for factor in (1, -2, 0.5)])
    taps = torch.vmap(lambda spectrum: ffc_torch.taps_of_spectrum(spectrum, 512))(many)
    assert error(taps, torch.fft.irfft(many, n=512)) < FLOATS
    gradients = torch.vmap(torch.func.grad(loss))(many)
    for one, gradient in zip(many, gradients, strict=True):
        assert (gradient - torch.func.grad(loss)(one)).norm() < 1e-2 * gradient.norm()


@pytest.mark.parametrize(
    "message, keywords",
    (
        (r"k has shape \(2, 40\); it must be \(channels, 33\)", {"padding": "circular"}),
        (r"k has shape \(2, 40\); it must be \(channels, 65\)", {"padding": "padded", "fft_length": 128}),
        ("fft_length is None; padding", {"padding": "padded"}),
        ("k is a spectrum and mode is 'bidirectional'", {"mode": "bidirectional", "k_reverse": torch.ones(2, 8)}),
    ),
)
def test_refused_filters(device, message, keywords):
    u, spectrum = torch.randn(1, 2, 64, device=device).half(), torch.ones(2, 40, dtype=torch.complex64, device=device)
    with pytest.raises(ValueError, match=message):
        ffc_torch.fft_conv(u, spectrum, **keywords)


def test_refused_spectra(device):
    spectrum = torch.ones(2, 33, dtype=torch.complex64, device=device)
    for message, arguments in (
        (r"spectrum has shape \(2, 33\); it must be \(channels, 34\)", (spectrum, 66)),
        (r"taps is 65; it must lie in \[1, 64\]", (spectrum, 64, 65)),
        ("spectrum is torch.float32; it must be complex", (spectrum.real, 64)),
    ):
        with pytest.raises(ValueError, match=message):
            ffc_torch.taps_of_spectrum(*arguments)
