"""python -m ffc_torch.benchmark: the time and memory of a training step, beside torch.fft.

A step is the convolution of rows with a filter that changes, and gradients of rows, filter and gates; causal, as many
taps as samples. torch.fft computes it in float32, as models do.
"""

import argparse
import statistics
import sys
import time

import torch

import ffc_torch
from ffc_torch import _by_fft
from ffc_torch._operators import ops


def by_torch(u, k, in_gate, out_gate):
    return _by_fft.conv(u, k, None, in_gate, out_gate, "causal", 0)


def by_ffc(u, k, in_gate, out_gate):
    return ffc_torch.fft_conv(u, k, in_gate=in_gate, out_gate=out_gate)


def by_ffc_unscaled(u, k, in_gate, out_gate):
    return ffc_torch.fft_conv(u, k, in_gate=in_gate, out_gate=out_gate, scale_gradients=False)


def step_of(convolve, batch, channels, length, dtype, gated, device):
    def rows():
        return torch.randn(batch, channels, length, device=device, dtype=dtype).requires_grad_()

    u, gates = rows(), [rows(), rows()] if gated else [None, None]
    k = (torch.randn(channels, length, device=device) / length**0.5).requires_grad_()
    dy = torch.randn(batch, channels, length, device=device, dtype=dtype)
    inputs = [tensor for tensor in (u, k, *gates) if tensor is not None]

    def step():
        torch.autograd.grad(convolve(u, k, *gates), inputs, dy)

    return step


def measure(step, repeats: int) -> tuple[float, float]:
    """Milliseconds of a step, the median of `repeats`, and the most bytes that it takes beside what was there."""
    for _ in range(3):
        step()
    torch.cuda.synchronize()
    torch.cuda.reset_peak_memory_stats()
    before = torch.cuda.memory_allocated()
    times = []
    for _ in range(repeats):
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        step()
        end.record()
        end.synchronize()
        times.append(begin.elapsed_time(end))
    return statistics.median(times), torch.cuda.max_memory_allocated() - before


def measured(*shape, repeats: int):
    """measure of step_of(*shape), None where the GPU's memory does not hold it."""
    try:
        return measure(step_of(*shape), repeats)
    except torch.OutOfMemoryError:
        return None
    finally:
        torch.cuda.empty_cache()


def call_microseconds(call, calls: int = 2000) -> float:
    """Of the CPU, for one of many calls whose work on the GPU is small."""
    for _ in range(50):
        call()
    torch.cuda.synchronize()
    begin = time.perf_counter()
    for _ in range(calls):
        call()
    seconds = time.perf_counter() - begin
    torch.cuda.synchronize()
    return seconds / calls * 1e6


def print_overhead() -> None:
    """What calls from Python cost, of two rows of 512 samples."""
    u = torch.randn(1, 2, 512, device="cuda").bfloat16()
    k = torch.randn(2, 512, device="cuda")
    prepared = ffc_torch.prepare_filter(k, 512)
    arguments = (u, prepared.spectrum, None, None, None, None, "causal", 512, 0, True)
    learned = k.clone().requires_grad_()

    def step():
        torch.autograd.grad(ffc_torch.fft_conv(u, learned), learned, u)

    with torch.no_grad():
        nothing = call_microseconds(lambda: ops.nothing(*arguments))
        forward = call_microseconds(lambda: ops.forward(*arguments))
        inference = call_microseconds(lambda: ffc_torch.fft_conv(u, prepared))
        with_filter = call_microseconds(lambda: ffc_torch.fft_conv(u, k))
    training = call_microseconds(lambda: ffc_torch.fft_conv(u, learned))
    print(f"microseconds of CPU a call: an operator that does nothing {nothing:.1f}, the convolution {forward:.1f}")
    print(f"fft_conv with a prepared filter {inference:.1f}, with taps {with_filter:.1f}, where they learn")
    print(f"{training:.1f}, and with its gradients {call_microseconds(step):.1f}")


def text_of(result) -> str:
    return f"{result[0]:9.3f} {result[1] / 2**20:9.0f}" if result else f"{'-':>9} {'memory':>9}"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m ffc_torch.benchmark", description=__doc__.splitlines()[0])
    parser.add_argument("--lengths", default="1024,4096,16384,65536,262144,1048576")
    parser.add_argument("--batch", type=int, default=8)
    parser.add_argument("--channels", type=int, default=768)
    parser.add_argument("--dtype", choices=("float16", "bfloat16"), default="bfloat16")
    parser.add_argument("--repeats", type=int, default=10)
    options = parser.parse_args()
    if not torch.cuda.is_available():
        print("ffc_torch.benchmark: PyTorch finds no GPU, and times of the host say nothing", file=sys.stderr)
        return 1
    device, dtype = torch.device("cuda"), getattr(torch, options.dtype)
    print(f"{torch.cuda.get_device_name()}, torch {torch.__version__}, {options.batch} x {options.channels} rows,")
    print(f"{options.dtype}; a step is filter, forward, backward; ms and MB; torch.fft computes in float32;")
    print("unscaled: without the scales of gradients")
    print_overhead()
    print(f"{'L':>8} {'gates':>5} {'ffc':>9} {'MB':>9} {'unscaled':>9} {'torch.fft':>9} {'MB':>9} {'ratio':>6}")
    for length in map(int, options.lengths.split(",")):
        for gated in (False, True):
            shape = options.batch, options.channels, length, dtype, gated, device
            ours = measured(by_ffc, *shape, repeats=options.repeats)
            unscaled = measured(by_ffc_unscaled, *shape, repeats=options.repeats)
            theirs = measured(by_torch, *shape, repeats=options.repeats)
            ratio = f"{theirs[0] / ours[0]:6.2f}" if ours and theirs else f"{'-':>6}"
            gates = "yes" if gated else "no"
            alone = f"{unscaled[0]:9.3f}" if unscaled else f"{'-':>9}"
            print(f"{length:8} {gates:>5} {text_of(ours)} {alone} {text_of(theirs)} {ratio}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
