"""LongConv and StreamingConv."""

import copy
import io
import pickle
import subprocess
import sys

import pytest
import torch

import ffc_torch
from reference import ROWS, conv, error


def test_long_conv(device):
    module = ffc_torch.LongConv(4, 512, device=device)
    u = torch.randn(2, 4, 512, device=device).half()
    reference = conv(u.double(), module.k.double(), module.skip.double())
    assert error(module(u), reference) < ROWS[torch.float16]
    module(u).float().sum().backward()
    assert module.k.grad.shape == (4, 512) and module.skip.grad.shape == (4,)


def test_long_conv_of_groups_and_of_a_filter_function(device):
    u = torch.randn(2, 4, 256, device=device).half()
    groups = ffc_torch.LongConv(4, 256, groups=2, skip=False, device=device)
    assert groups.k.shape == (2, 256)
    assert error(groups(u), conv(u.double(), groups.k.double().repeat_interleave(2, 0))) < ROWS[torch.float16]

    class Decay(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.rate = torch.nn.Parameter(torch.full((4, 1), 0.05, device=device))

        def forward(self):
            return torch.exp(-self.rate * torch.arange(256, device=device)) * 0.05

    module = ffc_torch.LongConv(4, 256, filter=Decay(), skip=False)
    assert error(module(u), conv(u.double(), module.filter().double())) < ROWS[torch.float16]
    module(u).float().sum().backward()
    assert module.filter.rate.grad.norm() > 0


def test_long_conv_in_both_directions(device):
    module = ffc_torch.LongConv(4, 256, mode="bidirectional", reverse_lag=1, groups=2, skip=False, device=device)
    assert set(module.state_dict()) == {"k", "k_reverse"} and module.k_reverse.shape == (2, 256)
    u = torch.randn(2, 4, 256, device=device).half()
    y = module(u)
    taps = {"k_reverse": module.k_reverse, "mode": "bidirectional", "reverse_lag": 1}
    assert torch.equal(y, ffc_torch.fft_conv(u, module.k, **taps))
    y.float().square().sum().backward()
    assert module.k.grad.norm() > 0 and module.k_reverse.grad.norm() > 0
    pair = module.k.detach(), module.k_reverse.detach()
    of_a_function = ffc_torch.LongConv(
        4, 256, filter=lambda: pair, mode="bidirectional", reverse_lag=1, skip=False, device=device
    )
    assert torch.equal(of_a_function(u), y)


def test_copies_pickles_and_states(device):
    module = ffc_torch.LongConv(2, 256, device=device)
    u = torch.randn(2, 2, 256, device=device).bfloat16()
    y = module(u)
    assert torch.equal(copy.deepcopy(module)(u), y)
    assert torch.equal(pickle.loads(pickle.dumps(module))(u), y)
    other = ffc_torch.LongConv(2, 256, device=device)
    other.load_state_dict(module.state_dict(), strict=True)
    assert torch.equal(other(u), y)
    saved = io.BytesIO()
    torch.save(module.state_dict(), saved)
    saved.seek(0)
    assert set(torch.load(saved)) == {"k", "skip"}


@pytest.mark.parametrize("dtype", (torch.float16, torch.bfloat16, torch.float32))
@pytest.mark.parametrize("gated", (False, True))
def test_streams(device, dtype, gated):
    k, skip = torch.randn(2, 100, device=device) / 10, torch.randn(2, device=device)

    def rows():
        return torch.randn(2, 2, 700, device=device).to(dtype)

    u, w, v = rows(), rows() if gated else None, rows() if gated else None
    stream = ffc_torch.StreamingConv(k, skip=skip)
    pieces = [
        stream(*(None if t is None else t[..., begin:end] for t in (u, w, v)))
        for begin, end in ((0, 256), (256, 288), (288, 700))
    ]
    exact = [None if t is None else t.double() for t in (u, k, skip, w, v)]
    bound = ROWS.get(dtype, 1e-6)
    assert error(torch.cat(pieces, -1), conv(*exact)) < bound
    stream.reset()
    again = stream(*(None if t is None else t[..., :256] for t in (u, w, v)))
    assert torch.equal(again, pieces[0])


def test_streams_are_copied_with_what_they_remember(device):
    stream = ffc_torch.StreamingConv(torch.randn(2, 100, device=device) / 10)
    u = torch.randn(1, 2, 256, device=device).half()
    stream(u)
    twin, other = copy.deepcopy(stream), pickle.loads(pickle.dumps(stream))
    y = stream(u)
    assert torch.equal(twin(u), y) and torch.equal(other(u), y)
    assert set(stream.state_dict()) == {"k"}


def test_a_filter_of_one_tap(device):
    stream = ffc_torch.StreamingConv(torch.full((2, 1), 0.5, device=device))
    u = torch.randn(1, 2, 256, device=device).half()
    for _ in range(2):
        assert error(stream(u), u.double() / 2) < ROWS[torch.float16]


def test_info():
    run = subprocess.run([sys.executable, "-m", "ffc_torch.info"], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr
    assert "self-test" in run.stdout and "good" in run.stdout


def test_warmup_changes_nothing(device):
    module = ffc_torch.LongConv(2, 256, device=device)
    before = {name: tensor.clone() for name, tensor in module.state_dict().items()}
    ffc_torch.warmup(module, [(1, 2, 256)])
    ffc_torch.warmup(module, [(1, 2, 256)], dtype=torch.float16, gradients=False)
    assert all(torch.equal(tensor, before[name]) for name, tensor in module.state_dict().items())
    assert module.k.grad is None
