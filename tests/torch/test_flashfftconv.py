"""FlashFFTConv's names over ffc."""

import subprocess
import sys

import pytest
import torch

from ffc_torch.flashfftconv import FlashDepthWiseConv1d, FlashFFTConv
from reference import ROWS, Problem, conv, error


@pytest.mark.parametrize("length", (512, 256))
def test_rows(device, length):
    """As many samples as seqlen are circular, half of them causal."""
    p = Problem.random((2, 2, length), length, torch.float16, device, in_gate=True, out_gate=True)
    module = FlashFFTConv(512, dtype=torch.float16).eval()
    y = module(p.u, p.k, pregate=p.in_gate, postgate=p.out_gate)
    exact = p.exact()
    assert error(y, conv(*exact.all(), points=512)) < ROWS[torch.float16]
    y.float().sum().backward()
    assert p.k.grad.norm() > 0


def test_other_types_are_cast_and_back(device):
    p = Problem.random((2, 2, 512), 512, torch.float32, device)
    y = FlashFFTConv(512, dtype=torch.bfloat16)(p.u, p.k)
    assert y.dtype == torch.float32
    assert error(y, conv(p.u.double(), p.k.double(), points=512)) < 1.2 * ROWS[torch.bfloat16]  # u is rounded too


def test_a_filter_that_is_longer_is_not_cut(device):
    with pytest.raises(ValueError, match="k has 513 taps; there may be 512"):
        FlashFFTConv(512)(torch.zeros(1, 1, 512, device=device).half(), torch.zeros(1, 513, device=device))
    with pytest.raises(ValueError, match="seqlen is 8"):
        FlashFFTConv(8)


def test_checkpoints_of_the_original_load_strictly():
    model = torch.nn.Sequential(torch.nn.Linear(2, 2), FlashFFTConv(512))
    state = {**model.state_dict(), "1.f_sqrt_N_fft": torch.zeros(16, 16, 2), "1.twid": torch.zeros(256, 2)}
    model.load_state_dict(state, strict=True)
    with pytest.raises(RuntimeError, match="Unexpected key"):
        model.load_state_dict({**state, "1.other": torch.zeros(1)}, strict=True)


@pytest.mark.parametrize("is_bhl", (True, False))
def test_depthwise(device, is_bhl):
    like = torch.nn.Conv1d(6, 6, 3, padding=1, groups=6, device=device)
    module = FlashDepthWiseConv1d(6, 3, 1, like.weight, like.bias, is_bhl=is_bhl, device=device)
    x = torch.randn(2, 6, 50, device=device)
    rows = x if is_bhl else x.transpose(1, 2).contiguous()
    y = module(rows)
    assert torch.allclose(y if is_bhl else y.transpose(1, 2), like(x), atol=1e-6)
    y.square().sum().backward()
    like(x).square().sum().backward()
    taps = module.weights.grad if is_bhl else module.weights.grad.T
    assert error(taps, like.weight.grad[:, 0]) < 1e-5


def test_programs_that_import_the_original(tmp_path):
    program = tmp_path / "program.py"
    program.write_text("import sys\nfrom flashfftconv import FlashFFTConv\nprint(FlashFFTConv(1024), sys.argv[1])\n")
    run = subprocess.run(
        [sys.executable, "-m", "ffc_torch.flashfftconv", str(program), "argument"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout == "FlashFFTConv(1024, torch.float16) argument\n"
