"""Which way rows take: ffc's kernels, or torch.fft."""

import os

import torch
from torch.autograd import forward_ad

from ._checks import HALF, choice

# CPU tensors in half precision run the emitted kernels on ffc's host, instead of torch.fft: read once, at import.
host = os.environ.get("FFC_DEVICE") == "host"


def is_transformed() -> bool:
    """Within torch.func and at a level of forward mode tensors do not say that they are differentiated."""
    return torch._C._are_functorch_transforms_active() or forward_ad._current_level >= 0


def on_kernels(tensor: torch.Tensor) -> bool:
    """Do tensors of its device go to ffc's kernels, where their type is one of theirs?"""
    return tensor.is_cuda or (host and tensor.is_cpu)


def kernel_dtype(u: torch.Tensor, precision: str | None) -> torch.dtype | None:
    """The type in which kernels take the rows, or None where they go through torch.fft."""
    choice("precision", precision, (None, "half"))
    if not on_kernels(u):
        return None
    if u.dtype in HALF:
        return u.dtype
    return torch.float16 if precision == "half" and u.dtype == torch.float32 else None


def as_operators_take(u, k, skip, in_gate, out_gate) -> bool:
    """Do operators take these as they are, in kernels, with no cast or view of them before? What is left to be wrong
    (shapes), operators check themselves. Asked at every call: what a tensor makes an object for is asked once."""
    if torch.compiler.is_compiling() or not isinstance(u, torch.Tensor) or not isinstance(k, torch.Tensor):
        return False
    dtype, rows, taps = u.dtype, u.shape, k.shape
    if dtype not in HALF or len(rows) != 3 or k.dtype is not torch.float32 or len(taps) != 2:
        return False
    if taps[0] != rows[1] or taps[1] > rows[2]:
        return False
    device = u.device
    if not on_kernels(u) or k.device != device:
        return False
    kind = "cuda" if u.is_cuda else "cpu"
    if torch.is_autocast_enabled(kind) and dtype is not torch.get_autocast_dtype(kind):
        return False
    if skip is not None and not _is_as(skip, torch.float32, device):
        return False
    if in_gate is not None and not _is_as(in_gate, dtype, device):
        return False
    return out_gate is None or _is_as(out_gate, dtype, device)


def _is_as(tensor, dtype: torch.dtype, device: torch.device) -> bool:
    return isinstance(tensor, torch.Tensor) and tensor.dtype is dtype and tensor.device == device


def autocast_dtype(u: torch.Tensor) -> torch.dtype | None:
    """The type that rows are cast to under autocast, as torch.nn.functional.conv1d casts its input: lower precision,
    but for float64. None where autocast is off."""
    kind = u.device.type
    if u.dtype == torch.float64 or not torch.is_autocast_enabled(kind):
        return None
    return torch.get_autocast_dtype(kind)
