"""Models that leave the process: torch.export, AOTInductor, copies and pickles of whole models."""

import copy
import pickle
import subprocess
import sys
from pathlib import Path

import pytest
import torch

import ffc_torch
from aotinductor import Block, rows


def exported(block, u, **keywords):
    batch = {"u": {0: torch.export.Dim("batch", min=1, max=64)}}
    with torch.no_grad():
        return torch.export.export(block, (u,), dynamic_shapes=batch, **keywords)


@pytest.mark.parametrize("strict", (False, True))
def test_export_with_a_batch_of_any_size(device, strict):
    block = Block().to(device)
    program = exported(block, rows(3, device), strict=strict)
    for batch in (1, 2, 5):
        u = rows(batch, device)
        assert torch.equal(program.module()(u), block(u))


def test_an_exported_model_learns(device):
    block, u = Block().to(device), rows(3, device)
    program = torch.export.export(block, (u,)).module()
    u.requires_grad_()
    dy = torch.randn_like(u)
    expected = torch.autograd.grad(block(u), (u, block.conv.k, block.conv.skip, block.both), dy)
    parameters = dict(program.named_parameters())
    found = torch.autograd.grad(program(u), (u, parameters["conv.k"], parameters["conv.skip"], parameters["both"]), dy)
    assert all(torch.equal(one, other) for one, other in zip(found, expected, strict=True))


def test_an_exported_model_in_another_process(device, tmp_path):
    """import ffc_torch is all that it takes there."""
    block, u = Block().to(device), rows(3, device)
    torch.export.save(exported(block, u), tmp_path / "model.pt2")
    torch.save((u, block(u)), tmp_path / "data.pt")
    program = (
        "import sys, torch, ffc_torch; u, y = torch.load(sys.argv[2]); "
        "assert torch.equal(torch.export.load(sys.argv[1]).module()(u), y)"
    )
    files = str(tmp_path / "model.pt2"), str(tmp_path / "data.pt")
    run = subprocess.run([sys.executable, "-c", program, *files], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr


def aotinductor(model):
    program = [sys.executable, "-X", "faulthandler", str(Path(__file__).parent / "aotinductor.py"), model]
    run = subprocess.run(program, capture_output=True, text=True, check=False)
    return run.returncode, f"exit {run.returncode} after: {run.stdout.split()}\n{run.stderr[-8000:]}"


def test_aotinductor():
    exit_code, told = aotinductor("block")
    if exit_code < 0:  # a signal: is it ours?
        without_ffc, told_without = aotinductor("weights")
        if without_ffc < 0:
            pytest.xfail(f"PyTorch {torch.__version__} crashes with a model of its own too, {told_without}")
    assert exit_code == 0, told


@pytest.mark.parametrize("again", (copy.deepcopy, lambda model: pickle.loads(pickle.dumps(model))))
def test_copies_of_models_learn_apart(device, again):
    block, u = Block().to(device), rows(2, device)
    twin = again(block)
    assert torch.equal(twin(u), block(u))
    twin(u).float().square().mean().backward()
    assert twin.conv.k.grad is not None and block.conv.k.grad is None
    with torch.no_grad():
        twin.conv.k.zero_()
    assert not torch.equal(twin(u), block(u))


def test_a_prepared_filter_is_copied(device):
    k = torch.randn(2, 512, device=device) / 23
    prepared, u = ffc_torch.prepare_filter(k, 512), rows(2, device)
    y = ffc_torch.fft_conv(u, prepared)
    for twin in (copy.deepcopy(prepared), pickle.loads(pickle.dumps(prepared))):
        assert torch.equal(ffc_torch.fft_conv(u, twin), y)
