"""A causal model over a million bases, forward and backward: python examples/torch/dna.py [genome.fa]

Layers of the Hyena operator (hyena.py) over one-letter tokens predict the next base; every filter is as long as the
sequence. The same model runs with torch.fft in float32 and with ffc in bfloat16, each with layers that keep what their
gradients need, as models do by default, and with layers that are computed again. One row a run: length, memory, time.
"""

import argparse
import csv
import os
import sys
import time

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.checkpoint import checkpoint

from hyena import Hyena, by_ffc, by_torch

BASES = "ACGTN"
COLUMNS = ("way", "layers", "bases", "channels", "loss", "ms", "MB")


def read_fasta(path: str, length: int) -> torch.Tensor:
    """The first bases of all records, as tokens; what is not A, C, G or T is N."""
    table = [BASES.find(chr(byte).upper()) for byte in range(256)]
    with open(path, encoding="ascii") as file:
        text = "".join(line.strip() for line in file if not line.startswith((">", ";")))[: length + 1]
    if len(text) < length + 1:
        raise SystemExit(f"{path} has {len(text)} bases; {length + 1} are needed")
    return torch.tensor([table[ord(base)] if table[ord(base)] >= 0 else BASES.index("N") for base in text])


def made_up(length: int, seed: int = 1) -> torch.Tensor:
    """Bases at random, whose last eighth repeats the first one: what comes is known from a million bases ago."""
    bases = torch.randint(4, (length + 1,), generator=torch.Generator().manual_seed(seed))
    bases[-(length // 8) :] = bases[: length // 8]
    return bases


def normed(x):
    """Channels of every position, to a mean square of 1."""
    with torch.autocast(x.device.type, enabled=False):
        norm = torch.linalg.vector_norm(x, dim=1, keepdim=True, dtype=torch.float32).clamp_min(1e-6)
        return x * (x.shape[1] ** 0.5 / norm).to(x.dtype)


class Layer(nn.Module):
    """Hyena, then a network of each position, both behind a norm and around a residual."""

    def __init__(self, channels: int, length: int, convolve):
        super().__init__()
        self.mixer = Hyena(channels, length, convolve)
        self.first, self.second = nn.Conv1d(channels, 2 * channels, 1), nn.Conv1d(2 * channels, channels, 1)

    def forward(self, x):
        x = x + self.mixer(normed(x)).to(x.dtype)
        return x + self.second(F.gelu(self.first(normed(x)))).to(x.dtype)


class Genome(nn.Module):
    """The loss of predicting each base from all before it."""

    def __init__(self, length: int, channels: int, layers: int, convolve, recompute: bool, dtype: torch.dtype):
        super().__init__()
        self.recompute, self.dtype = recompute, dtype
        self.embedding = nn.Embedding(len(BASES), channels)
        self.layers = nn.ModuleList(Layer(channels, length, convolve) for _ in range(layers))
        self.head = nn.Conv1d(channels, len(BASES), 1)

    def logits(self, tokens):
        x = self.embedding(tokens).to(self.dtype).transpose(1, 2).contiguous()
        for layer in self.layers:
            x = checkpoint(layer, x, use_reentrant=False) if self.recompute else layer(x)
        return self.head(x)

    def forward(self, tokens):
        return F.cross_entropy(self.logits(tokens[:, :-1]).float(), tokens[:, 1:])


WAYS = {"torch.fft float32": (by_torch, torch.float32), "ffc bfloat16": (by_ffc, torch.bfloat16)}


def run(way: str, recompute: bool, tokens: torch.Tensor, options, device):
    """(the loss before each step, milliseconds of the last step, most megabytes) of some steps of training; None
    where the GPU's memory does not hold them."""
    convolve, dtype = WAYS[way]
    torch.manual_seed(0)
    on_gpu = device.type == "cuda"
    if on_gpu:
        torch.cuda.empty_cache()
        torch.cuda.reset_peak_memory_stats()
    before = torch.cuda.memory_allocated() if on_gpu else 0
    try:
        length = tokens.shape[1] - 1
        model = Genome(length, options.channels, options.layers, convolve, recompute, dtype).to(device)
        optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
        losses = []
        for _ in range(options.steps):
            begin = time.perf_counter()
            optimizer.zero_grad()
            with torch.autocast(device.type, dtype, enabled=dtype != torch.float32):
                loss = model(tokens)
            loss.backward()
            optimizer.step()
            losses.append(loss.item())  # waits
            milliseconds = 1e3 * (time.perf_counter() - begin)
    except torch.OutOfMemoryError:
        return None
    memory = torch.cuda.max_memory_allocated() - before if on_gpu else 0
    return losses, milliseconds, memory / 2**20


def parse(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("fasta", nargs="?", help="a genome; made up where there is none")
    parser.add_argument("--bases", type=int, default=1048576)
    parser.add_argument("--torch-bases", type=int, default=131072, help="of torch.fft")
    parser.add_argument("--channels", type=int, default=128)
    parser.add_argument("--layers", type=int, default=8)
    parser.add_argument("--steps", type=int, default=3)
    parser.add_argument("--csv", help="a file for the rows")
    return parser.parse_args(arguments)


def main() -> int:
    options = parse()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    found = {}
    with open(options.csv or os.devnull, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(COLUMNS)
        for way, length in (
            ("torch.fft float32", options.torch_bases),
            ("ffc bfloat16", options.torch_bases),
            ("ffc bfloat16", options.bases),
        ):
            tokens = (read_fasta(options.fasta, length) if options.fasta else made_up(length))[None].to(device)
            for recompute in (False, True):
                kept = "again" if recompute else "kept"
                result = run(way, recompute, tokens, options, device)
                found[way, length, recompute] = result
                if result is None:
                    print(f"{way:18} layers {kept:5} {length:8} bases: more memory than there is", flush=True)
                    writer.writerow((way, kept, length, options.channels, "", "", ""))
                    continue
                losses, milliseconds, memory = result
                text = " ".join(f"{loss:.4f}" for loss in losses)
                print(
                    f"{way:18} layers {kept:5} {length:8} bases: {memory:8.0f} MB, {milliseconds:8.1f} ms, loss {text}",
                    flush=True,
                )
                cells = f"{losses[-1]:.4f}", f"{milliseconds:.1f}", f"{memory:.0f}"
                writer.writerow((way, kept, length, options.channels, *cells))
                file.flush()
    if device.type != "cuda":
        return 0
    torchs, ours = found["torch.fft float32", options.torch_bases, False], found["ffc bfloat16", options.bases, True]
    less = ours is not None and (torchs is None or ours[2] < torchs[2])
    verdict = "in less" if less else "NOT in less"
    print(f"ffc takes {options.bases} bases {verdict} memory than torch.fft takes {options.torch_bases}")
    return 0 if less else 1


if __name__ == "__main__":
    sys.exit(main())
