"""The programs in examples/torch."""

import sys
from pathlib import Path

import pytest
import torch

sys.path.insert(0, str(Path(__file__).parents[2] / "examples" / "torch"))
import blocks
import hyena


@pytest.mark.parametrize("name", [case[0] for case in blocks.cases(1, 2, 4, torch.float16, "cpu")])
def test_blocks(device, name):
    for case, ours, theirs, arguments in blocks.cases(2, 2, 256, torch.float16, device):
        if case == name:
            assert blocks.error_of(ours, theirs, arguments) < 2e-3


def test_hyena_learns_as_with_torch_fft(device):
    """The first losses of the same seed, whose steps do not depend on the way but for rounding."""
    options = hyena.parse(["--length", "64", "--keys", "4", "--channels", "8", "--steps", "11", "--tests", "1"])
    exact = hyena.train("torch.fft float32", 0, options, device)[1]
    for way in ("ffc bfloat16", "ffc float16"):
        losses = hyena.train(way, 0, options, device)[1]
        assert len(losses) == len(exact) == 2
        assert all(abs(one - other) < 0.05 * other for one, other in zip(losses, exact, strict=True))
