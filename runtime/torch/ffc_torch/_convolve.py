"""The convolution by the operators, with its gradients."""

import torch

from . import _checks, _vmap
from ._errors import raise_out_of_memory
from ._operators import ops, prepare
from ._routes import as_operators_take, is_transformed
from ._scaling import gradient_scales, scales_rows
from ._slices import places_of, slices_of

NO_SECOND = (
    "ffc_torch: fft_conv has first gradients only, and something differentiates them again (create_graph=True, or "
    "torch.func within torch.func); rows in float32 without precision='half' go through torch.fft, which has second "
    "ones"
)
NO_FORWARD_MODE = (
    "ffc_torch: fft_conv has no forward-mode gradients (torch.func.jvp, jacfwd); take torch.func.vjp or jacrev, or "
    "rows in float32 without precision='half', which go through torch.fft and have them"
)


def _wants(needs):
    """As operators take them (u, in_gate, out_gate, k, skip), from those of u, k, skip, in_gate, out_gate."""
    u, k, skip, in_gate, out_gate = needs
    return u, in_gate, out_gate, k, skip


def _in_place(found, wants):
    """Gradients of u, k, skip, in_gate, out_gate, None where not wanted, from those that an operator found."""
    each = iter(found)
    u, in_gate, out_gate, k, skip = (next(each) if wanted else None for wanted in wants)
    return u, k, skip, in_gate, out_gate


def _setup(ctx, inputs, output):
    u, spectrum, k, skip, in_gate, out_gate, padding, _, fft_length, scale_rows, scale_gradients = inputs
    ctx.settings = padding, fft_length, scale_gradients, scale_rows
    _, found = output
    ctx.mark_non_differentiable(found)
    ctx.save_for_backward(u, spectrum, k, skip, in_gate, out_gate, found)


def _together(ctx, wants) -> bool:
    """Are gradients of rows wanted as slices of one?"""
    places = getattr(ctx, "places", None)
    if places is None or torch.is_grad_enabled() or is_transformed():
        return False
    return all(wanted for place, wanted in zip(places, wants, strict=False) if place >= 0)


def _gradients(ctx, dy, needs, refusing):
    """Gradients of u, k, skip, in_gate, out_gate, None where `needs` has none. Where they are to be differentiated
    again, `refusing` computes them, which says that they cannot."""
    *tensors, found = ctx.saved_tensors
    padding, fft_length, scale_gradients, scale_rows = ctx.settings
    wants = _wants(needs)
    magnitude, find = gradient_scales(dy, tensors, scale_gradients)
    of_rows = found if find else None
    operator = refusing if torch.is_grad_enabled() else ops.gradients.default
    arguments = dy, magnitude, of_rows, *tensors, padding, fft_length, scale_rows, find
    try:
        if _together(ctx, wants):
            joined, *sums = ops.gradients_of_slices.default(*arguments, ctx.places, *wants[3:])
            gradients = [each for each in slices_of(joined, ctx.places) if each is not None] + sums
        else:
            gradients = operator(*arguments, *wants)
    except RuntimeError as error:
        raise_out_of_memory(error)
        if not _vmap.is_batched_by_autograd(dy):
            raise
        if torch.is_grad_enabled():
            raise RuntimeError(NO_SECOND) from None
        gradients = ops.gradients_one_by_one(*arguments, *wants)
    return _in_place(gradients, wants)


def _backward(ctx, dy, _):
    """Of ops.forward, in compiled graphs."""
    if ctx.saved_tensors[2] is None:
        raise RuntimeError("ffc_torch::forward was called without k; gradients need the filter itself")
    needs = ctx.needs_input_grad
    du, *others = _gradients(ctx, dy, (needs[0], *needs[2:6]), ops.backward.default)
    return du, None, *others, None, None, None, None, None


def _no_double_backward(ctx, *gradients):
    raise RuntimeError(NO_SECOND)


class _Gradients(torch.autograd.Function):
    """ops.gradients where its results may be differentiated again, which they cannot."""

    generate_vmap_rule = True

    @staticmethod
    def forward(*arguments):
        return tuple(ops.gradients.default(*arguments))

    @staticmethod
    def setup_context(ctx, inputs, output):
        pass

    backward = staticmethod(_no_double_backward)


def _run(u, k, skip, in_gate, out_gate, spectrum, settings):
    """y, the spectrum that it took, and magnitudes of rows as _operators has them, or None."""
    padding, fft_length, _, scale_rows = settings
    if spectrum is None:
        return ops.conv.default(u, k, skip, in_gate, out_gate, padding, fft_length, scale_rows)
    y = ops.infer.default(u, spectrum, in_gate, out_gate, padding, k.shape[1], fft_length, scale_rows)
    return y, spectrum, None


def _backward_of_class(ctx, dy, *_):
    """Of both classes below."""
    return (*_gradients(ctx, dy, ctx.needs_input_grad[:5], _Gradients.apply), None, None)


class _Convolution(torch.autograd.Function):
    """ops.forward with its gradients, at a third of what the dispatcher takes to find them."""

    @staticmethod
    def forward(ctx, u, k, skip, in_gate, out_gate, spectrum, settings):
        y, spectrum, found = _run(u, k, skip, in_gate, out_gate, spectrum, settings)
        ctx.save_for_backward(u, spectrum, k, skip, in_gate, out_gate, found)
        ctx.settings = settings
        ctx.places = places_of(u, in_gate, out_gate)
        return y

    backward = staticmethod(_backward_of_class)


# Function.apply binds defaults and unwraps what torch.func has left, in Python, which takes as long as what it calls:
# that is called itself. There are no defaults, and torch.func takes the class below.
_apply_convolution = super(torch.autograd.Function, _Convolution).apply


class _TransformedConvolution(torch.autograd.Function):
    """The same for torch.func, which takes it apart; a call costs more."""

    generate_vmap_rule = True

    @staticmethod
    def forward(u, k, skip, in_gate, out_gate, spectrum, settings):
        y, made, found = _run(u, k, skip, in_gate, out_gate, spectrum, settings)
        return y, made if spectrum is None else None, found

    @staticmethod
    def setup_context(ctx, inputs, output):
        u, k, skip, in_gate, out_gate, spectrum, ctx.settings = inputs
        _, made, found = output
        if spectrum is None:
            spectrum = made
            ctx.mark_non_differentiable(made, found)
        ctx.save_for_backward(u, spectrum, k, skip, in_gate, out_gate, found)

    backward = staticmethod(_backward_of_class)

    @staticmethod
    def jvp(ctx, *tangents):
        raise RuntimeError(NO_FORWARD_MODE)


def _is_differentiated(*tensors) -> bool:
    if torch.is_grad_enabled():
        for tensor in tensors:
            if tensor is not None and tensor.requires_grad:
                return True
    return False


def convolve(u, k, skip, in_gate, out_gate, spectrum, padding, fft_length, scale_gradients, scale_rows=None):
    """The convolution by the shortest way. Tensors are as operators take them; `spectrum` None: that of k and skip."""
    if scale_rows is None:
        scale_rows = scales_rows(u)
    if torch.compiler.is_compiling():
        _checks.scale_in_a_graph(scale_gradients)
        if spectrum is None:
            gates = in_gate is not None, out_gate is not None
            spectrum = prepare(k, skip, padding, u.shape[-1], fft_length, u.dtype, *gates)
        more = padding, k.shape[-1], fft_length, scale_rows, scale_gradients
        return ops.forward(u, spectrum, k, skip, in_gate, out_gate, *more)[0]
    settings = padding, fft_length, scale_gradients, scale_rows
    arguments = u, k, skip, in_gate, out_gate, spectrum, settings
    try:
        if is_transformed():
            return _TransformedConvolution.apply(*arguments)[0]
        if _is_differentiated(u, k, skip, in_gate, out_gate):
            return _apply_convolution(*arguments)
        return _run(*arguments)[0]
    except RuntimeError as error:
        raise_out_of_memory(error)
        raise


def convolve_at_once(u, k, skip, in_gate, out_gate, spectrum, *settings):
    """convolve, and no check before: None where operators do not take the tensors as they are."""
    if not as_operators_take(u, k, skip, in_gate, out_gate):
        return None
    return convolve(u, k, skip, in_gate, out_gate, spectrum, *settings)


torch.library.register_autograd("ffc_torch::forward", _backward, setup_context=_setup)
torch.library.register_autograd(
    "ffc_torch::backward", _no_double_backward, setup_context=lambda ctx, inputs, output: None
)
