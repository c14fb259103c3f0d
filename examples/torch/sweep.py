"""Times the convolution at random lengths beside PyTorch's rfft: python examples/torch/sweep.py --csv FILE

Each length is drawn evenly in its logarithm, from 16 to 8388608, circular or causal with as many taps as samples; rows
are those of 64 x 768, or fewer channels where they are long. Filters are transformed beforehand on both sides. PyTorch
computes in float32, as it does for models. The floor is a copy of the rows. A line a length: milliseconds of each, and
the error of ours, `norm(y - ref) / norm(ref)` against float64, of one channel. plot.py draws it. Where the file is
there, its lines stay, and their lengths are not timed again: what a run has not reached is timed by the next one.
Takes an ffc_torch that Python finds, and a GPU.
"""

import argparse
import concurrent.futures
import csv
import math
import multiprocessing
import os
import random
import statistics
import sys
import time

import torch

import ffc_torch

COLUMNS = ("length", "padding", "batch", "channels", "floor_ms", "ms", "rfft_ms", "rel_err")
BATCH, MOST_CHANNELS = 64, 768
SAMPLES = 1 << 26  # of a batch, or one channel's
LEAST_LENGTH, MOST_LENGTH = 16, 1 << 23


def draw(count: int, seed: int):
    """(length, padding), each length once."""
    generator = random.Random(seed)
    lengths = set()
    while len(lengths) < count:
        exponent = generator.uniform(math.log2(LEAST_LENGTH), math.log2(MOST_LENGTH))
        lengths.add(round(2**exponent))
    # A causal row needs room for as many taps.
    ordered = sorted(lengths)
    return [(n, "causal" if i % 2 and 2 * n - 1 <= 2 * MOST_LENGTH else "circular") for i, n in enumerate(ordered)]


def channels_of(length: int) -> int:
    return max(1, min(MOST_CHANNELS, SAMPLES // (BATCH * length)))


def taps_of(length: int, channels: int, device) -> torch.Tensor:
    return torch.randn(channels, length, device=device) / length**0.5


def compile_one(case) -> str:
    """Compiles a length's kernels into the cache; why not, where it cannot."""
    length, padding = case
    try:
        k = taps_of(length, 1, "cuda")
        prepared = ffc_torch.prepare_filter(k, length, dtype=torch.float16, padding=padding)
        ffc_torch.fft_conv(torch.zeros(2, 1, length, device="cuda", dtype=torch.float16), prepared)
        torch.cuda.synchronize()
        return ""
    except (RuntimeError, ValueError) as refusal:
        return f"{length} {padding}: {refusal}"


def compile_all(cases, jobs: int) -> None:
    with concurrent.futures.ProcessPoolExecutor(jobs, multiprocessing.get_context("spawn")) as pool:
        for refusal in pool.map(compile_one, cases, chunksize=4):
            if refusal:
                print(f"# {refusal}")


def rfft_conv(u: torch.Tensor, spectrum: torch.Tensor, points: int) -> torch.Tensor:
    y = torch.fft.irfft(torch.fft.rfft(u.float(), n=points).mul_(spectrum), n=points)
    return y[..., : u.shape[-1]].to(u.dtype)


def milliseconds(call, seconds: float) -> float:
    """The median of five groups of calls, which together take about that long; 1 at least in a group."""

    def timed(calls: int) -> float:
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        for _ in range(calls):
            call()
        end.record()
        end.synchronize()
        return begin.elapsed_time(end) / calls

    timed(2)
    calls = min(max(int(1e3 * seconds / 5 / timed(2)), 1), 50)
    return statistics.median(timed(calls) for _ in range(5))


def in_turn(sets, call):
    """`call(set)` with the next of the sets: no launch finds its rows in the L2 cache."""
    turn = 0

    def next_call():
        nonlocal turn
        turn = (turn + 1) % len(sets)
        call(*sets[turn])

    return next_call


def measure(length: int, padding: str, seconds: float):
    """A row of COLUMNS."""
    channels = channels_of(length)
    points = length if padding == "circular" else 2 * length
    shape = BATCH, channels, length
    count = max(1, min(8, math.ceil((400 << 20) / (4 * BATCH * channels * length))))
    sets = [
        (torch.randn(shape, device="cuda", dtype=torch.float16), torch.empty(shape, device="cuda", dtype=torch.float16))
        for _ in range(count)
    ]
    k = taps_of(length, channels, "cuda")
    prepared = ffc_torch.prepare_filter(k, length, dtype=torch.float16, padding=padding)
    spectrum = torch.fft.rfft(k, n=points)
    u = sets[0][0]
    y = ffc_torch.fft_conv(u, prepared)[:, 0].double()
    reference = torch.fft.irfft(
        torch.fft.rfft(u[:, 0].double(), n=points) * torch.fft.rfft(k[0].double(), n=points), n=points
    )[..., :length]
    error = ((y - reference).norm() / reference.norm()).item()
    del y, reference
    ours = milliseconds(in_turn(sets, lambda rows, _: ffc_torch.fft_conv(rows, prepared)), seconds)
    floor = milliseconds(in_turn(sets, lambda rows, out: out.copy_(rows)), seconds / 2)
    theirs = milliseconds(in_turn(sets, lambda rows, _: rfft_conv(rows, spectrum, points)), seconds)
    return [length, padding, BATCH, channels, f"{floor:.5f}", f"{ours:.5f}", f"{theirs:.5f}", f"{error:.3e}"]


def timed_before(path: str):
    """Comments and rows of COLUMNS of a file that is there."""
    if not os.path.exists(path):
        return [], []
    with open(path, newline="") as file:
        comments, lines = [], []
        for line in file:
            (comments if line.startswith("#") else lines).append(line)
    return comments, [[row[column] for column in COLUMNS] for row in csv.DictReader(lines)]


def case_of(row):
    """(length, padding) of a row."""
    return int(row[0]), row[1]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--csv", required=True, help="the table that is written")
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=0.05, help="of GPU time for each measurement")
    parser.add_argument("--limit", type=float, default=3600, help="seconds after which no length is begun")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes that compile")
    options = parser.parse_args()
    torch.backends.cuda.cufft_plan_cache.max_size = 2  # each plan keeps memory of its own
    begin = time.perf_counter()
    comments, before = timed_before(options.csv)
    known = set(map(case_of, before))
    cases = [case for case in draw(options.count, options.seed) if case not in known]
    compile_all(cases, options.jobs)
    print(f"# compiled in {time.perf_counter() - begin:.0f} s")
    # In an order that is not that of lengths: where time is over, those that are left are of all sizes.
    random.Random(options.seed).shuffle(cases)
    rows, refused = [], 0
    for case in cases:
        if time.perf_counter() - begin > options.limit:
            print(f"# {len(cases) - len(rows) - refused} lengths were not reached")
            break
        try:
            rows.append(measure(*case, options.seconds))
        except (RuntimeError, ValueError) as refusal:
            refused += 1
            print(f"# {case[0]} {case[1]}: {str(refusal).splitlines()[0]}")
        torch.cuda.empty_cache()  # kernels are loaded into what is left
    machine = f"# {torch.cuda.get_device_name()}, PyTorch {torch.__version__}\n"
    with open(options.csv, "w", newline="") as file:
        file.writelines(comments if machine in comments else [*comments, machine])
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        writer.writerows(sorted(before + rows, key=case_of))
    print(f"# {len(rows)} lengths in {time.perf_counter() - begin:.0f} s")
    return 1 if refused else 0


if __name__ == "__main__":
    sys.exit(main())
