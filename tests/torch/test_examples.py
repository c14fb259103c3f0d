"""The programs in examples/torch."""

import sys
from pathlib import Path

import pytest
import torch

sys.path.insert(0, str(Path(__file__).parents[2] / "examples" / "torch"))
import blocks  # noqa: E402


@pytest.mark.parametrize("name", [case[0] for case in blocks.cases(1, 2, 4, torch.float16, "cpu")])
def test_blocks(device, name):
    for case, ours, theirs, arguments in blocks.cases(2, 2, 256, torch.float16, device):
        if case == name:
            assert blocks.error_of(ours, theirs, arguments) < 2e-3
