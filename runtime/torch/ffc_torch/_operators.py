"""What torch needs to know of the operators beside their kernels: shapes of their results, and gradients."""

import functools

import torch

from . import _library  # noqa: F401 - the operators must be there

ops = torch.ops.ffc_torch


@functools.cache
def spectrum_bytes(padding, length, filter_length, fft_length, dtype, in_gate, out_gate, history, device) -> int:
    """Bytes of a channel's spectrum on that device, from a plan; nothing is compiled."""
    return ops.spectrum_bytes(
        padding, length, filter_length, fft_length, dtype, in_gate, out_gate, history, capability(device)
    )


def capability(device: torch.device) -> int:
    """10 major + minor of a GPU, 0 for the host."""
    if device.type != "cuda":
        return 0
    major, minor = torch.cuda.get_device_capability(device)
    return 10 * major + minor


@torch.library.register_fake("ffc_torch::prepare")
def _(k, skip, padding, length, fft_length, dtype, in_gate, out_gate, history):
    size = spectrum_bytes(
        padding, int(length), int(k.shape[1]), int(fft_length), dtype, in_gate, out_gate, history, k.device
    )
    return k.new_empty((k.shape[0], size), dtype=torch.uint8)


@torch.library.register_fake("ffc_torch::forward")
@torch.library.register_fake("ffc_torch::infer")
def _(u, spectrum, k, skip, in_gate, out_gate, padding, filter_length, fft_length, scale_gradients):
    return u.new_empty(u.shape)


@torch.library.register_fake("ffc_torch::segment")
def _(u, spectrum, in_gate, out_gate, past, past_gate, filter_length, fft_length):
    return u.new_empty(u.shape)


@torch.library.register_fake("ffc_torch::backward")
def _(dy, u, spectrum, k, skip, in_gate, out_gate, padding, fft_length, wants_u, wants_in, wants_out, wants_k, wants_d):
    nothing = functools.partial(u.new_empty, (0, 0), dtype=torch.uint8)
    return (
        u.new_empty(u.shape) if wants_u else nothing(),
        u.new_empty(u.shape) if wants_in and in_gate is not None else nothing(),
        u.new_empty(u.shape) if wants_out and out_gate is not None else nothing(),
        k.new_empty(k.shape) if wants_k else nothing(),
        k.new_empty(k.shape[:1]) if wants_d and skip is not None else nothing(),
    )


def _setup(ctx, inputs, output):
    u, spectrum, k, skip, in_gate, out_gate, ctx.padding, _, ctx.fft_length, ctx.scale_gradients = inputs
    ctx.save_for_backward(u, spectrum, k, skip, in_gate, out_gate)


def power_below(rows):
    """The power of two next below the largest magnitude of `rows`, on their device, or as near as their type allows; 1
    where that is not finite or there are none. Nothing waits for it."""
    if rows.numel() == 0:
        return torch.ones((), device=rows.device)
    most = 15.0 if rows.dtype == torch.float16 else 120.0
    largest = torch.linalg.vector_norm(rows.detach(), float("inf"), dtype=torch.float32).nan_to_num(1.0, 1.0)
    return largest.log2().floor().clamp(-most, most).exp2()


def _backward(ctx, dy):
    u, spectrum, k, skip, in_gate, out_gate = ctx.saved_tensors
    if k is None:
        raise RuntimeError("ffc_torch::forward was called without k; gradients need the filter itself")
    wants_u, _, wants_k, wants_skip, wants_in, wants_out = ctx.needs_input_grad[:6]
    wants = (wants_u, wants_in, wants_out, wants_k, wants_skip)
    scale = power_below(dy) if ctx.scale_gradients else None
    if scale is not None:
        dy = dy / scale
    gradients = ops.backward(dy, u, spectrum, k, skip, in_gate, out_gate, ctx.padding, ctx.fft_length, *wants)
    if scale is not None:
        for gradient in gradients:
            if gradient.numel() > 0:
                gradient.mul_(scale)
    du, dw, dv, dk, dd = gradients
    return (
        du if wants_u else None,
        None,
        dk if wants_k else None,
        dd if wants_skip else None,
        dw if wants_in else None,
        dv if wants_out else None,
        None,
        None,
        None,
        None,
    )


def _no_double_backward(ctx, *gradients):
    raise RuntimeError(
        "ffc_torch: fft_conv has first gradients only, and something differentiates them again (create_graph=True); "
        "rows in float32 without precision='half' go through torch.fft, which has second ones"
    )


class _Convolution(torch.autograd.Function):
    """ops.forward with its gradients, at a third of what the dispatcher takes to find them."""

    @staticmethod
    def forward(ctx, *inputs):
        _setup(ctx, inputs, None)
        return ops.infer.default(*inputs)

    backward = staticmethod(_backward)


def convolve(*arguments):
    """ops.forward by the shortest way: `arguments` are its own, six tensors in front."""
    if torch.compiler.is_compiling():
        return ops.forward(*arguments)
    if torch.is_grad_enabled():
        for tensor in arguments[:6]:
            if tensor is not None and tensor.requires_grad:
                return _Convolution.apply(*arguments)
    return ops.infer.default(*arguments)


torch.library.register_autograd("ffc_torch::forward", _backward, setup_context=_setup)
torch.library.register_autograd(
    "ffc_torch::backward", _no_double_backward, setup_context=lambda ctx, inputs, output: None
)
