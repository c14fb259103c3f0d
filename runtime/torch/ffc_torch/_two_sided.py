"""Filters of both directions, as the taps of one circular transform: lag -m is tap points - m."""

import torch


def two_sided(k: torch.Tensor, k_reverse: torch.Tensor, length: int, points: int, reverse_lag: int) -> torch.Tensor:
    """One filter (H, points) for rows of `length` samples: k (H, Lk) at lags 0, 1, ..., and k_reverse (H, Lr) at lags
    -reverse_lag, -reverse_lag - 1, ... Taps at lags of `length` or more reach nothing and are left out."""
    if torch.compiler.is_compiling():  # graphs take no class with forward mode, and Inductor fuses these operators
        return _composed(k[:, :length], k_reverse[:, : length - reverse_lag], points, reverse_lag)
    dtype = torch.promote_types(k.dtype, k_reverse.dtype)
    arguments = k.to(dtype), k_reverse.to(dtype), length, points, reverse_lag
    if torch._C._are_functorch_transforms_active():
        return _TransformedTwoSided.apply(*arguments)
    return _TwoSided.apply(*arguments)


def _composed(k, k_reverse, points, reverse_lag):
    """two_sided, of taps that all reach something."""
    behind = torch.nn.functional.pad(k, (0, points - k.shape[1]))
    ahead = torch.nn.functional.pad(k_reverse, (reverse_lag, points - k_reverse.shape[1] - reverse_lag))
    return behind + torch.roll(ahead.flip(-1), 1, -1)


def _moved(k, k_reverse, length, points, reverse_lag):
    """two_sided of (..., Lk) and (..., Lr) of one type, with one pass over the taps."""
    behind, ahead = min(k.shape[-1], length), min(k_reverse.shape[-1], length - reverse_lag)
    negative = ahead + reverse_lag - 1  # lags; with reverse_lag 0 the first tap has none of them, and is added
    both = k.new_empty((*k.shape[:-1], points))
    first, between, last = both.split((behind, points - behind - negative, negative), -1)
    first.copy_(k[..., :behind])
    between.zero_()
    # Not flip, whose result would be one more tensor to write and read.
    order = torch.arange(ahead - 1, -reverse_lag, -1, device=k.device)
    torch.gather(k_reverse, -1, order.expand(last.shape), out=last)
    if reverse_lag == 0:
        first[..., 0].add_(k_reverse[..., 0])
    return both


def _gradient_behind(gradient, taps, length):
    """The gradient of k (..., taps) from that of the filter, (..., points): a view of it, unless taps reach nothing."""
    if taps <= length:
        return gradient[..., :taps]
    return torch.nn.functional.pad(gradient[..., :length], (0, taps - length))


def _gradient_ahead(gradient, taps, length, points, reverse_lag):
    """The gradient of k_reverse (..., taps) from that of the filter, (..., points), with one pass over the taps."""
    last, reaching = points - reverse_lag, length - reverse_lag
    order = torch.arange(last, last - taps, -1, device=gradient.device) % points
    dk_reverse = gradient.gather(-1, order.expand(*gradient.shape[:-1], -1))
    if taps > reaching:
        dk_reverse[..., reaching:] = 0
    return dk_reverse


class _TwoSided(torch.autograd.Function):
    """_moved with its gradients. It is linear: so are they, of differentiable operators, and tangents are results."""

    @staticmethod
    def forward(ctx, *arguments):
        _TransformedTwoSided.setup_context(ctx, arguments, None)
        return _moved(*arguments)

    @staticmethod
    def backward(ctx, gradient):
        wants_k, wants_reverse, *_ = ctx.needs_input_grad
        dk = _gradient_behind(gradient, ctx.taps, ctx.settings[0]) if wants_k else None
        dk_reverse = _gradient_ahead(gradient, ctx.taps_ahead, *ctx.settings) if wants_reverse else None
        return dk, dk_reverse, None, None, None

    @staticmethod
    def jvp(ctx, k, k_reverse, *_):
        return two_sided(k, k_reverse, *ctx.settings)  # a tangent that is missing comes as zeros


class _TransformedTwoSided(_TwoSided):
    """The same for torch.func, which takes it apart; a call costs more."""

    forward = staticmethod(_moved)

    @staticmethod
    def setup_context(ctx, inputs, output):
        k, k_reverse, *ctx.settings = inputs
        ctx.taps, ctx.taps_ahead = k.shape[-1], k_reverse.shape[-1]

    @staticmethod
    def vmap(info, axes, k, k_reverse, *settings):
        """Axes in front are rows like all others."""
        filters = zip((k, k_reverse), axes[:2], strict=True)
        k, k_reverse = (
            taps.expand(info.batch_size, *taps.shape) if axis is None else taps.movedim(axis, 0)
            for taps, axis in filters
        )
        return _TransformedTwoSided.apply(k, k_reverse, *settings), 0
