"""What torch needs to know of the operators beside their kernels: shapes of their results, and gradients."""

import functools

import torch

from . import _checks, _library  # noqa: F401 - the operators must be there
from ._routes import as_operators_take
from ._scaling import gradient_magnitude

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


def prepare(k, skip, padding, length, fft_length, dtype, in_gate, out_gate, history=False):
    """The spectrum of k (H, Lk), in kernels for rows of `dtype`. No gradient flows through it."""
    k = k.detach().float()
    skip = None if skip is None else skip.detach().float()
    return ops.prepare(k, skip, padding, length, fft_length, _checks.HALF_NAMES[dtype], in_gate, out_gate, history)


@torch.library.register_fake("ffc_torch::prepare")
def _(k, skip, padding, length, fft_length, dtype, in_gate, out_gate, history):
    size = spectrum_bytes(
        padding, int(length), int(k.shape[1]), int(fft_length), dtype, in_gate, out_gate, history, k.device
    )
    return k.new_empty((k.shape[0], size), dtype=torch.uint8)


@torch.library.register_fake("ffc_torch::forward")
def _(u, spectrum, k, skip, in_gate, out_gate, padding, filter_length, fft_length, scale_gradients):
    return u.new_empty(u.shape)


@torch.library.register_fake("ffc_torch::infer")
def _(u, spectrum, in_gate, out_gate, padding, filter_length, fft_length):
    return u.new_empty(u.shape)


@torch.library.register_fake("ffc_torch::conv")
def _(u, k, skip, in_gate, out_gate, padding, fft_length):
    gates = in_gate is not None, out_gate is not None
    spectrum = ops.prepare(k, skip, padding, u.shape[-1], fft_length, _checks.HALF_NAMES[u.dtype], *gates, False)
    return u.new_empty(u.shape), spectrum


@torch.library.register_fake("ffc_torch::segment")
def _(u, spectrum, in_gate, out_gate, past, past_gate, filter_length, fft_length):
    return u.new_empty(u.shape)


@torch.library.register_fake("ffc_torch::backward")
@torch.library.register_fake("ffc_torch::gradients")
def _(dy, magnitude, u, spectrum, k, skip, in_gate, out_gate, padding, fft_length, *wants):
    wants_u, wants_in, wants_out, wants_k, wants_d = wants
    rows = wants_u, wants_in and in_gate is not None, wants_out and out_gate is not None
    gradients = [u.new_empty(u.shape) for wanted in rows if wanted]
    if wants_k:
        gradients.append(k.new_empty(k.shape))
    if wants_d and skip is not None:
        gradients.append(k.new_empty(k.shape[:1]))
    return gradients


def _setup(ctx, inputs, output):
    u, spectrum, k, skip, in_gate, out_gate, ctx.padding, _, ctx.fft_length, ctx.scale_gradients = inputs
    ctx.save_for_backward(u, spectrum, k, skip, in_gate, out_gate)


def _gradients(dy, tensors, padding, fft_length, scale, wants):
    """Gradients by u, in_gate, out_gate, k and skip, None where not wanted. `tensors` are u, spectrum, k, skip and the
    gates."""
    magnitude = gradient_magnitude(dy, scale)
    # Where these are to be differentiated again, `backward` is what says that they cannot.
    operator = ops.backward.default if torch.is_grad_enabled() else ops.gradients.default
    found = iter(operator(dy, magnitude, *tensors, padding, fft_length, *wants))
    return [next(found) if wanted else None for wanted in wants]


def _backward(ctx, dy):
    wants_u, _, wants_k, wants_skip, wants_in, wants_out = ctx.needs_input_grad[:6]
    if ctx.saved_tensors[2] is None:
        raise RuntimeError("ffc_torch::forward was called without k; gradients need the filter itself")
    wants = wants_u, wants_in, wants_out, wants_k, wants_skip
    du, dw, dv, dk, dd = _gradients(dy, ctx.saved_tensors, ctx.padding, ctx.fft_length, ctx.scale_gradients, wants)
    return du, None, dk, dd, dw, dv, None, None, None, None


def _no_double_backward(ctx, *gradients):
    raise RuntimeError(
        "ffc_torch: fft_conv has first gradients only, and something differentiates them again (create_graph=True); "
        "rows in float32 without precision='half' go through torch.fft, which has second ones"
    )


class _Convolution(torch.autograd.Function):
    """The same as ops.forward with its gradients, at a third of what the dispatcher takes to find them."""

    @staticmethod
    def forward(ctx, u, k, skip, in_gate, out_gate, spectrum, settings):
        if spectrum is None:
            y, spectrum = ops.conv.default(u, k, skip, in_gate, out_gate, settings[0], settings[1])
        else:
            y = ops.infer.default(u, spectrum, in_gate, out_gate, settings[0], k.shape[1], settings[1])
        ctx.save_for_backward(u, spectrum, k, skip, in_gate, out_gate)
        ctx.settings = settings
        return y

    @staticmethod
    def backward(ctx, dy):
        wants_u, wants_k, wants_skip, wants_in, wants_out = ctx.needs_input_grad[:5]
        wants = wants_u, wants_in, wants_out, wants_k, wants_skip
        du, dw, dv, dk, dd = _gradients(dy, ctx.saved_tensors, *ctx.settings, wants)
        return du, dk, dd, dw, dv, None, None


def convolve(u, k, skip, in_gate, out_gate, spectrum, padding, fft_length, scale_gradients):
    """The convolution by the shortest way. Tensors are as operators take them; `spectrum` None: that of k and skip."""
    if torch.compiler.is_compiling():
        _checks.scale_in_a_graph(scale_gradients)
        if spectrum is None:
            gates = in_gate is not None, out_gate is not None
            spectrum = prepare(k, skip, padding, u.shape[-1], fft_length, u.dtype, *gates)
        more = padding, k.shape[-1], fft_length, scale_gradients
        return ops.forward(u, spectrum, k, skip, in_gate, out_gate, *more)
    if torch.is_grad_enabled():
        for tensor in (u, k, skip, in_gate, out_gate):
            if tensor is not None and tensor.requires_grad:
                settings = padding, fft_length, scale_gradients
                return _Convolution.apply(u, k, skip, in_gate, out_gate, spectrum, settings)
    if spectrum is None:
        return ops.conv.default(u, k, skip, in_gate, out_gate, padding, fft_length)[0]
    return ops.infer.default(u, spectrum, in_gate, out_gate, padding, k.shape[1], fft_length)


def convolve_at_once(u, k, skip, in_gate, out_gate, spectrum, *settings):
    """convolve, and no check before: None where operators do not take the tensors as they are, or refuse them. What
    the caller does then comes to the same, and says more of what is wrong."""
    if not as_operators_take(u, k, skip, in_gate, out_gate):
        return None
    try:
        return convolve(u, k, skip, in_gate, out_gate, spectrum, *settings)
    except RuntimeError:
        return None


torch.library.register_autograd("ffc_torch::forward", _backward, setup_context=_setup)
torch.library.register_autograd(
    "ffc_torch::backward", _no_double_backward, setup_context=lambda ctx, inputs, output: None
)
