"""Filters prepared once, for inference."""

from dataclasses import dataclass

import torch

from . import _checks, _routes
from ._convolve import convolve_at_once
from ._errors import raise_out_of_memory
from ._filters import taps_of
from ._operators import prepare


@dataclass(frozen=True, eq=False)
class PreparedFilter:
    """What prepare_filter makes. `spectrum` is None where the rows go through torch.fft, which takes k itself."""

    k: torch.Tensor
    skip: torch.Tensor | None
    spectrum: torch.Tensor | None
    length: int
    padding: str
    fft_length: int | None
    dtype: torch.dtype
    gates: tuple[bool, bool]

    def convolve(self, u, skip, in_gate, out_gate, *scales) -> torch.Tensor | None:
        """As convolve_at_once; None too for rows that the filter was not prepared for."""
        fits = u.dtype is self.dtype and u.dim() == 3 and u.shape[2] == self.length and skip is None
        if not fits or self.spectrum is None or self.gates != (in_gate is not None, out_gate is not None):
            return None
        settings = self.spectrum, self.padding, self.fft_length or 0
        return convolve_at_once(u, self.k, self.skip, in_gate, out_gate, *settings, *scales)

    def check(self, u: torch.Tensor, in_gate: bool, out_gate: bool) -> None:
        _checks.same_device("the prepared filter", self.k, u.device)
        if u.shape[1] != self.k.shape[0]:
            raise ValueError(f"u has {u.shape[1]} channels; the filter was prepared for {self.k.shape[0]}")
        if u.shape[2] != self.length:
            raise ValueError(f"u has length {u.shape[2]}; the filter was prepared for {self.length}")
        if u.dtype != self.dtype:
            raise ValueError(f"u is {u.dtype}; the filter was prepared for {self.dtype}")
        if (in_gate, out_gate) != self.gates:
            raise ValueError(
                f"in_gate and out_gate are given: {in_gate}, {out_gate}; the filter was prepared for {self.gates[0]}, "
                f"{self.gates[1]}"
            )


def prepare_filter(
    k: torch.Tensor,
    length: int,
    *,
    channels: int | None = None,
    dtype: torch.dtype = torch.bfloat16,
    skip: torch.Tensor | None = None,
    in_gate: bool = False,
    out_gate: bool = False,
    padding: str = "causal",
    fft_length: int | None = None,
    mode: str = "forward",
    k_reverse: torch.Tensor | None = None,
    reverse_lag: int = 0,
) -> PreparedFilter:
    """The spectrum of k, to be given to fft_conv in the place of k any number of times.

    k, skip and what follows `padding` are as fft_conv takes them. The rows will have `length` samples of `dtype` and,
    where `in_gate` and `out_gate` say so, those gates. `channels` is needed where k has fewer rows than they.
    """
    _checks.positive("length", length)
    taps, padding, fft_length = taps_of(k, channels, length, padding, fft_length, mode, k_reverse, reverse_lag)
    channels = taps.shape[0]
    if skip is not None:
        _checks.skip_term(skip, channels)
        _checks.same_device("skip", skip, k.device)
    _checks.choice("dtype", dtype, _checks.ROWS)
    probe = torch.empty((1, channels, 1), dtype=dtype, device=k.device)
    on_kernels = _routes.kernel_dtype(probe, None) is not None
    taps = taps.detach().clone()
    skip = None if skip is None else skip.detach().clone()
    shape = padding, length, fft_length or 0, dtype, in_gate, out_gate
    try:
        spectrum = prepare(taps, skip, *shape) if on_kernels else None
    except RuntimeError as error:
        raise_out_of_memory(error)
        raise
    return PreparedFilter(taps, skip, spectrum, length, padding, fft_length, dtype, (in_gate, out_gate))
