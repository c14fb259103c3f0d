"""The operators as Python calls them, and what torch needs to know of the shapes of their results."""

import functools

import torch

from . import _checks, _library  # noqa: F401 - the operators must be there

ops = torch.ops.ffc_torch


@functools.cache
def spectrum_bytes(padding, length, filter_length, fft_length, dtype, in_gate, out_gate, history, device) -> int:
    """Bytes of a channel's spectrum on that device, from a plan; nothing is compiled."""
    return ops.spectrum_bytes(
        padding, length, filter_length, fft_length, dtype, in_gate, out_gate, history, capability(device)
    )


@functools.cache
def finds_ahead(padding, length, filter_length, fft_length, dtype, in_gate, out_gate, device) -> tuple[bool, bool]:
    """Whether scaled rows have their magnitudes found ahead of the kernel, and each its own, from a plan too."""
    return ops.finds_ahead(padding, length, filter_length, fft_length, dtype, in_gate, out_gate, capability(device))


def capability(device: torch.device) -> int:
    """10 major + minor of a GPU, 0 for the host."""
    if device.type != "cuda":
        return 0
    major, minor = torch.cuda.get_device_capability(device)
    return 10 * major + minor


def prepare(k, skip, padding, length, fft_length, dtype, in_gate, out_gate, history=False):
    """The spectrum of k (H, Lk), in kernels for rows of `dtype`. No gradient flows through it."""
    k = k.detach().float()
    skip = None if skip is None else skip.detach().float()
    return ops.prepare(k, skip, padding, length, fft_length, _checks.HALF_NAMES[dtype], in_gate, out_gate, history)


def _found(u, in_gate, out_gate, padding, filter_length, fft_length, scale_rows):
    """Magnitudes that forward and conv find: (H, B) of each row, (H, 1) of each channel, or (H, 0)."""
    lengths = u.shape[-1], filter_length, fft_length
    if not scale_rows:
        size = 0
    elif all(isinstance(each, int) for each in lengths):
        gates = in_gate is not None, out_gate is not None
        finds, of_rows = finds_ahead(padding, *lengths, _checks.HALF_NAMES[u.dtype], *gates, u.device)
        size = 0 if not finds else u.shape[0] if of_rows else 1
    else:  # known when there is a kernel
        size = torch.library.get_ctx().new_dynamic_size()
    return u.new_empty((u.shape[1], size), dtype=torch.float32)


@torch.library.register_fake("ffc_torch::prepare")
def _(k, skip, padding, length, fft_length, dtype, in_gate, out_gate, history):
    lengths = length, k.shape[1], fft_length
    if all(isinstance(each, int) for each in lengths):
        size = spectrum_bytes(padding, *lengths, dtype, in_gate, out_gate, history, k.device)
    else:  # a graph of any length: its plan is made when it runs
        size = torch.library.get_ctx().new_dynamic_size()
    return k.new_empty((k.shape[0], size), dtype=torch.uint8)


@torch.library.register_fake("ffc_torch::forward")
def _(u, spectrum, k, skip, in_gate, out_gate, padding, filter_length, fft_length, scale_rows, scale_gradients):
    return u.new_empty(u.shape), _found(u, in_gate, out_gate, padding, filter_length, fft_length, scale_rows)


@torch.library.register_fake("ffc_torch::infer")
def _(u, spectrum, in_gate, out_gate, padding, filter_length, fft_length, scale_rows):
    return u.new_empty(u.shape)


@torch.library.register_fake("ffc_torch::conv")
def _(u, k, skip, in_gate, out_gate, padding, fft_length, scale_rows):
    gates = in_gate is not None, out_gate is not None
    spectrum = ops.prepare(k, skip, padding, u.shape[-1], fft_length, _checks.HALF_NAMES[u.dtype], *gates, False)
    found = _found(u, in_gate, out_gate, padding, k.shape[1], fft_length, scale_rows)
    return u.new_empty(u.shape), spectrum, found


@torch.library.register_fake("ffc_torch::segment")
def _(u, spectrum, in_gate, out_gate, past, past_gate, filter_length, fft_length, scale_rows):
    return u.new_empty(u.shape)


@torch.library.register_fake("ffc_torch::backward")
@torch.library.register_fake("ffc_torch::gradients")
def _(dy, of_gradients, of_rows, u, spectrum, k, skip, in_gate, out_gate, padding, fft_length, *settings):
    _, _, wants_u, wants_in, wants_out, wants_k, wants_d = settings
    rows = wants_u, wants_in and in_gate is not None, wants_out and out_gate is not None
    gradients = [u.new_empty(u.shape) for wanted in rows if wanted]
    if wants_k:
        gradients.append(k.new_empty(k.shape))
    if wants_d and skip is not None:
        gradients.append(k.new_empty(k.shape[:1]))
    return gradients


@torch.library.register_fake("ffc_torch::taps_of_spectrum")
def _(spectrum, length, taps):
    return spectrum.new_empty((spectrum.shape[0], taps))


@torch.library.register_fake("ffc_torch::spectrum_gradient")
def _(dk, length):
    return dk.new_empty((dk.shape[0], length // 2 + 1, 2))
