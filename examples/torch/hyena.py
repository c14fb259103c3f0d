"""A Hyena language model trained on associative recall, by ffc and by torch.fft: python examples/torch/hyena.py

A sequence is pairs of a key and its value, then a key that was there; the model names its value. The model has two
layers of a Hyena operator of order 2 whose gates are fused into the convolution, and filters that a small network
makes of positions. The same seeds and steps run with torch.fft in float32, alone and in a model that is otherwise in
bfloat16, and with ffc in half precision. On a GPU the time and memory of a step follow, of sequences from 1024 to
131072 tokens.
"""

import argparse
import concurrent.futures
import csv
import math
import multiprocessing
import sys
import time
from pathlib import Path

import torch
import torch.nn.functional as F
from torch import nn

import ffc_torch


def recall_batch(batch: int, length: int, keys: int, generator: torch.Generator):
    """Tokens (B, L), and the value (B) that belongs behind the last of them. Keys are [0, keys), values the rest.
    A key keeps its value within a sequence."""
    pairs = length // 2
    values = torch.randint(keys, (batch, keys), generator=generator)
    shown = torch.randint(keys, (batch, pairs), generator=generator)
    tokens = torch.stack((shown, keys + values.gather(1, shown)), -1).reshape(batch, 2 * pairs)
    place = torch.randint(pairs - 1, (batch, 1), generator=generator)
    query = shown.gather(1, place)  # one that was there
    tokens = torch.cat((tokens[:, : 2 * pairs - 1], query), 1)
    return tokens, values.gather(1, query)[:, 0]


class ImplicitFilter(nn.Module):
    """k (H, L): a network with sines over features of the position, under windows that decay at rates of their own."""

    def __init__(self, channels: int, length: int, features: int = 9, width: int = 32):
        super().__init__()
        t = torch.linspace(0, 1, length)[:, None]
        angles = 2 * math.pi * t * torch.arange(1, (features - 1) // 2 + 1)
        self.register_buffer("features", torch.cat((t, angles.cos(), angles.sin()), 1))
        self.register_buffer("rates", torch.linspace(1, 12, channels))
        self.first, self.second = nn.Linear(features, width), nn.Linear(width, width)
        self.last = nn.Linear(width, channels, bias=False)

    def forward(self):
        with torch.autocast(self.features.device.type, enabled=False):  # taps are float32, whatever rows are
            x = torch.sin(4 * self.first(self.features))
            window = torch.exp(-self.features[:, :1] * self.rates) / math.sqrt(len(self.features) / 16)
            return (self.last(torch.sin(self.second(x))) * window).T


class Hyena(nn.Module):
    """x1 . conv(x2 . v): three projections (B, 3 H, L) go through a short convolution, and are taken as slices."""

    def __init__(self, channels: int, length: int, convolve):
        super().__init__()
        self.convolve = convolve
        self.into, self.out = nn.Conv1d(channels, 3 * channels, 1), nn.Conv1d(channels, channels, 1)
        self.short = nn.Conv1d(3 * channels, 3 * channels, 3, groups=3 * channels)
        self.filter = ImplicitFilter(channels, length)
        self.skip = nn.Parameter(torch.ones(channels))

    def forward(self, x):
        # Padded in front, and not behind and cut: rows stay contiguous, and their slices are taken as they are.
        x1, x2, v = ffc_torch.chunk(self.short(F.pad(self.into(x), (2, 0))), 3)
        return self.out(self.convolve(v, self.filter(), self.skip, x2, x1))


class Model(nn.Module):
    def __init__(self, keys: int, length: int, channels: int, layers: int, convolve):
        super().__init__()
        self.embedding = nn.Embedding(2 * keys, channels)
        self.mixers = nn.ModuleList(Hyena(channels, length, convolve) for _ in range(layers))
        self.networks = nn.ModuleList(
            nn.Sequential(nn.Conv1d(channels, 2 * channels, 1), nn.GELU(), nn.Conv1d(2 * channels, channels, 1))
            for _ in range(layers)
        )
        self.scales = nn.ModuleList(nn.LayerNorm(channels) for _ in range(2 * layers + 1))
        self.head = nn.Linear(channels, keys)

    def normed(self, place: int, x):
        return self.scales[place](x.transpose(1, 2)).transpose(1, 2)

    def forward(self, tokens):
        x = self.embedding(tokens).transpose(1, 2)
        for i, (mixer, network) in enumerate(zip(self.mixers, self.networks, strict=True)):
            x = x + mixer(self.normed(2 * i, x))
            x = x + network(self.normed(2 * i + 1, x))
        return self.head(self.scales[-1](x[..., -1]))


def by_torch(u, k, skip, in_gate, out_gate):
    length = u.shape[-1]
    x = (u * in_gate).float()
    y = torch.fft.irfft(torch.fft.rfft(x, n=2 * length) * torch.fft.rfft(k, n=2 * length), n=2 * length)
    return ((y[..., :length] + skip[:, None] * x) * out_gate.float()).to(u.dtype)


def by_ffc(u, k, skip, in_gate, out_gate):
    return ffc_torch.fft_conv(u, k, skip=skip, in_gate=in_gate, out_gate=out_gate)


WAYS = {
    "torch.fft float32": (by_torch, None),
    "torch.fft in a bfloat16 model": (by_torch, torch.bfloat16),
    "ffc bfloat16": (by_ffc, torch.bfloat16),
    "ffc float16": (by_ffc, torch.float16),
}


def learner(way: str, length: int, options, device):
    """A model, and step(tokens, answers) -> loss, which trains it, and hits(tokens, answers)."""
    convolve, dtype = WAYS[way]
    model = Model(options.keys, length, options.channels, options.layers, convolve).to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=options.rate, weight_decay=0.01)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, options.rate, max(options.steps, 2))
    scaler = torch.amp.GradScaler(device.type, enabled=dtype == torch.float16)

    def logits_of(tokens):
        with torch.autocast(device.type, dtype, enabled=dtype is not None):
            return model(tokens).float()

    def step(tokens, answers):
        loss = F.cross_entropy(logits_of(tokens), answers)
        optimizer.zero_grad()
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
        schedule.step()
        return loss.detach()

    @torch.no_grad()
    def hits(tokens, answers):
        return (logits_of(tokens).argmax(-1) == answers).float().mean()

    return step, hits


def train(way: str, seed: int, options, device):
    """Accuracy on new sequences, and the losses of every tenth step."""
    torch.manual_seed(seed)
    generator = torch.Generator().manual_seed(seed)
    step, hits = learner(way, options.length, options, device)

    def batch():
        return (t.to(device) for t in recall_batch(options.batch, options.length, options.keys, generator))

    losses = []
    for number in range(options.steps):
        loss = step(*batch())
        if number % 10 == 9 or number == 0:
            losses.append(loss.item())
    return torch.stack([hits(*batch()) for _ in range(options.tests)]).mean().item(), losses


def cost(way: str, length: int, options, device):
    """Milliseconds of a step of training and the most megabytes; None where they are too many."""
    torch.cuda.empty_cache()
    before = torch.cuda.memory_allocated()
    try:
        step, _ = learner(way, length, options, device)
        tokens, answers = recall_batch(options.table_batch, length, options.keys, torch.Generator().manual_seed(1))
        tokens, answers = tokens.to(device), answers.to(device)
        for _ in range(3):
            step(tokens, answers)
        torch.cuda.synchronize()
        torch.cuda.reset_peak_memory_stats()
        begin, steps = time.perf_counter(), 5
        for _ in range(steps):
            step(tokens, answers)
        torch.cuda.synchronize()
    except torch.OutOfMemoryError:
        return None
    return 1e3 * (time.perf_counter() - begin) / steps, (torch.cuda.max_memory_allocated() - before) / 2**20


def parse(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--length", type=int, default=256, help="tokens of a sequence, even")
    parser.add_argument("--keys", type=int, default=16)
    parser.add_argument("--channels", type=int, default=64)
    parser.add_argument("--layers", type=int, default=2)
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--steps", type=int, default=3000)
    parser.add_argument("--rate", type=float, default=2e-3)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--tests", type=int, default=20, help="batches that accuracy is measured on")
    parser.add_argument("--ways", default=",".join(WAYS))
    parser.add_argument("--jobs", type=int, default=1, help="runs at a time, each in a process of its own")
    parser.add_argument("--lengths", default="1024,2048,4096,8192,16384,32768,65536,131072", help="of the table")
    parser.add_argument("--table-batch", type=int, default=8)
    parser.add_argument("--csv", type=Path, help="a folder for hyena_accuracy.csv and hyena_steps.csv")
    return parser.parse_args(arguments)


def write(options, name: str, rows) -> None:
    if options.csv:
        options.csv.mkdir(parents=True, exist_ok=True)
        with open(options.csv / name, "w", newline="") as file:
            csv.writer(file).writerows(rows)


def compare_accuracy(ways, options, device) -> None:
    cases = [(way, seed) for way in ways for seed in range(options.seeds)]
    if options.jobs > 1:
        with concurrent.futures.ProcessPoolExecutor(options.jobs, multiprocessing.get_context("spawn")) as pool:
            runs = [run.result() for run in [pool.submit(train, *case, options, device) for case in cases]]
    else:
        runs = [train(*case, options, device) for case in cases]
    accuracies = {case: run[0] for case, run in zip(cases, runs, strict=True)}
    for way in ways:
        print(f"{way:30} accuracy {' '.join(f'{accuracies[way, seed]:.3f}' for seed in range(options.seeds))}")
    rows = [(*case, f"{run[0]:.4f}", f"{run[1][-1]:.4f}") for case, run in zip(cases, runs, strict=True)]
    write(options, "hyena_accuracy.csv", [("way", "seed", "accuracy", "loss"), *rows])


def compare_cost(ways, options, device) -> None:
    rows = [("way", "length", "batch", "ms", "MB")]
    for length in map(int, options.lengths.split(",")):
        for way in ways:
            result = cost(way, length, options, device)
            cells = (f"{result[0]:.2f}", f"{result[1]:.0f}") if result else ("", "")
            rows.append((way, length, options.table_batch, *cells))
            print(f"{way:30} {length:8} tokens: {cells[0]:>9} ms a step, {cells[1]:>8} MB", flush=True)
    write(options, "hyena_steps.csv", rows)


def main() -> int:
    options = parse()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    ways = options.ways.split(",")
    print(f"length {options.length}, {options.keys} keys, batch {options.batch}, {options.steps} steps, on {device}")
    compare_accuracy(ways, options, device)
    if device.type == "cuda" and options.lengths:
        compare_cost(ways, options, device)
    return 0


if __name__ == "__main__":
    sys.exit(main())
