"""fft_conv."""

import torch

from . import _by_fft, _checks, _routes
from ._convolve import convolve, convolve_at_once
from ._filters import taps_of
from ._prepared import PreparedFilter


def fft_conv(
    u: torch.Tensor,
    k: torch.Tensor | PreparedFilter,
    *,
    skip: torch.Tensor | None = None,
    in_gate: torch.Tensor | None = None,
    out_gate: torch.Tensor | None = None,
    padding: str = "causal",
    fft_length: int | None = None,
    mode: str = "forward",
    k_reverse: torch.Tensor | None = None,
    reverse_lag: int = 0,
    precision: str | None = None,
    scale_gradients: bool | torch.Tensor = True,
    scale_rows: bool | None = None,
) -> torch.Tensor:
    """y = out_gate . (conv(u . in_gate, k) + skip . (u . in_gate)), (B, H, L) as u.

    u: (B, H, L), float16, bfloat16, float32 or float64, of any strides. in_gate and out_gate: of its shape and type.
    k: (H, Lk), or (1, H, Lk); (groups, Lk) or (Lk) are shared by channels side by side. Or what prepare_filter made.
       float32 is best; others are cast to it. Taps past L of a causal filter reach nothing.
       Complex, it is the filter's spectrum as torch.fft.rfft has it: (H, N / 2 + 1), N being L of circular rows and
       fft_length of padded ones. Of causal rows it is that of N = 2 (frequencies - 1) taps; for an odd N see
       taps_of_spectrum.
    skip: (H), the D of state-space models.
    padding: "causal", y[n] = sum over m <= n of u[m] k[n - m]; "circular", modulo L; "padded", modulo fft_length, the
       first L kept.
    fft_length: points of the transform. Causal rows leave it open: below L + Lk - 1 they are taken in windows.
    mode: "forward", or "bidirectional": k_reverse (as k) has the taps ahead of a sample, the first of them at lag
       -reverse_lag. 0 adds both first taps at lag 0 (safari: the conjugate of its spectrum); 1 is that of M2-BERT and
       S4, which flip it and pad in front.
    precision: None, or "half": float32 rows go through float16 kernels, and the result is float32 again.
    scale_gradients: kernels bring u . in_gate and the gradient by y, times out_gate, into range by powers of two, and
       gradients back, so that tiny ones (1e-8 in bfloat16) and huge ones keep their accuracy. Each channel has its own,
       or each row or two of it, from the largest magnitude there, which is found on the device. False saves that time
       where both are near 1. A float32 tensor of shape () is a state: the scale of the gradients is that of the step
       before, and this one's is left there (0: there was none). Not in a compiled graph.
    scale_rows: the same for u . in_gate and y. None: for bfloat16 rows, which may be of any size; those of float16 only
       where they leave the range of the kernels, about 2^-7 to 65504 / sqrt(2 points).

    float16 and bfloat16 rows on a GPU run in ffc's kernels; all others through torch.fft, float32 in float32, half
    precision computed in float32. Under autocast rows and gates are cast as conv1d's input is. Gradients go to u, k,
    skip and the gates; kernels have no second ones.
    """
    if not isinstance(scale_gradients, bool) and isinstance(u, torch.Tensor):
        _checks.scale_of_gradients(scale_gradients, u.device)
    scales = scale_gradients, scale_rows
    filter_arguments = padding, fft_length, mode, k_reverse, reverse_lag
    if mode == "forward" and k_reverse is None and precision is None and fft_length != 0:
        try:
            if isinstance(k, PreparedFilter):
                y = k.convolve(u, skip, in_gate, out_gate, *scales)
            else:
                y = convolve_at_once(u, k, skip, in_gate, out_gate, None, padding, fft_length or 0, *scales)
        except RuntimeError:
            # The operators' own words, unless an argument is wrong: checks name that, and cost time.
            _check(u, k, skip, in_gate, out_gate, filter_arguments)
            raise
        if y is not None:
            return y
    _checks.rows("u", u)
    cast = _routes.autocast_dtype(u)
    if cast is not None:
        u = u.to(cast)
        in_gate = None if in_gate is None else in_gate.to(cast)
        out_gate = None if out_gate is None else out_gate.to(cast)
    filter = _check(u, k, skip, in_gate, out_gate, filter_arguments)
    if isinstance(k, PreparedFilter):
        return _with_prepared(u, k, in_gate, out_gate, scales)
    taps, padding, fft_length = filter
    rows_type = _routes.kernel_dtype(u, precision)
    if rows_type is None:
        return _by_fft.conv(u, taps, skip, in_gate, out_gate, padding, fft_length or 0)
    return _by_kernels(u, taps, skip, in_gate, out_gate, padding, fft_length or 0, rows_type, scales)


def _check(u, k, skip, in_gate, out_gate, filter_arguments):
    """Refuses what is wrong, by its name. Returns what taps_of makes of the filter; None of a prepared one."""
    _checks.rows("u", u)
    for name, gate in (("in_gate", in_gate), ("out_gate", out_gate)):
        if gate is not None:
            _checks.like(name, gate, u)
    if isinstance(k, PreparedFilter):
        if skip is not None:
            raise ValueError("skip is given with a prepared filter; give it to prepare_filter")
        _, _, _, k_reverse, _ = filter_arguments
        if k_reverse is not None:
            raise ValueError("k_reverse is given with a prepared filter; it takes the taps themselves")
        k.check(u, in_gate is not None, out_gate is not None)
        return None
    _checks.tensor("k", k)
    _checks.same_device("k", k, u.device)
    if skip is not None:
        _checks.skip_term(skip, u.shape[1])
        _checks.same_device("skip", skip, u.device)
    return taps_of(k, u.shape[1], u.shape[2], *filter_arguments)


def _by_kernels(u, k, skip, in_gate, out_gate, padding, fft_length, rows_type, scales):
    given = u.dtype
    u = u.to(rows_type)
    in_gate = None if in_gate is None else in_gate.to(rows_type)
    out_gate = None if out_gate is None else out_gate.to(rows_type)
    k = k.float()
    skip = None if skip is None else skip.float()
    return convolve(u, k, skip, in_gate, out_gate, None, padding, fft_length, *scales).to(given)


def _with_prepared(u, prepared: PreparedFilter, in_gate, out_gate, scales):
    taps, skip, settings = prepared.k, prepared.skip, (prepared.padding, prepared.fft_length or 0)
    if prepared.spectrum is None:
        return _by_fft.conv(u, taps, skip, in_gate, out_gate, *settings)
    skip = None if skip is None else skip.float()
    return convolve(u, taps.float(), skip, in_gate, out_gate, prepared.spectrum, *settings, *scales)
