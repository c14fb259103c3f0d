"""nn.Modules over fft_conv."""

import math
from collections.abc import Callable

import torch

from . import _by_fft, _checks, _routes
from ._errors import raise_out_of_memory
from ._filters import two_sided_transform
from ._functional import fft_conv
from ._operators import ops, prepare
from ._scaling import scales_rows


class LongConv(torch.nn.Module):
    """A long convolution with a filter of its own: y = out_gate . (conv(u . in_gate, k) + skip . (u . in_gate)).

    channels, length: H and L of the rows. filter_length: taps, `length` where it is None.
    filter: a function or module that returns k (H, Lk) when called without arguments, and (k, k_reverse) in
    mode="bidirectional"; None makes learnable taps.
    skip: learn a number for each channel, the D of state-space models.
    groups: channels of a group share a filter; None: every channel has one.
    scale_gradients: True or False, or "delayed": the scale of the step before, a state of the module in its state_dict.
    The rest is as fft_conv takes it.
    """

    def __init__(
        self,
        channels: int,
        length: int,
        *,
        filter_length: int | None = None,
        filter: Callable[[], torch.Tensor] | None = None,
        skip: bool = True,
        groups: int | None = None,
        padding: str = "causal",
        fft_length: int | None = None,
        mode: str = "forward",
        reverse_lag: int = 0,
        precision: str | None = None,
        scale_gradients: bool | str = True,
        scale_rows: bool | None = None,
        device: torch.device | str | None = None,
    ):
        super().__init__()
        taps = length if filter_length is None else filter_length
        for name, value in (("channels", channels), ("length", length), ("filter_length", taps)):
            _checks.positive(name, value)
        rows = channels if groups is None else groups
        if not isinstance(rows, int) or rows < 1 or channels % rows != 0:
            raise ValueError(f"groups is {groups}; it must divide channels, {channels}")
        _checks.choice("mode", mode, ("forward", "bidirectional"))
        if mode == "forward":
            _checks.transform(padding, length, taps, fft_length)
        else:
            two_sided_transform(length, fft_length)
        self.channels, self.length, self.padding = channels, length, padding
        self.fft_length, self.precision = fft_length, precision
        self.mode, self.reverse_lag = mode, reverse_lag
        _checks.choice("scale_gradients", scale_gradients, (True, False, "delayed"))
        self.scale_gradients, self.scale_rows = scale_gradients, scale_rows
        if scale_gradients == "delayed":
            self.register_buffer("gradient_scale", torch.zeros((), device=device))
        self.filter = filter
        learnt = {"k": filter is None, "k_reverse": filter is None and mode == "bidirectional"}
        for name, wanted in learnt.items():
            value = torch.randn(rows, taps, device=device) / math.sqrt(taps) if wanted else None
            self.register_parameter(name, torch.nn.Parameter(value) if wanted else None)
        if skip:
            self.skip = torch.nn.Parameter(torch.ones(channels, device=device))
        else:
            self.register_parameter("skip", None)

    def forward(
        self, u: torch.Tensor, in_gate: torch.Tensor | None = None, out_gate: torch.Tensor | None = None
    ) -> torch.Tensor:
        k, k_reverse = (self.k, self.k_reverse) if self.filter is None else (self.filter(), None)
        if self.filter is not None and self.mode == "bidirectional":
            k, k_reverse = k
        return fft_conv(
            u,
            k,
            skip=self.skip,
            in_gate=in_gate,
            out_gate=out_gate,
            padding=self.padding,
            fft_length=self.fft_length,
            mode=self.mode,
            k_reverse=k_reverse,
            reverse_lag=self.reverse_lag,
            precision=self.precision,
            scale_gradients=self.gradient_scale if self.scale_gradients == "delayed" else self.scale_gradients,
            scale_rows=self.scale_rows,
        )

    def extra_repr(self) -> str:
        return f"{self.channels}, {self.length}, padding={self.padding!r}, skip={self.skip is not None}"


class StreamingConv(torch.nn.Module):
    """A causal convolution of a stream that comes in segments, without gradients: the results of the segments joined
    are those of one call.

    k (H, Lk), skip (H) as of fft_conv. A segment is (B, H, any length). The inputs that the next segment needs are
    kept; reset() forgets them, which begins another stream.
    """

    def __init__(self, k: torch.Tensor, *, skip: torch.Tensor | None = None):
        super().__init__()
        taps = _checks.filters("k", k, None)
        if skip is not None:
            _checks.skip_term(skip, taps.shape[0])
        self.register_buffer("k", taps.detach().float().clone())
        self.register_buffer("skip", None if skip is None else skip.detach().float().clone())
        self.register_buffer("past", None, persistent=False)
        self.register_buffer("past_gate", None, persistent=False)
        self._spectra: dict = {}

    def reset(self) -> None:
        self.past = self.past_gate = None

    def __getstate__(self):
        return {**self.__dict__, "_spectra": {}}

    @torch.no_grad()
    def forward(
        self, u: torch.Tensor, in_gate: torch.Tensor | None = None, out_gate: torch.Tensor | None = None
    ) -> torch.Tensor:
        _checks.rows("u", u)
        for name, gate in (("in_gate", in_gate), ("out_gate", out_gate)):
            if gate is not None:
                _checks.like(name, gate, u)
        channels, taps = self.k.shape
        if u.shape[1] != channels:
            raise ValueError(f"u has {u.shape[1]} channels; k has {channels} rows")
        _checks.same_device("k", self.k, u.device)
        self._check_past(u, in_gate)
        try:
            y = self._run(u, in_gate, out_gate)
        except RuntimeError as error:
            raise_out_of_memory(error)
            raise
        self.past = self._keep(self.past, u, taps - 1)
        if in_gate is not None:
            self.past_gate = self._keep(self.past_gate, in_gate, taps - 1)
        return y

    def _check_past(self, u, in_gate) -> None:
        if self.past is None:
            return
        before = self.past
        if (before.shape[:2], before.dtype, before.device) != (u.shape[:2], u.dtype, u.device):
            raise ValueError(
                f"u is {tuple(u.shape[:2])} {u.dtype} on {u.device}; the stream began as {tuple(before.shape[:2])} "
                f"{before.dtype} on {before.device}; reset() begins another"
            )
        if (self.past_gate is None) != (in_gate is None):
            raise ValueError("in_gate must be given with all segments of a stream or with none; reset() begins another")

    @staticmethod
    def _keep(past, rows, count):
        joined = rows if past is None else torch.cat((past, rows), -1)
        if joined.shape[-1] < count:
            joined = torch.nn.functional.pad(joined, (count - joined.shape[-1], 0))
        return joined[..., joined.shape[-1] - count :].clone()

    def _run(self, u, in_gate, out_gate):
        if _routes.kernel_dtype(u, None) is None:
            count = 0 if self.past is None else self.past.shape[-1]
            x = u if self.past is None else torch.cat((self.past, u), -1)
            w = in_gate if self.past_gate is None else torch.cat((self.past_gate, in_gate), -1)
            y = _by_fft.conv(x, self.k, self.skip, w, None, "causal", 0)[..., count:]
            return y if out_gate is None else y * out_gate
        gates = in_gate is not None, out_gate is not None
        length, taps = u.shape[-1], self.k.shape[1]
        key = (length, u.dtype, u.device, gates, self.k._version, self.k.data_ptr())
        if key not in self._spectra:
            self._spectra[key] = prepare(self.k, self.skip, "causal", length, 0, u.dtype, *gates, history=True)
        past = self.past if taps > 1 else None
        past_gate = self.past_gate if taps > 1 else None
        return ops.segment(u, self._spectra[key], in_gate, out_gate, past, past_gate, taps, 0, scales_rows(u))
