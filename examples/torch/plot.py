"""Draws what the scripts beside it and ffc_torch.benchmark measured: python examples/torch/plot.py FOLDER FIGURES

FOLDER has some of hyena_steps.csv, dna.csv, training_step.csv and sweep.csv; torch_hyena.svg, torch_dna.svg,
torch_steps.svg and sweep.svg are made of them, in examples/figures. Takes matplotlib.
"""

import argparse
import csv
import sys
from pathlib import Path

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt
from matplotlib.ticker import LogFormatter

COLOURS = {
    "torch.fft in a bfloat16": "#e09f7d",
    "torch.fft": "#b0413e",
    "ffc bfloat16": "#2a6f97",
    "ffc float16": "#61a5c2",
    "ffc": "#2a6f97",
}


def rows_of(path: Path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def curves(axis, rows, x: str, y: str, label: str) -> None:
    """A line for every way, over lengths, both logarithmic; what did not run has no point."""
    for way in dict.fromkeys(row["way"] for row in rows):
        points = [(float(row[x]), float(row[y])) for row in rows if row["way"] == way and row[y]]
        colour = next((colour for name, colour in COLOURS.items() if way.startswith(name)), "#777777")
        axis.plot(*zip(*points, strict=True), "o-", ms=3, label=way, color=colour)
    axis.set_xscale("log", base=2)
    axis.set_yscale("log")
    for formatted in (axis.yaxis.set_major_formatter, axis.yaxis.set_minor_formatter):
        formatted(LogFormatter(minor_thresholds=(2, 0.5)))
    axis.set_xlabel("tokens of a sequence")
    axis.set_title(label, loc="left")
    axis.grid(True, which="major", alpha=0.3)


def draw_hyena(folder: Path):
    rows = rows_of(folder / "hyena_steps.csv")
    figure, (time, memory) = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
    curves(time, rows, "length", "ms", "milliseconds of a step")
    curves(memory, rows, "length", "MB", "most MB")
    time.legend(frameon=False)
    return figure


def draw_dna(folder: Path):
    rows = [row for row in rows_of(folder / "dna.csv") if row["MB"]]
    figure, axis = plt.subplots(figsize=(9, 0.45 * len(rows) + 1), layout="constrained")
    names = [f"{row['way']}, {int(row['bases']):,} bases, layers {row['layers']}" for row in rows]
    colours = [COLOURS["ffc" if row["way"].startswith("ffc") else "torch.fft"] for row in rows]
    axis.bar_label(axis.barh(names, [float(row["MB"]) / 1024 for row in rows], color=colours), fmt=" %.1f")
    axis.invert_yaxis()
    axis.set_title("most GB of forward and backward", loc="left")
    axis.spines[["top", "right"]].set_visible(False)
    return figure


def draw_steps(folder: Path):
    """How many times faster than torch.fft a step is, and in how much of its memory for a row of the batch."""
    rows = rows_of(folder / "training_step.csv")
    theirs = {key(row): row for row in rows if row["way"] == "torch.fft" and row["ms"]}
    figure, (speed, memory) = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
    for batch, gates in sorted({(int(row["B"]), row["gates"]) for row in rows}):
        ours = [
            row
            for row in rows
            if (int(row["B"]), row["gates"], row["way"]) == (batch, gates, "ffc") and row["ms"] and key(row) in theirs
        ]
        lengths = [int(row["L"]) for row in ours]
        label = f"B = {batch}, {'gated' if gates == '1' else 'plain'}"
        speed.plot(lengths, [float(row["over_torch_fft"]) for row in ours], "o-", ms=3, label=label)
        ratios = [bytes_of(theirs[key(row)]) / bytes_of(row) for row in ours]
        memory.plot(lengths, ratios, "o-", ms=3, label=label)
    for axis, title in ((speed, "times faster than torch.fft"), (memory, "times less memory than torch.fft")):
        axis.set_xscale("log", base=2)
        axis.set_ylim(bottom=0)
        axis.set_xlabel("samples of a row")
        axis.set_title(title, loc="left")
        axis.grid(True, alpha=0.3)
    speed.legend(frameon=False)
    return figure


def draw_sweep(folder: Path):
    """Time over a copy, and how many times faster than PyTorch's rfft, of every length."""
    with open(folder / "sweep.csv", newline="") as file:
        rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
    figure, axes = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
    titles = "time over a copy of the rows", "times faster than PyTorch's rfft"
    for axis, title, of, over in zip(axes, titles, ("ms", "rfft_ms"), ("floor_ms", "ms"), strict=True):
        for padding, colour in (("causal", "#2a6f97"), ("circular", "#e09f7d")):
            points = [
                (int(row["length"]), float(row[of]) / float(row[over])) for row in rows if row["padding"] == padding
            ]
            axis.plot(*zip(*points, strict=True), ".", ms=2, label=padding, color=colour, rasterized=True)
        axis.set_xscale("log", base=2)
        axis.set_yscale("log", base=2)
        axis.yaxis.set_major_formatter("{x:g}")
        axis.set_xlabel("samples of a row")
        axis.set_title(title, loc="left")
        axis.grid(True, alpha=0.3)
    axes[0].legend(frameon=False, markerscale=3)
    return figure


def key(row):
    return row["L"], row["B"], row["gates"]


def bytes_of(row) -> float:
    return float(row["MB"]) / float(row["batch"])


FIGURES = {
    "hyena_steps.csv": ("torch_hyena.svg", draw_hyena),
    "dna.csv": ("torch_dna.svg", draw_dna),
    "training_step.csv": ("torch_steps.svg", draw_steps),
    "sweep.csv": ("sweep.svg", draw_sweep),
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("measured", type=Path)
    parser.add_argument("figures", type=Path)
    options = parser.parse_args()
    plt.rcParams.update(
        {
            "svg.hashsalt": "ffc",
            "svg.fonttype": "none",
            "font.size": 9,
            "axes.spines.top": False,
            "axes.spines.right": False,
        }
    )
    drawn = 0
    options.figures.mkdir(parents=True, exist_ok=True)
    for table, (name, draw) in FIGURES.items():
        if (options.measured / table).exists():
            draw(options.measured).savefig(options.figures / name, dpi=160, metadata={"Date": None})
            print(options.figures / name)
            drawn += 1
    return 0 if drawn else 1


if __name__ == "__main__":
    sys.exit(main())
