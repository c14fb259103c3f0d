"""FlashFFTConv's classes by their names and arguments, over ffc: change the import, and nothing else.

    from ffc_torch.flashfftconv import FlashFFTConv, FlashDepthWiseConv1d

Other than there: any seqlen from 16 on, and filters of any length up to it; a longer one is refused and not cut;
gradients come in eval too, and those of FlashDepthWiseConv1d are right in both layouts.

    python -m ffc_torch.flashfftconv -m pytest tests    runs a program whose `import flashfftconv` finds this module
"""

import runpy
import sys

import torch

from . import _checks
from ._functional import fft_conv

__all__ = ["FlashDepthWiseConv1d", "FlashDepthwiseConv1d", "FlashFFTConv"]

_MATRICES = ("f_", "twid")  # what the original keeps in its state: DFT matrices and twiddle factors


class FlashFFTConv(torch.nn.Module):
    """y = postgate . irfft(rfft(u . pregate, seqlen) * rfft(k, seqlen)), the first L samples: circular where rows have
    seqlen samples. Rows of another type than `dtype` are cast to it, and y back."""

    def __init__(self, seqlen: int, dtype: torch.dtype = torch.float16, use_32_butterfly: bool = True):
        super().__init__()
        _checks.choice("dtype", dtype, _checks.HALF)
        if not isinstance(seqlen, int) or not 16 <= seqlen <= _checks.LONGEST:
            raise ValueError(f"seqlen is {seqlen}; it must be an integer in [16, {_checks.LONGEST}]")
        self.seqlen, self.dtype, self.use_32_butterfly = seqlen, dtype, use_32_butterfly
        self.register_load_state_dict_pre_hook(_drop_matrices)

    def forward(
        self,
        u: torch.Tensor,
        k: torch.Tensor,
        pregate: torch.Tensor | None = None,
        postgate: torch.Tensor | None = None,
    ) -> torch.Tensor:
        _checks.rows("u", u)
        given = u.dtype
        u, pregate, postgate = (None if t is None else t.to(self.dtype) for t in (u, pregate, postgate))
        padding = "circular" if u.shape[-1] == self.seqlen else "padded"
        y = fft_conv(u, k, in_gate=pregate, out_gate=postgate, padding=padding, fft_length=self.seqlen)
        return y.to(given)

    def extra_repr(self) -> str:
        return f"{self.seqlen}, {self.dtype}"


def _drop_matrices(module, state_dict, prefix, *_):
    for key in [k for k in state_dict if k.startswith(prefix) and k[len(prefix) :].startswith(_MATRICES)]:
        del state_dict[key]


class FlashDepthWiseConv1d(torch.nn.Module):
    """A short depthwise convolution by torch.nn.functional.conv1d: weights (channels, 1, kernel_size) and bias as
    torch.nn.Conv1d has them; rows are (B, H, L), or (B, L, H) where is_bhl is false."""

    def __init__(
        self,
        channels: int,
        kernel_size: int,
        padding: int,
        weights: torch.Tensor,
        bias: torch.Tensor,
        is_bhl: bool = True,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ):
        super().__init__()
        taps = weights.detach().reshape(-1, weights.shape[-1])
        if tuple(taps.shape) != (channels, kernel_size):
            raise ValueError(f"weights has shape {tuple(weights.shape)}; it must be ({channels}, 1, {kernel_size})")
        if tuple(bias.shape) != (channels,):
            raise ValueError(f"bias has shape {tuple(bias.shape)}; it must be ({channels},)")
        self.d, self.k, self.padding, self.is_bhl = channels, kernel_size, padding, is_bhl
        taps = taps if is_bhl else taps.T
        self.weights = torch.nn.Parameter(taps.to(device=device, dtype=dtype, copy=True).contiguous())
        self.bias = torch.nn.Parameter(bias.detach().to(device=device, dtype=dtype, copy=True))

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        rows = input if self.is_bhl else input.transpose(1, 2)
        taps = self.weights if self.is_bhl else self.weights.T
        y = torch.nn.functional.conv1d(
            rows, taps[:, None].to(rows.dtype), self.bias.to(rows.dtype), padding=self.padding, groups=self.d
        )
        return y if self.is_bhl else y.transpose(1, 2)


FlashDepthwiseConv1d = FlashDepthWiseConv1d


def main() -> None:
    """Runs `-m MODULE ARGUMENT...` or `FILE ARGUMENT...` with this module in the place of flashfftconv."""
    arguments = sys.argv[1:]
    if not arguments:
        sys.exit("usage: python -m ffc_torch.flashfftconv (-m MODULE | FILE) [ARGUMENT...]")
    import ffc_torch.flashfftconv as ours

    sys.modules["flashfftconv"] = ours
    if arguments[0] == "-m":
        sys.argv = arguments[1:]
        runpy.run_module(arguments[1], run_name="__main__", alter_sys=True)
    else:
        sys.argv = arguments
        runpy.run_path(arguments[0], run_name="__main__")


if __name__ == "__main__":
    main()
