"""Filters that are given as spectra."""

import torch

from . import _checks, _routes
from ._errors import raise_out_of_memory
from ._operators import ops


# The two that follow are the transpose of each other, and linear: so are gradients, and tangents are results.
class _Taps(torch.autograd.Function):
    """ops.taps_of_spectrum, real and imaginary parts being numbers of their own."""

    generate_vmap_rule = True

    @staticmethod
    def forward(spectrum, length, taps):
        return ops.taps_of_spectrum.default(spectrum, length, taps)

    @staticmethod
    def setup_context(ctx, inputs, output):
        _, ctx.length, ctx.taps = inputs

    @staticmethod
    def backward(ctx, dk):
        return _SpectrumGradient.apply(dk, ctx.length, ctx.taps), None, None

    @staticmethod
    def jvp(ctx, spectrum, *_):
        return _Taps.apply(spectrum, ctx.length, ctx.taps)


class _SpectrumGradient(torch.autograd.Function):
    """ops.spectrum_gradient of dk, which has that many taps."""

    generate_vmap_rule = True

    @staticmethod
    def forward(dk, length, taps):
        return ops.spectrum_gradient.default(dk, length)

    @staticmethod
    def setup_context(ctx, inputs, output):
        _, ctx.length, ctx.taps = inputs

    @staticmethod
    def backward(ctx, gradient):
        return _Taps.apply(gradient, ctx.length, ctx.taps), None, None

    @staticmethod
    def jvp(ctx, dk, *_):
        return _SpectrumGradient.apply(dk, ctx.length, ctx.taps)


def taps_of_spectrum(spectrum: torch.Tensor, n: int, taps: int | None = None) -> torch.Tensor:
    """torch.fft.irfft(spectrum, n=n)[:, :taps], (H, taps): taps of filters whose spectra are known, with gradients.

    spectrum: (H, n / 2 + 1), complex, frequencies 0 to n / 2 as torch.fft.rfft has them. Imaginary parts of frequency
       0, and of n / 2 where n is even, count as zeros.
    n: the points of the transform, even or odd.
    taps: of them, those that are wanted; None: all n.

    complex64 on a GPU goes through ffc's kernels, of n from 16 to 16777216, and everything else through torch.fft. Both
    have gradients of any order, forward mode and vmap.
    """
    _checks.spectra("spectrum", spectrum, n)
    _checks.positive("n", n)
    taps = n if taps is None else taps
    if not 1 <= taps <= n:
        raise ValueError(f"taps is {taps}; it must lie in [1, {n}], the points of the transform")
    if spectrum.dtype != torch.complex64 or not 16 <= n <= _checks.LONGEST or not _routes.on_kernels(spectrum):
        return torch.fft.irfft(spectrum, n=n)[:, :taps]
    try:
        if torch.compiler.is_compiling():  # graphs know the operators' gradients, and no class with forward mode
            return ops.taps_of_spectrum(torch.view_as_real(spectrum), n, taps)
        return _Taps.apply(torch.view_as_real(spectrum), n, taps)
    except RuntimeError as error:
        raise_out_of_memory(error)
        raise


def _setup_taps(ctx, inputs, output):
    _, ctx.length, _ = inputs


def _setup_gradient(ctx, inputs, output):
    dk, ctx.length = inputs
    ctx.taps = dk.shape[1]


torch.library.register_autograd(
    "ffc_torch::taps_of_spectrum",
    lambda ctx, dk: (ops.spectrum_gradient(dk, ctx.length), None, None),
    setup_context=_setup_taps,
)
torch.library.register_autograd(
    "ffc_torch::spectrum_gradient",
    lambda ctx, gradient: (ops.taps_of_spectrum(gradient, ctx.length, ctx.taps), None),
    setup_context=_setup_gradient,
)
