"""python -m ffc_torch.info: versions, device, NVRTC, cache, and a self-test."""

import os
import platform
import sys
import time

import torch

import ffc_torch
from ffc_torch import _by_fft, _library, _routes


def lines():
    """What is here, a line each."""
    yield f"ffc_torch  {ffc_torch.__version__}, {_library.library_path()}"
    yield f"torch      {torch.__version__}, CUDA {torch.version.cuda}; Python {platform.python_version()}"
    if torch.cuda.is_available():
        for index in range(torch.cuda.device_count()):
            properties = torch.cuda.get_device_properties(index)
            yield f"device     cuda:{index} {properties.name}, sm_{properties.major}{properties.minor}"
    else:
        yield "device     no GPU that PyTorch can use"
    yield f"CPU        tensors go through {'the emitted kernels (FFC_DEVICE=host)' if _routes.host else 'torch.fft'}"
    yield f"NVRTC      {os.environ.get('FFC_NVRTC_LIBRARY', 'left to the loader')}"
    yield f"cache      {os.environ.get('FFC_CACHE_DIR', 'the default folder of ffc')}"


def self_test(device: torch.device) -> tuple[float, float]:
    """Relative error of a causal convolution of bfloat16 rows against float64, and the seconds that the call took."""
    generator = torch.Generator().manual_seed(int(time.time()))
    u = torch.randn(2, 3, 2048, generator=generator).to(device, torch.bfloat16)
    k = (torch.randn(3, 2048, generator=generator) / 45).to(device)
    begin = time.perf_counter()
    y = ffc_torch.fft_conv(u, k).double()
    seconds = time.perf_counter() - begin
    reference = _by_fft.conv(u.double(), k.double(), None, None, None, "causal", 0)
    return ((y - reference).norm() / reference.norm()).item(), seconds


def main() -> int:
    for line in lines():
        print(line)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    bound = 2.5e-3
    error, seconds = self_test(device)
    verdict = "good" if error < bound else f"BAD, it should be below {bound}"
    print(f"self-test  {device.type}: relative error {error:.1e} ({verdict}), first call {seconds:.2f} s")
    return 0 if error < bound else 1


if __name__ == "__main__":
    sys.exit(main())
