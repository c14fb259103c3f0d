"""Rows sharded over the sequence: every process of a group holds the same L / P samples of all channels.

    y = ffc_torch.distributed.fft_conv(u, k, group)     # u (B, H, L / P), k (H / P, Lk): this process's channels

Rows go to shards over channels, are convolved whole, and come back; so do their gradients. Channels go in chunks: while
one is convolved, the next ones are on their way, in backward too.
"""

import math
from typing import Any

import torch
import torch.distributed as dist

from . import _checks
from ._functional import fft_conv as _fft_conv

__all__ = ["LongConv", "fft_conv", "own_parameters"]

MOST_CHUNKS = 4  # where the caller leaves it open


class _Flight:
    """What is on its way between processes: place p of `parts` goes to process p, and what process p sent comes to
    place p of `received`."""

    def __init__(self, parts: torch.Tensor, group):
        self.parts, self.received = parts, torch.empty_like(parts)
        # Bytes, because not every backend knows every type of half precision.
        self.work = dist.all_to_all_single(
            self.received.view(torch.uint8), parts.view(torch.uint8), group=group, async_op=True
        )

    def land(self) -> torch.Tensor:
        self.work.wait()  # of a GPU: its stream waits, and not the CPU
        received, self.parts, self.received, self.work = self.received, None, None, None
        return received


def _by_channels(rows: torch.Tensor, processes: int) -> torch.Tensor:
    """(n, B, P h, l) of this process's samples, as parts: place p has the channels of process p."""
    n, batch, channels, length = rows.shape
    return rows.reshape(n, batch, processes, channels // processes, length).movedim(2, 0).contiguous()


def _whole_rows(parts: torch.Tensor) -> torch.Tensor:
    """(n, B, h, P l) from parts whose place p has the samples of process p."""
    processes, n, batch, channels, length = parts.shape
    return parts.movedim(0, 3).reshape(n, batch, channels, processes * length)


def _by_samples(rows: torch.Tensor, processes: int) -> torch.Tensor:
    """(n, B, h, P l) of this process's channels, as parts: place p has the samples of process p."""
    n, batch, channels, length = rows.shape
    return rows.reshape(n, batch, channels, processes, length // processes).movedim(3, 0).contiguous()


def _all_channels(parts: torch.Tensor) -> torch.Tensor:
    """(n, B, P h, l) from parts whose place p has the channels of process p."""
    processes, n, batch, channels, length = parts.shape
    return parts.movedim(0, 2).reshape(n, batch, processes * channels, length)


# Pack and unpack of a way. Gradients take the other one.
_TO_CHANNELS, _TO_SAMPLES = (_by_channels, _whole_rows), (_by_samples, _all_channels)
_BACK = {_TO_CHANNELS: _TO_SAMPLES, _TO_SAMPLES: _TO_CHANNELS}


class _Journey:
    """One way of a chunk, there in forward and back in backward, between _Start and _Land."""

    def __init__(self, way, group):
        self.way, self.group, self.processes = way, group, dist.get_world_size(group)
        self.flight = None

    def start(self, rows: torch.Tensor, way) -> torch.Tensor:
        """The parts that will come, not there yet."""
        self.flight = _Flight(way[0](rows, self.processes), self.group)
        return self.flight.received

    def land(self, way) -> torch.Tensor:
        return way[1](self.flight.land())


class _Start(torch.autograd.Function):
    @staticmethod
    def forward(ctx, rows, journey):
        ctx.journey = journey
        return journey.start(rows, journey.way)

    @staticmethod
    def backward(ctx, _):
        return ctx.journey.land(_BACK[ctx.journey.way]), None


class _Land(torch.autograd.Function):
    @staticmethod
    def forward(ctx, parts, journey):
        ctx.journey = journey
        return journey.land(journey.way)

    @staticmethod
    def backward(ctx, gradient):
        return ctx.journey.start(gradient, _BACK[ctx.journey.way]), None


def _chunk_count(channels: int, chunks: int | None) -> int:
    """Chunks of this process's channels."""
    if chunks is None:
        return max(c for c in range(1, MOST_CHUNKS + 1) if channels % c == 0)
    if not isinstance(chunks, int) or chunks < 1 or channels % chunks != 0:
        raise ValueError(f"chunks is {chunks}; it must divide the {channels} channels of a process")
    return chunks


def fft_conv(
    u: torch.Tensor,
    k: torch.Tensor,
    group: dist.ProcessGroup | None = None,
    *,
    skip: torch.Tensor | None = None,
    in_gate: torch.Tensor | None = None,
    out_gate: torch.Tensor | None = None,
    k_reverse: torch.Tensor | None = None,
    chunks: int | None = None,
    **keywords: Any,
) -> torch.Tensor:
    """fft_conv of rows whose samples are shared out over the processes of `group`, all of them where it is None.

    u, in_gate, out_gate: (B, H, L / P), the samples of this process, which come in the order of ranks; equal shapes in
    all. k, k_reverse, skip: the filters of channels [rank H / P, (rank + 1) H / P), by which their gradients are this
    process's alone: of the sum over what all processes make of the results. The result is (B, H, L / P).
    chunks: how many chunks the H / P channels go in; None: up to 4. Other arguments are those of ffc_torch.fft_conv.
    """
    _checks.rows("u", u)
    processes = dist.get_world_size(group)
    if u.shape[1] % processes != 0:
        raise ValueError(f"u has {u.shape[1]} channels; {processes} processes must divide them")
    for name, gate in (("in_gate", in_gate), ("out_gate", out_gate)):
        if gate is not None:
            _checks.like(name, gate, u)
    own = u.shape[1] // processes
    count = _chunk_count(own, chunks)
    filters = [None if f is None else _checks.filters(n, f, own) for n, f in (("k", k), ("k_reverse", k_reverse))]
    if skip is not None:
        _checks.skip_term(skip, own)

    given = [t for t in (u, in_gate, out_gate) if t is not None]
    # (n, B, P, chunks, h, l): a chunk has some of every process's channels.
    rows = torch.stack(given).unflatten(2, (processes, count, own // count))
    there = [_Journey(_TO_CHANNELS, group) for _ in range(count)]
    back = [_Journey(_TO_SAMPLES, group) for _ in range(count)]
    parts = [_Start.apply(rows[:, :, :, i].flatten(2, 3), there[i]) for i in range(count)]
    results = []
    for i in range(count):
        whole = dict(
            zip(
                [name for name, t in (("u", u), ("w", in_gate), ("v", out_gate)) if t is not None],
                _Land.apply(parts[i], there[i]),
                strict=True,
            )
        )
        mine = slice(i * own // count, (i + 1) * own // count)
        k_chunk, reverse_chunk = (None if f is None else f[mine] for f in filters)
        y = _fft_conv(
            whole["u"],
            k_chunk,
            skip=None if skip is None else skip[mine],
            in_gate=whole.get("w"),
            out_gate=whole.get("v"),
            k_reverse=reverse_chunk,
            **keywords,
        )
        results.append(_Start.apply(y[None], back[i]))
    # Landed behind the last start, and in backward started ahead of the first convolution.
    landed = [_Land.apply(parts, journey)[0] for parts, journey in zip(results, back, strict=True)]
    return torch.stack([y.unflatten(1, (processes, own // count)) for y in landed], 2).flatten(1, 3)


class _Averaged(torch.autograd.Function):
    """A parameter, whose gradient is divided by the number of processes."""

    @staticmethod
    def forward(ctx, parameter, processes):
        ctx.processes = processes
        return parameter.view_as(parameter)

    @staticmethod
    def backward(ctx, gradient):
        return gradient / ctx.processes, None


class LongConv(torch.nn.Module):
    """A long convolution of sharded rows whose filters are sharded over channels: each process of `group` learns those
    of its own H / P channels, and nobody has them all.

    channels is H, length L, those of all processes. filter_length, skip, padding, fft_length and chunks are as
    ffc_torch.LongConv and fft_conv have them. Every process's loss is taken for its share of the samples, as
    DistributedDataParallel and FSDP average: gradients are of the mean over the group.
    """

    def __init__(
        self,
        channels: int,
        length: int,
        group: dist.ProcessGroup | None = None,
        *,
        filter_length: int | None = None,
        skip: bool = True,
        padding: str = "causal",
        fft_length: int | None = None,
        chunks: int | None = None,
        device: torch.device | str | None = None,
    ):
        super().__init__()
        taps = length if filter_length is None else filter_length
        for name, value in (("channels", channels), ("length", length), ("filter_length", taps)):
            _checks.positive(name, value)
        processes = dist.get_world_size(group)
        if channels % processes != 0:
            raise ValueError(f"channels is {channels}; {processes} processes must divide it")
        _checks.transform(padding, length, taps, fft_length)
        own = channels // processes
        self.group, self.padding, self.fft_length, self.chunks = group, padding, fft_length, chunks
        self.k = torch.nn.Parameter(torch.randn(own, taps, device=device) / math.sqrt(taps))
        self.register_parameter("skip", torch.nn.Parameter(torch.ones(own, device=device)) if skip else None)

    def forward(
        self, u: torch.Tensor, in_gate: torch.Tensor | None = None, out_gate: torch.Tensor | None = None
    ) -> torch.Tensor:
        processes = dist.get_world_size(self.group)
        return fft_conv(
            u,
            _Averaged.apply(self.k, processes),
            self.group,
            skip=None if self.skip is None else _Averaged.apply(self.skip, processes),
            in_gate=in_gate,
            out_gate=out_gate,
            padding=self.padding,
            fft_length=self.fft_length,
            chunks=self.chunks,
        )


def own_parameters(model: torch.nn.Module) -> dict[str, torch.nn.Parameter]:
    """Names and parameters of a model's sharded filters, which must not be averaged or sharded over their group: for
    DistributedDataParallel._set_params_and_buffers_to_ignore_for_model and fully_shard(ignored_params=...)."""
    return {
        f"{prefix}.{name}" if prefix else name: parameter
        for prefix, module in model.named_modules()
        if isinstance(module, LongConv)
        for name, parameter in module.named_parameters()
    }
