"""A Hyena language model trained on associative recall, by ffc and by torch.fft: python examples/torch/hyena.py

A sequence is pairs of a key and its value, then a key that was there; the model names its value. The model has two
layers of a Hyena operator of order 2 whose gates are fused into the convolution, and filters that a small network makes
of positions. The same seeds and steps run with torch.fft in float32 and with ffc in half precision.
"""

import argparse
import math
import statistics
import sys
import time

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
        self.register_buffer("window", torch.exp(-t * torch.linspace(1, 12, channels)))
        self.first, self.second = nn.Linear(features, width), nn.Linear(width, width)
        self.last = nn.Linear(width, channels, bias=False)

    def forward(self):
        x = torch.sin(4 * self.first(self.features))
        return (self.last(torch.sin(self.second(x))) * self.window).T / math.sqrt(len(self.window) / 16)


class Hyena(nn.Module):
    """x1 . conv(x2 . v): three projections (B, 3 H, L) go through a short convolution, and are taken as slices."""

    def __init__(self, channels: int, length: int, convolve):
        super().__init__()
        self.convolve = convolve
        self.into, self.out = nn.Conv1d(channels, 3 * channels, 1), nn.Conv1d(channels, channels, 1)
        self.short = nn.Conv1d(3 * channels, 3 * channels, 3, padding=2, groups=3 * channels)
        self.filter = ImplicitFilter(channels, length)
        self.skip = nn.Parameter(torch.ones(channels))

    def forward(self, x):
        x1, x2, v = self.short(self.into(x))[..., : x.shape[-1]].chunk(3, 1)
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
    "ffc bfloat16": (by_ffc, torch.bfloat16),
    "ffc float16": (by_ffc, torch.float16),
}


def train(way: str, seed: int, options, device):
    """Accuracy on new sequences, milliseconds of a step (median) and the most megabytes, 0 on the CPU."""
    convolve, dtype = WAYS[way]
    torch.manual_seed(seed)
    generator = torch.Generator().manual_seed(seed)
    model = Model(options.keys, options.length, options.channels, options.layers, convolve).to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=options.rate, weight_decay=0.01)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, options.rate, max(options.steps, 2))
    scaler = torch.amp.GradScaler(device.type, enabled=dtype == torch.float16)

    def loss_and_hits():
        tokens, answers = (t.to(device) for t in recall_batch(options.batch, options.length, options.keys, generator))
        with torch.autocast(device.type, dtype, enabled=dtype is not None):
            logits = model(tokens)
        return F.cross_entropy(logits.float(), answers), (logits.argmax(-1) == answers).float().mean()

    def wait():
        if device.type == "cuda":
            torch.cuda.synchronize()

    if device.type == "cuda":
        torch.cuda.reset_peak_memory_stats()
    times, losses = [], []
    for step in range(options.steps):
        begin = time.perf_counter()
        loss, _ = loss_and_hits()
        optimizer.zero_grad()
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
        schedule.step()
        if step % 10 == 9 or step == 0:
            losses.append(loss.item())
            wait()
        else:
            wait()
            times.append(time.perf_counter() - begin)
    memory = torch.cuda.max_memory_allocated() / 2**20 if device.type == "cuda" else 0
    with torch.no_grad():
        accuracy = torch.stack([loss_and_hits()[1] for _ in range(options.tests)]).mean().item()
    return accuracy, 1e3 * statistics.median(times or [0.0]), memory, losses


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
    return parser.parse_args(arguments)


def main() -> int:
    options = parse()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    print(f"length {options.length}, {options.keys} keys, batch {options.batch}, {options.steps} steps, on {device}")
    for way in options.ways.split(","):
        runs = [train(way, seed, options, device) for seed in range(options.seeds)]
        accuracies = [run[0] for run in runs]
        print(
            f"{way:18} accuracy {' '.join(f'{a:.3f}' for a in accuracies)}, {runs[0][1]:.2f} ms a step, "
            f"{runs[0][2]:.0f} MB",
            flush=True,
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
