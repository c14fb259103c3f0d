"""Draws training steps at random, checks them and times them: python examples/torch/random_steps.py --csv FILE

A step is a convolution with everything that fft_conv takes, and its gradients: rows and channels, lengths, short
filters and whole ones, both directions, groups, gates that are slices of one projection, spectra, frozen filters. Each
is compared with torch.fft in float64, one channel of it; on a GPU it is captured into a CUDA graph and timed, beside
torch.fft's step and a copy of as many bytes. Steps that take many times that copy stand first in the summary, with the
kernels that took longest. A line a step in the table. On the CPU with FFC_DEVICE=host nothing is timed.
"""

import argparse
import concurrent.futures
import csv
import dataclasses
import math
import multiprocessing
import os
import random
import re
import sys

import torch

import ffc_torch
from sweep import milliseconds

GATES = {"none": (), "in": ("in_gate",), "out": ("out_gate",), "both": ("in_gate", "out_gate")}
DTYPES = {"float16": torch.float16, "bfloat16": torch.bfloat16}
BOUND = 6e-3  # of the norm, of rows and taps; a sum over all samples of a channel may be small
MEASURED = ("floor_ms", "ms", "torch_ms", "rows_err", "gradients_err", "kernels")


@dataclasses.dataclass(frozen=True)
class Step:
    batch: int
    channels: int
    length: int
    taps: int
    padding: str
    mode: str
    dtype: str
    gates: str
    sliced: bool  # rows are slices of one projection
    groups: int  # 0: a filter for each channel
    skip: bool
    spectrum: bool  # the filter is one
    frozen: str  # "", "filter" or "rows": what wants no gradient

    @property
    def rows(self) -> int:
        """Tensors that come in: u and its gates."""
        return 1 + len(GATES[self.gates])

    @property
    def points(self) -> int:
        """Of torch.fft's transforms: none of what is kept wraps around but that of circular rows."""
        if self.padding == "circular":
            return self.length
        return self.length + self.taps if self.padding == "causal" and not self.spectrum else 2 * self.length


def draw(generator: random.Random, least: int, most: int) -> Step:
    """One of `least` to `most` samples."""
    while True:
        length = round(2 ** generator.uniform(6, min(20.5, math.log2(most))))
        if generator.random() < 0.6:
            multiple = generator.choice((8, 16, 64, 256))
            length = max(multiple, length // multiple * multiple)
        batch = generator.choice((1, 1, 2, 3, 4, 6, 8, 16, 32, 64))
        channels = generator.choice((16, 64, 128, 256, 384, 512, 768, 1024, 1536, 2048, 4096))
        padding = generator.choice(("causal",) * 4 + ("circular", "padded"))
        mode = "bidirectional" if padding == "causal" and generator.random() < 0.15 else "forward"
        gates = generator.choice(("none", "none", "both", "both", "in", "out"))
        groups = generator.choice((0, 0, 0, channels // 8, 1))
        spectrum = padding != "padded" and mode == "forward" and groups == 0 and generator.random() < 0.12
        short = generator.random() < 0.4 and not spectrum
        step = Step(
            batch=batch,
            channels=channels,
            length=length,
            taps=round(2 ** generator.uniform(0, math.log2(length))) if short else length,
            padding=padding,
            mode=mode,
            dtype=generator.choice(("bfloat16", "bfloat16", "float16")),
            gates=gates,
            sliced=gates != "none" and generator.random() < 0.6,
            groups=groups,
            skip=generator.random() < 0.5,
            spectrum=spectrum,
            frozen=generator.choice(("",) * 5 + ("filter", "rows")),
        )
        if least <= batch * channels * length <= most:
            return step


class Tensors:
    """Of a step: rows or the projection that they are slices of, filters, the skip term, and dy."""

    def __init__(self, step: Step, device):
        def rows(count):
            return torch.randn(step.batch, count * step.channels, step.length, device=device).to(DTYPES[step.dtype])

        def filter():
            taps = torch.randn(step.groups or step.channels, step.taps, device=device) / step.taps**0.5
            return torch.fft.rfft(taps, n=step.points) if step.spectrum else taps

        self.rows = [rows(step.rows)] if step.sliced else [rows(1) for _ in range(step.rows)]
        self.filters = [filter() for _ in range(2 if step.mode == "bidirectional" else 1)]
        self.skip = [torch.randn(step.channels, device=device)] if step.skip else []
        self.dy = rows(1)
        self.leaves = ([] if step.frozen == "rows" else self.rows) + (
            [] if step.frozen == "filter" else self.filters + self.skip
        )
        for leaf in self.leaves:
            leaf.requires_grad_()

    def of_channel(self, step: Step, channel: int) -> "Tensors":
        """Those of one channel in float64, with leaves of their own."""
        one = object.__new__(Tensors)
        channels = slice(channel, channel + 1)
        group = channel * (step.groups or step.channels) // step.channels
        one.rows = [x[:, channels].detach().double() for x in split(step, self.rows)]
        wide = torch.complex128 if step.spectrum else torch.float64
        one.filters = [k[group : group + 1].detach().to(wide) for k in self.filters]
        one.skip = [d[channels].detach().double() for d in self.skip]
        one.dy = self.dy[:, channels].double()
        one.leaves = [leaf.requires_grad_() for leaf in (*one.rows, *one.filters, *one.skip)]
        return one


def chunk_by_torch(projection, chunks: int):
    return projection.chunk(chunks, 1)


def split(step: Step, rows, chunk=chunk_by_torch):
    return chunk(rows[0], step.rows) if step.sliced else rows


def ours(step: Step, tensors: Tensors) -> torch.Tensor:
    u, *gates = split(step, tensors.rows, ffc_torch.chunk)
    more = dict(zip(GATES[step.gates], gates, strict=True))
    if step.mode == "bidirectional":
        more.update(mode=step.mode, k_reverse=tensors.filters[1])
    if step.padding == "padded":
        more.update(fft_length=step.points)
    skip = tensors.skip[0] if tensors.skip else None
    return ffc_torch.fft_conv(u, tensors.filters[0], skip=skip, padding=step.padding, **more)


def theirs(step: Step, tensors: Tensors) -> torch.Tensor:
    """By torch.fft, as models do it: in float32, or in float64 where rows are."""
    u, *gates = split(step, tensors.rows)
    of = dict(zip(GATES[step.gates], gates, strict=True))
    u = u * of["in_gate"] if "in_gate" in of else u
    points = step.points if step.mode == "forward" else 2 * step.length
    spectra = [k if step.spectrum else torch.fft.rfft(k, n=points) for k in tensors.filters]
    spectrum = spectra[0] if len(spectra) == 1 else spectra[0] + spectra[1].conj()
    if spectrum.shape[0] != u.shape[1]:
        spectrum = spectrum.repeat_interleave(u.shape[1] // spectrum.shape[0], 0)
    wide = u if u.dtype is torch.float64 else u.float()
    y = torch.fft.irfft(torch.fft.rfft(wide, n=points) * spectrum, n=points)[..., : step.length]
    y = y + wide * tensors.skip[0][:, None] if tensors.skip else y
    return (y * of["out_gate"] if "out_gate" in of else y).to(u.dtype)


def error(found, expected) -> float:
    wide = torch.complex128 if found.is_complex() else torch.float64
    return ((found.to(wide) - expected).norm() / expected.norm()).item()


def errors(step: Step, tensors: Tensors, channel: int):
    """Of y, and the largest of gradients that are of this channel alone, and no sums over all of its samples."""
    one = tensors.of_channel(step, channel)
    y, expected = ours(step, tensors), theirs(dataclasses.replace(step, sliced=False), one)
    of_rows = error(y[:, channel : channel + 1].detach(), expected.detach())
    if not tensors.leaves:
        return of_rows, 0.0
    found = list(torch.autograd.grad(y, tensors.leaves, tensors.dy))
    wanted = torch.autograd.grad(expected, one.leaves, one.dy)
    pairs = []
    if step.frozen != "rows":
        rows = split(step, [found.pop(0) for _ in tensors.rows])
        pairs += [(x[:, channel : channel + 1], w) for x, w in zip(rows, wanted, strict=False)]
    # A causal spectrum's gradient is that of the taps that reach something; groups have sums over their channels.
    if step.frozen != "filter" and step.groups == 0 and not (step.spectrum and step.padding == "causal"):
        of_filters = wanted[step.rows : step.rows + len(tensors.filters)]
        pairs += [(dk[channel : channel + 1], w) for dk, w in zip(found, of_filters, strict=False)]
    return of_rows, max([error(x, w) for x, w in pairs], default=0.0)


def floor_bytes(step: Step, tensors: Tensors) -> int:
    """What a step cannot but move: rows in and out, forward and backward, and filters with their gradients."""
    row = tensors.dy.numel() * tensors.dy.element_size()
    filters = sum(k.numel() * k.element_size() for k in tensors.filters)
    forward = row * (step.rows + 1) + filters
    backward = row * (step.rows + 1) + filters
    return forward + backward + (step.frozen != "rows") * row * step.rows + (step.frozen != "filter") * filters


def captured(call) -> torch.cuda.CUDAGraph:
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        for _ in range(3):
            call()
    torch.cuda.current_stream().wait_stream(stream)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        call()
    return graph


def longest_kernels(graph, most: int = 6) -> str:
    """Names and microseconds of the kernels of a replay, the longest first."""
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as profile:
        graph.replay()
        torch.cuda.synchronize()
    times = {}
    for event in profile.events():
        name = re.search(r"\w+", event.name.replace("void at::native::", "").replace("void ", "")).group()
        times[name] = times.get(name, 0) + event.device_time
    longest = sorted(times.items(), key=lambda item: -item[1])[:most]
    return " ".join(f"{name}:{time:.0f}" for name, time in longest)


def measure(step: Step, tensors: Tensors, bytes_a_ms: float):
    def run(convolve):
        y = convolve(step, tensors)
        if tensors.leaves:
            torch.autograd.grad(y, tensors.leaves, tensors.dy)

    graph = captured(lambda: run(ours))
    return (
        floor_bytes(step, tensors) / bytes_a_ms,
        milliseconds(graph.replay, 0.04),
        milliseconds(lambda: run(theirs), 0.02),
        longest_kernels(graph),
    )


def copy_rate() -> float:
    """Bytes in and out that a copy of 1 GB moves in a millisecond."""
    rows = torch.empty(1 << 29, device="cuda", dtype=torch.float16)
    to = torch.empty_like(rows)
    return 2 * rows.numel() * rows.element_size() / milliseconds(lambda: to.copy_(rows), 0.04)


def compile_one(step: Step) -> None:
    """Its kernels into the cache, which do not depend on the channels."""
    few = dataclasses.replace(step, channels=8, groups=min(step.groups, 1))
    tensors = Tensors(few, "cuda")
    y = ours(few, tensors)
    if tensors.leaves:
        torch.autograd.grad(y, tensors.leaves, tensors.dy)


def compile_all(steps) -> None:
    with concurrent.futures.ProcessPoolExecutor(os.cpu_count(), multiprocessing.get_context("spawn")) as pool:
        list(pool.map(compile_one, steps))


def main(arguments=None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--csv", help="the table that is written")
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--least-samples", type=int, default=1 << 22, help="of u")
    parser.add_argument("--most-samples", type=int, default=1 << 27, help="of u")
    options = parser.parse_args(arguments)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    generator = random.Random(options.seed)
    steps = [draw(generator, options.least_samples, options.most_samples) for _ in range(options.count)]
    rate = 0.0
    if device.type == "cuda":
        compile_all(steps)
        rate = copy_rate()
    rows, wrong = [], 0
    for step in steps:
        tensors = Tensors(step, device)
        of_rows, of_gradients = errors(step, tensors, generator.randrange(step.channels))
        times = measure(step, tensors, rate) if device.type == "cuda" else (0.0, 0.0, 0.0, "")
        del tensors
        if device.type == "cuda":
            torch.backends.cuda.cufft_plan_cache.clear()
            torch.cuda.empty_cache()
        rows.append((step, *times[:3], of_rows, of_gradients, times[3]))
        if not max(of_rows, of_gradients) < BOUND:
            wrong += 1
            print(f"WRONG: {step}: {of_rows:.1e}, {of_gradients:.1e}")
    rows.sort(key=lambda row: -row[2] / max(row[1], 1e-9))
    for step, floor, ms, torch_ms, *_, kernels in rows[:10] if rate else ():
        print(f"{ms / floor:.1f} times the copy, {torch_ms / ms:.1f} times as fast as torch.fft: {step}\n    {kernels}")
    if options.csv:
        with open(options.csv, "w", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow([field.name for field in dataclasses.fields(Step)] + list(MEASURED))
            writer.writerows([*dataclasses.astuple(row[0]), *row[1:]] for row in rows)
    print(f"{options.count} steps from seed {options.seed} on {device}, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
