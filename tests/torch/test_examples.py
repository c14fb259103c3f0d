"""The programs in examples/torch."""

import sys
from pathlib import Path

import pytest
import torch

from reference import error

sys.path.insert(0, str(Path(__file__).parents[2] / "examples" / "torch"))
import blocks
import dna
import hyena
import random_steps


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


def genome(way, device, recompute=False, layers=2, length=512):
    torch.manual_seed(0)
    convolve, dtype = dna.WAYS[way]
    model = dna.Genome(length, 32, layers, convolve, recompute, dtype).to(device)
    tokens = dna.made_up(length)[None].to(device)

    def run(call):
        with torch.autocast(device.type, dtype, enabled=dtype != torch.float32):
            return call(tokens)

    return model, run


def test_dna_is_causal_and_as_with_torch_fft(device):
    model, run = genome("ffc bfloat16", device)
    with torch.no_grad():
        logits = run(lambda tokens: model.logits(tokens[:, :-1]))
        changed = run(lambda tokens: model.logits(torch.cat((tokens[:, :300], 3 - tokens[:, 300:-1] % 4), 1)))
        theirs, run_theirs = genome("torch.fft float32", device)
        losses = run(model).item(), run_theirs(theirs).item()
    # What comes later reaches nothing but the rounding of a transform.
    assert error(changed[..., :300], logits[..., :300]) < 1e-2 < 5e-2 < error(changed[..., 300:], logits[..., 300:])
    assert abs(losses[0] - losses[1]) < 1e-2 * losses[1]


def test_dna_computes_layers_again(device):
    gradients = []
    for recompute in (False, True):
        model, run = genome("ffc bfloat16", device, recompute)
        run(model).backward()
        gradients.append([parameter.grad for parameter in model.parameters()])
    assert all(torch.equal(one, other) for one, other in zip(*gradients, strict=True))


def test_dna_takes_less_than_an_eighth_of_the_memory_of_torch_fft(device):
    """Of tensors that PyTorch sees at a time, in forward and backward."""
    if device.type == "cuda":
        pytest.skip("dna.py itself measures it on a GPU")
    from torch.distributed._tools.mem_tracker import MemTracker

    peaks = []
    for way, recompute in (("torch.fft float32", False), ("ffc bfloat16", True)):
        model, run = genome(way, device, recompute, layers=8)
        tracker = MemTracker()
        tracker.track_external(model)
        with tracker:
            run(model).backward()
        peaks.append(tracker.get_tracker_snapshot("peak")[device]["Total"])
    assert peaks[1] < peaks[0] / 8, peaks


def test_fasta(tmp_path):
    (tmp_path / "some.fa").write_text(">one\nACGT\nnRacgt\n>two\nTT\n")
    tokens = dna.read_fasta(str(tmp_path / "some.fa"), 11)
    assert tokens.tolist() == [0, 1, 2, 3, 4, 4, 0, 1, 2, 3, 3, 3]
    with pytest.raises(SystemExit, match="12 bases; 14 are needed"):
        dna.read_fasta(str(tmp_path / "some.fa"), 13)


def test_random_steps_are_right(device, tmp_path, capsys):
    few = ["--least-samples", "1024", "--most-samples", "16384", "--count", "3"]
    assert random_steps.main([*few, "--seed", "5", "--csv", str(tmp_path / "steps.csv")]) == 0
    assert "3 steps from seed 5" in capsys.readouterr().out
    assert len((tmp_path / "steps.csv").read_text().splitlines()) == 4


def test_random_steps_that_are_wrong(device, monkeypatch):
    spoilt = random_steps.ours
    monkeypatch.setattr(random_steps, "ours", lambda step, tensors: 1.01 * spoilt(step, tensors))
    assert random_steps.main(["--least-samples", "1024", "--most-samples", "2048", "--count", "1"]) == 1
