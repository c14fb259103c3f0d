"""Slices of one projection, whose gradients come as one tensor."""

import torch

from . import _checks
from ._routes import is_transformed


class _Chunk(torch.autograd.Function):
    @staticmethod
    def forward(ctx, projection, chunks):
        ctx.chunks = chunks
        return projection.chunk(chunks, 1)

    @staticmethod
    def backward(ctx, *gradients):
        return _joined(gradients), None


def _joined(gradients):
    """The tensor whose slices these are, where they are all of one in their order, else a copy."""
    base = gradients[0]._base
    if base is not None and base.is_contiguous():
        channels = gradients[0].shape[1]
        whole = (gradients[0].shape[0], channels * len(gradients), gradients[0].shape[2])
        if base.shape == whole and all(
            each._base is base
            and each.shape == gradients[0].shape
            and each.stride() == base.stride()
            and each.storage_offset() == base.storage_offset() + place * channels * base.stride(1)
            for place, each in enumerate(gradients)
        ):
            return base
    return torch.cat(gradients, 1)


def chunk(projection: torch.Tensor, chunks: int) -> tuple[torch.Tensor, ...]:
    """projection.chunk(chunks, dim=1) of (B, chunks H, L), for rows and gates of one fft_conv.

        x2, x1, v = ffc_torch.chunk(projection, 3)
        y = ffc_torch.fft_conv(v, k, in_gate=x1, out_gate=x2)

    The gradient of the projection is written by the kernels, in place, where fft_conv takes all slices, in whatever
    order. torch.chunk would join them by a copy, a tenth to a fifth of a training step. Elsewhere, and in compiled
    graphs and torch.func, it is the same as torch.chunk. Raises ValueError where `chunks` does not divide the channels.
    """
    _checks.rows("projection", projection)
    _checks.positive("chunks", chunks)
    if projection.shape[1] % chunks != 0:
        raise ValueError(
            f"projection has {projection.shape[1]} channels and chunks is {chunks}; it must divide the channels"
        )
    if torch.compiler.is_compiling() or is_transformed() or not torch.is_grad_enabled() or not projection.requires_grad:
        return projection.chunk(chunks, 1)
    return _Chunk.apply(projection, chunks)


def places_of(u, in_gate, out_gate) -> list[int] | None:
    """Which slices of one chunk() these are, all that there are, as ops.gradients_of_slices takes them; else None."""
    node = u.grad_fn
    if type(node) is not _Chunk._backward_cls:
        return None
    given = [rows for rows in (u, in_gate, out_gate) if rows is not None]
    if any(rows.grad_fn is not node for rows in given):
        return None
    if not len(given) == len({rows.output_nr for rows in given}) == node.chunks:
        return None
    return [-1 if rows is None else rows.output_nr for rows in (u, in_gate, out_gate)]


def slices_of(gradient, places):
    """Those of the gradient of all, None where `places` has none."""
    channels = gradient.shape[1] // sum(place >= 0 for place in places)
    return [None if place < 0 else gradient.narrow(1, place * channels, channels) for place in places]
