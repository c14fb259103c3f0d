"""Filters that are given as spectra."""

import torch

from . import _checks, _routes
from ._errors import raise_out_of_memory
from ._operators import ops


def taps_of_spectrum(spectrum: torch.Tensor, n: int, taps: int | None = None) -> torch.Tensor:
    """torch.fft.irfft(spectrum, n=n)[:, :taps], (H, taps): taps of filters whose spectra are known, with gradients.

    spectrum: (H, n / 2 + 1), complex, frequencies 0 to n / 2 as torch.fft.rfft has them. Imaginary parts of frequency
       0, and of n / 2 where n is even, count as zeros.
    n: the points of the transform, even or odd.
    taps: of them, those that are wanted; None: all n.

    complex64 on a GPU goes through ffc's kernels, of n from 16 to 16777216, and everything else through torch.fft. Both
    have second gradients.
    """
    _checks.spectra("spectrum", spectrum, n)
    _checks.positive("n", n)
    taps = n if taps is None else taps
    if not 1 <= taps <= n:
        raise ValueError(f"taps is {taps}; it must lie in [1, {n}], the points of the transform")
    if spectrum.dtype != torch.complex64 or not 16 <= n <= _checks.LONGEST or not _routes.on_kernels(spectrum.device):
        return torch.fft.irfft(spectrum, n=n)[:, :taps]
    try:
        return ops.taps_of_spectrum(torch.view_as_real(spectrum), n, taps)
    except RuntimeError as error:
        raise_out_of_memory(error)
        raise


def _setup_taps(ctx, inputs, output):
    _, ctx.length, _ = inputs


def _setup_gradient(ctx, inputs, output):
    dk, ctx.length = inputs
    ctx.taps = dk.shape[1]


# Each is the transpose of the other: they are linear, and real and imaginary parts are numbers of their own.
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
