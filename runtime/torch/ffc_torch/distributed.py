"""Rows sharded over the sequence: every process of a group holds the same L / P samples of all channels.

    y = ffc_torch.distributed.fft_conv(u, k, group)     # u (B, H, L / P), k (H / P, Lk): this process's channels

Rows go to shards over channels, are convolved whole, and come back; so do their gradients.
"""

import torch
import torch.distributed as dist

from . import _checks
from ._functional import fft_conv as _fft_conv

__all__ = ["fft_conv"]


def _exchange(parts: torch.Tensor, group) -> torch.Tensor:
    """parts[p] goes to process p; what process p sent comes to place p."""
    received = torch.empty_like(parts)
    # Bytes, because not every backend knows every type of half precision.
    dist.all_to_all_single(received.view(torch.uint8), parts.view(torch.uint8), group=group)
    return received


def _to_channels(rows: torch.Tensor, group) -> torch.Tensor:
    """(B, H, L / P) of this process's samples to (B, H / P, L) of its channels."""
    processes = dist.get_world_size(group)
    batch, channels, length = rows.shape
    parts = rows.reshape(batch, processes, channels // processes, length).transpose(0, 1).contiguous()
    whole = _exchange(parts, group)  # place p: the samples of process p
    return whole.permute(1, 2, 0, 3).reshape(batch, channels // processes, processes * length)


def _to_samples(rows: torch.Tensor, group) -> torch.Tensor:
    """The way back."""
    processes = dist.get_world_size(group)
    batch, channels, length = rows.shape
    parts = rows.reshape(batch, channels, processes, length // processes).permute(2, 0, 1, 3).contiguous()
    whole = _exchange(parts, group)  # place p: the channels of process p
    return whole.transpose(0, 1).reshape(batch, processes * channels, length // processes)


class _Move(torch.autograd.Function):
    """One of the two ways; the gradient takes the other."""

    @staticmethod
    def forward(ctx, rows, there, back, group):
        ctx.there, ctx.back, ctx.group = there, back, group
        return there(rows, group)

    @staticmethod
    def backward(ctx, gradient):
        return _Move.apply(gradient, ctx.back, ctx.there, ctx.group), None, None, None


def fft_conv(
    u: torch.Tensor,
    k: torch.Tensor,
    group: dist.ProcessGroup | None = None,
    *,
    skip: torch.Tensor | None = None,
    in_gate: torch.Tensor | None = None,
    out_gate: torch.Tensor | None = None,
    **keywords,
) -> torch.Tensor:
    """fft_conv of rows whose samples are shared out over the processes of `group`, all of them where it is None.

    u, in_gate, out_gate: (B, H, L / P), the samples of this process, which come in the order of ranks; equal shapes in
    all. k, skip: the filters of channels [rank H / P, (rank + 1) H / P), by which their gradients are this process's
    alone. The result is (B, H, L / P). Other arguments are those of ffc_torch.fft_conv.
    """
    _checks.rows("u", u)
    processes = dist.get_world_size(group)
    if u.shape[1] % processes != 0:
        raise ValueError(f"u has {u.shape[1]} channels; {processes} processes must divide them")
    for name, gate in (("in_gate", in_gate), ("out_gate", out_gate)):
        if gate is not None:
            _checks.like(name, gate, u)
    whole = [None if t is None else _Move.apply(t, _to_channels, _to_samples, group) for t in (u, in_gate, out_gate)]
    y = _fft_conv(whole[0], k, skip=skip, in_gate=whole[1], out_gate=whole[2], **keywords)
    return _Move.apply(y, _to_samples, _to_channels, group)
