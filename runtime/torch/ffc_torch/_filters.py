"""From filters as callers have them to the taps (H, Lk) of one transform."""

import torch

from . import _by_fft, _checks
from ._spectra import taps_of_spectrum
from ._two_sided import two_sided


def two_sided_transform(length: int, fft_length: int | None) -> int:
    """The points of the transform, where rows of that length are convolved with a filter of both directions."""
    _checks.points_given(fft_length)
    points = fft_length or max(16, _by_fft.good_length(2 * length))
    if not 2 * length - 1 <= points <= _checks.LONGEST:
        raise ValueError(
            f"fft_length is {points}; mode='bidirectional' with rows of {length} samples needs one in "
            f"[{2 * length - 1}, {_checks.LONGEST}]"
        )
    return points


def _taps_of_complex(spectrum, length, padding, fft_length, mode):
    """Taps (H, Lk) of a spectrum of as many points as the rows' transform; of causal rows as many as torch.fft.irfft
    takes for it by itself, and no taps that reach nothing."""
    _checks.choice("padding", padding, _checks.PADDINGS)
    if mode != "forward":
        raise ValueError(f"k is a spectrum and mode is {mode!r}; it must be 'forward', or give taps_of_spectrum(k, n)")
    spectrum = spectrum[0] if spectrum.dim() == 3 and spectrum.shape[0] == 1 else spectrum
    if padding == "causal":
        points = max(2 * (spectrum.shape[-1] - 1), 1)
        _checks.spectra("k", spectrum, points)
        return taps_of_spectrum(spectrum, points, min(points, length))
    if padding == "padded" and fft_length is None:
        raise ValueError('fft_length is None; padding="padded" needs it')
    points = length if padding == "circular" else fft_length
    _checks.points_given(points)
    _checks.spectra("k", spectrum, points)
    return taps_of_spectrum(spectrum, points)


def taps_of(k, channels, length, padding, fft_length, mode, k_reverse, reverse_lag):
    """Taps, padding and fft_length for rows of that length, of a filter as fft_conv takes it; `channels` None: those
    of k."""
    if isinstance(k, torch.Tensor) and k.is_complex():
        k = _taps_of_complex(k, length, padding, fft_length, mode)
    taps = _checks.shared_filters("k", k, channels)
    channels = taps.shape[0] if channels is None else channels
    _checks.choice("mode", mode, ("forward", "bidirectional"))
    if (k_reverse is not None) != (mode == "bidirectional"):
        given = "None" if k_reverse is None else "given"
        raise ValueError(f"k_reverse is {given} and mode is {mode!r}; it goes with 'bidirectional'")
    if k_reverse is not None:
        if padding != "causal":
            raise ValueError(f"padding is {padding!r}; mode='bidirectional' pads by itself, leave it at 'causal'")
        _checks.choice("reverse_lag", reverse_lag, (0, 1))
        ahead = _checks.shared_filters("k_reverse", k_reverse, channels)
        _checks.same_device("k_reverse", ahead, taps.device)
        padding, fft_length = "padded", two_sided_transform(length, fft_length)
        if taps.shape[0] != ahead.shape[0]:
            taps, ahead = _checks.of_channels(taps, channels), _checks.of_channels(ahead, channels)
        taps = two_sided(taps, ahead, length, fft_length, reverse_lag)
    elif padding == "causal":
        taps = taps[:, :length]
    _checks.transform(padding, length, taps.shape[1], fft_length)
    return _checks.of_channels(taps, channels), padding, fft_length
