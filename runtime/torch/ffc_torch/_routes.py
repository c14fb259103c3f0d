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


def on_kernels(device: torch.device) -> bool:
    """Do tensors of that device go to ffc's kernels, where their type is one of theirs?"""
    return device.type == "cuda" or (device.type == "cpu" and host)


def kernel_dtype(u: torch.Tensor, precision: str | None) -> torch.dtype | None:
    """The type in which kernels take the rows, or None where they go through torch.fft."""
    choice("precision", precision, (None, "half"))
    if not on_kernels(u.device):
        return None
    if u.dtype in HALF:
        return u.dtype
    return torch.float16 if precision == "half" and u.dtype == torch.float32 else None


def as_operators_take(u, k, skip, in_gate, out_gate) -> bool:
    """Do operators take these as they are, in kernels, with no cast or view of them before? What is left to be wrong
    (shapes), operators check themselves."""
    if torch.compiler.is_compiling() or not isinstance(u, torch.Tensor) or not isinstance(k, torch.Tensor):
        return False
    dtype, device = u.dtype, u.device
    if dtype not in HALF or u.dim() != 3 or k.dtype is not torch.float32 or k.dim() != 2:
        return False
    if k.size(0) != u.size(1) or k.size(1) > u.size(2):
        return False
    kind = device.type
    if k.device != device or not on_kernels(device):
        return False
    if torch.is_autocast_enabled(kind) and dtype is not torch.get_autocast_dtype(kind):
        return False
    for tensor, wanted in ((skip, torch.float32), (in_gate, dtype), (out_gate, dtype)):
        if tensor is None:
            continue
        if not isinstance(tensor, torch.Tensor) or tensor.device != device or tensor.dtype is not wanted:
            return False
    return True


def autocast_dtype(u: torch.Tensor) -> torch.dtype | None:
    """The type that rows are cast to under autocast, as torch.nn.functional.conv1d casts its input: lower precision,
    but for float64. None where autocast is off."""
    kind = u.device.type
    if u.dtype == torch.float64 or not torch.is_autocast_enabled(kind):
        return None
    return torch.get_autocast_dtype(kind)
