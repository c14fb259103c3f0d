"""python -m ffc_torch.benchmark: the time and memory of training steps, beside torch.fft and what else is installed.

A step is the convolution of rows with a filter that changes, and gradients of rows, filter and gates; causal, as many
taps as samples. torch.fft computes it in float32, as models do. Where a GPU's memory does not hold a batch, it is
halved until it does, and the row says so; ratios are of times for a row.
"""

import argparse
import concurrent.futures
import csv
import itertools
import multiprocessing
import os
import statistics
import sys
import time

import torch

import ffc_torch
from ffc_torch import _by_fft
from ffc_torch._convolve import convolve
from ffc_torch._operators import ops

COLUMNS = ("L", "B", "H", "gates", "dtype", "way", "batch", "ms", "MB", "over_torch_fft")
WIDTHS = (8, 4, 4, 5, 8, 16, 5, 10, 8, 14)


def by_torch(u, k, in_gate, out_gate):
    return _by_fft.conv(u, k, None, in_gate, out_gate, "causal", 0)


def by_ffc(u, k, in_gate, out_gate):
    return ffc_torch.fft_conv(u, k, in_gate=in_gate, out_gate=out_gate)


def by_ffc_unscaled(u, k, in_gate, out_gate):
    return ffc_torch.fft_conv(u, k, in_gate=in_gate, out_gate=out_gate, scale_gradients=False)


def gated_outside(convolution):
    """A way whose gates are products of their own around convolution(rows, taps)."""

    def convolve(u, k, in_gate, out_gate):
        y = convolution(u if in_gate is None else u * in_gate, k)
        return y if out_gate is None else y * out_gate

    return convolve


def by_flashfftconv():
    from flashfftconv import FlashFFTConv

    modules = {}

    def convolve(u, k, in_gate, out_gate):
        key = u.shape[-1], u.dtype
        if key not in modules:
            modules[key] = FlashFFTConv(2 * u.shape[-1], dtype=u.dtype).to(u.device)
        gates = () if in_gate is None else (in_gate, out_gate)
        return modules[key](u, k, *gates)

    return convolve


def by_subquadratic_ops():
    from subquadratic_ops_torch.fft_causal_conv1d import fft_causal_conv1d

    return gated_outside(lambda x, k: fft_causal_conv1d(x.float(), k).to(x.dtype))


def by_cudnn():
    from cudnn.ops import fft_causal_conv1d

    return gated_outside(lambda x, k: fft_causal_conv1d(x, k.to(x.dtype)))  # rows and taps of one type


PEERS = {"FlashFFTConv": by_flashfftconv, "subquadratic-ops": by_subquadratic_ops, "cuDNN": by_cudnn}


def ways():
    """Name and function of what is here: ours, torch.fft, and what can be imported."""
    found = {"torch.fft": by_torch, "ffc": by_ffc, "ffc unscaled": by_ffc_unscaled}
    for name, make in PEERS.items():
        try:
            found[name] = make()
        except ImportError as missing:
            print(f"# {name} is not measured: {missing}")
    return found


def step_of(way, batch, channels, length, dtype, gated, device="cuda"):
    def rows():
        return torch.randn(batch, channels, length, device=device, dtype=dtype).requires_grad_()

    u, gates = rows(), [rows(), rows()] if gated else [None, None]
    k = (torch.randn(channels, length, device=device) / length**0.5).requires_grad_()
    dy = torch.randn(batch, channels, length, device=device, dtype=dtype)
    inputs = [tensor for tensor in (u, k, *gates) if tensor is not None]

    def step():
        torch.autograd.grad(way(u, k, *gates), inputs, dy)

    return step


def measure(step, seconds: float) -> tuple[float, float]:
    """Milliseconds of a step among others, as in training, over about that many seconds, the median of three; and the
    most bytes beside what was there."""
    torch.cuda.synchronize()
    torch.cuda.reset_peak_memory_stats()
    before = torch.cuda.memory_allocated()

    def timed(steps):
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        for _ in range(steps):
            step()
        end.record()
        end.synchronize()
        return begin.elapsed_time(end) / steps

    timed(2)
    steps = min(max(int(1e3 * seconds / 3 / timed(1)), 1), 100)
    return statistics.median(timed(steps) for _ in range(3)), torch.cuda.max_memory_allocated() - before


def fitting(way, batch: int, *shape, seconds: float):
    """batch, milliseconds and bytes, of the largest batch / 2^i that the GPU's memory holds; None where one row of
    each channel is too much."""
    while batch > 0:
        try:
            return batch, *measure(step_of(way, batch, *shape), seconds)
        except torch.OutOfMemoryError:
            batch //= 2
        finally:
            torch.cuda.empty_cache()
    return None


def rows_of(shapes, dtype, seconds: float):
    """A row of COLUMNS for every shape (L, B, H, gated) and way; ms and MB are empty where it did not run."""
    found = ways()
    for length, batch, channels, gated in shapes:
        reference = None
        for name, way in found.items():
            case = [length, batch, channels, int(gated), str(dtype).removeprefix("torch."), name]
            try:
                result = fitting(way, batch, channels, length, dtype, gated, seconds=seconds)
            except (RuntimeError, TypeError, ValueError) as refusal:  # what a library does not take
                print(f"# {name}, L = {length}: {str(refusal).splitlines()[0]}")
                result = None
            if result is None:
                yield [*case, "", "", "", ""]
                continue
            fits, ms, memory = result
            reference = reference or ms / fits
            yield [*case, fits, f"{ms:.4f}", f"{memory / 2**20:.0f}", f"{reference * fits / ms:.2f}"]


def compile_one(length: int, dtype, gated: bool) -> None:
    step_of(by_ffc, 1, 1, length, dtype, gated)()
    torch.cuda.synchronize()


def compile_all(shapes, dtype) -> float:
    """Seconds that it took processes side by side to compile what the steps need, or find it in the cache."""
    begin = time.perf_counter()
    cases = sorted({(length, dtype, gated) for length, _, _, gated in shapes}, key=lambda case: -case[0])
    jobs = max(1, min(8, len(cases), os.cpu_count() or 1))
    with concurrent.futures.ProcessPoolExecutor(jobs, multiprocessing.get_context("spawn")) as pool:
        for future in [pool.submit(compile_one, *case) for case in cases]:
            future.result()
    return time.perf_counter() - begin


def call_microseconds(call, calls: int = 200, rounds: int = 25) -> float:
    """Of the CPU, for one of so many calls as a GPU's queue holds: the median of some rounds."""
    for _ in range(50):
        call()
    times = []
    for _ in range(rounds):
        torch.cuda.synchronize()
        begin = time.perf_counter()
        for _ in range(calls):
            call()
        times.append((time.perf_counter() - begin) / calls * 1e6)
    return statistics.median(times)


def overhead(device: str = "cuda", batch: int = 1):
    """(what, microseconds of the CPU for a call), of two rows of 512 samples."""
    u = torch.randn(batch, 2, 512, device=device).bfloat16()
    k = torch.randn(2, 512, device=device)
    prepared = ffc_torch.prepare_filter(k, 512)
    arguments = (u, prepared.spectrum, None, None, "causal", 512, 0, True)
    learned = k.clone().requires_grad_()

    def forward(taps):
        return convolve(u, taps, None, None, None, prepared.spectrum, "causal", 0, True)

    def step(scale_gradients=True):
        torch.autograd.grad(ffc_torch.fft_conv(u, learned, scale_gradients=scale_gradients), learned, u)

    with torch.no_grad():
        yield "an operator that does nothing", call_microseconds(lambda: ops.nothing.default(*arguments))
        yield "an operator of PyTorch, u.neg()", call_microseconds(u.neg)
        yield "forward without gradients", call_microseconds(lambda: forward(k))
        yield "fft_conv, filter prepared", call_microseconds(lambda: ffc_torch.fft_conv(u, prepared))
        yield "fft_conv with taps", call_microseconds(lambda: ffc_torch.fft_conv(u, k))
    yield "forward with autograd", call_microseconds(lambda: forward(learned))
    yield "fft_conv with taps that learn", call_microseconds(lambda: ffc_torch.fft_conv(u, learned))
    yield "k * k and its gradients", call_microseconds(lambda: torch.autograd.grad(learned * learned, learned, k))
    yield "a step: fft_conv and its gradients", call_microseconds(step)
    yield "a step without scales", call_microseconds(lambda: step(False))


def print_overhead(path: str | None) -> None:
    found = dict(overhead())
    nothing, forward = found["an operator that does nothing"], found["forward without gradients"]
    print("# microseconds of the CPU for a call")
    for what, microseconds in found.items():
        print(f"# {what:34} {microseconds:8.2f}")
    print(
        f"# forward / nothing {forward / nothing:.2f}; autograd {found['forward with autograd'] - forward:.1f} over it"
    )
    if path:
        with open(path, "w", newline="") as file:
            csv.writer(file).writerows([("what", "microseconds"), *((w, f"{m:.2f}") for w, m in found.items())])


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m ffc_torch.benchmark", description=__doc__.splitlines()[0])
    parser.add_argument("--lengths", default="1024,4096,16384,65536,262144,1048576")
    parser.add_argument("--batches", default="8,64")
    parser.add_argument("--channels", type=int, default=768)
    parser.add_argument("--dtype", choices=("float16", "bfloat16"), default="bfloat16")
    parser.add_argument("--seconds", type=float, default=0.3, help="that the steps of a measurement take, about")
    parser.add_argument("--csv", help="a file for the table")
    parser.add_argument("--overhead-csv", help="a file for the cost of calls")
    options = parser.parse_args()
    if not torch.cuda.is_available():
        print("ffc_torch.benchmark: PyTorch finds no GPU, and times of the host say nothing", file=sys.stderr)
        return 1
    dtype = getattr(torch, options.dtype)
    shapes = [
        (length, batch, options.channels, gated)
        for length in map(int, options.lengths.split(","))
        for batch in map(int, options.batches.split(","))
        for gated in (False, True)
    ]
    print(f"# {torch.cuda.get_device_name()}, torch {torch.__version__}, ffc_torch {ffc_torch.__version__}")
    print_overhead(options.overhead_csv)
    print(f"# kernels compiled, or found in the cache, in {compile_all(shapes, dtype):.0f} s")
    rows = itertools.chain([COLUMNS], rows_of(shapes, dtype, options.seconds))
    with open(options.csv or os.devnull, "w", newline="") as file:
        writer = csv.writer(file)
        for row in rows:
            print(" ".join(f"{cell!s:>{width}}" for cell, width in zip(row, WIDTHS, strict=True)), flush=True)
            writer.writerow(row)
            file.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main())
