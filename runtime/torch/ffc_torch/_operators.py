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


def _exponent(dy):
    """The exponent, on dy's device, of the power of two that brings the largest of |dy| to between 1/2 and 2, or as
    near as the type allows; 0 where that is 0 or not finite."""
    most = 15.0 if dy.dtype == torch.float16 else 120.0
    largest = torch.linalg.vector_norm(dy, float("inf"), dtype=torch.float32)
    exponent = torch.floor(-torch.log2(largest)).clamp(-most, most)
    return torch.where(torch.isfinite(largest) & (largest > 0), exponent, torch.zeros_like(exponent))


def _backward(ctx, dy):
    u, spectrum, k, skip, in_gate, out_gate = ctx.saved_tensors
    if k is None:
        raise RuntimeError("ffc_torch::forward was called without k; gradients need the filter itself")
    wants_u, _, wants_k, wants_skip, wants_in, wants_out = ctx.needs_input_grad[:6]
    wants = (wants_u, wants_in, wants_out, wants_k, wants_skip)
    exponent = _exponent(dy) if ctx.scale_gradients and dy.numel() > 0 else None
    if exponent is not None:
        dy = dy * torch.exp2(exponent).to(dy.dtype)
    gradients = ops.backward(dy, u, spectrum, k, skip, in_gate, out_gate, ctx.padding, ctx.fft_length, *wants)
    if exponent is not None:
        back = torch.exp2(-exponent)
        gradients = [g if g.numel() == 0 else g * back.to(g.dtype) for g in gradients]
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
    if torch.compiler.is_compiling() or torch._C._are_functorch_transforms_active():
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
