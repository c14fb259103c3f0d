"""FFT convolutions for long sequences in PyTorch.

    y = ffc_torch.fft_conv(u, k)    # u (B, H, L) in float16 or bfloat16, k (H, Lk); causal

Rows in float16 and bfloat16 on a GPU run in kernels that ffc generates and compiles for their length; float32 rows and
tensors of the CPU go through torch.fft. See fft_conv for what it takes.
"""

from ._functional import fft_conv
from ._library import __version__
from ._modules import LongConv, StreamingConv
from ._prepared import PreparedFilter, prepare_filter
from ._slices import chunk
from ._spectra import taps_of_spectrum
from ._warmup import warmup

__all__ = [
    "LongConv",
    "PreparedFilter",
    "StreamingConv",
    "__version__",
    "chunk",
    "fft_conv",
    "prepare_filter",
    "taps_of_spectrum",
    "warmup",
]
