"""python -m ffc_torch.benchmark beside libraries that are not here: stand-ins with their names and arguments."""

import sys
from types import ModuleType

import pytest
import torch

from ffc_torch import benchmark
from reference import conv, error


def cudnn_like(x, weight):
    """cudnn.ops.fft_causal_conv1d: rows (B, H, L) and taps (H, Lk) of one type, and results of it."""
    if x.dtype != weight.dtype:
        raise TypeError(f"x is {x.dtype} and weight {weight.dtype}; they must be of one type")
    return conv(x.float(), weight.float()).to(x.dtype)


def install(monkeypatch, function):
    package, operators = ModuleType("cudnn"), ModuleType("cudnn.ops")
    package.ops, operators.fft_causal_conv1d = operators, function
    monkeypatch.setitem(sys.modules, "cudnn", package)
    monkeypatch.setitem(sys.modules, "cudnn.ops", operators)


def small_measure(shape):
    """In the place of benchmark.fitting: one step on the CPU, which says nothing of time."""

    def fitting(way, batch, channels, length, dtype, gated, seconds):
        assert (length, batch, channels, gated) == shape
        benchmark.step_of(way, batch, channels, length, dtype, gated, device="cpu")()
        return batch, 2.0 if way is benchmark.by_torch else 1.0, 0

    return fitting


@pytest.mark.parametrize("gated", (False, True))
def test_cudnn_is_timed_where_it_is_installed(monkeypatch, gated):
    calls = []
    install(monkeypatch, lambda x, weight: calls.append((x.dtype, weight.dtype)) or cudnn_like(x, weight))
    shape = (512, 1, 2, gated)
    monkeypatch.setattr(benchmark, "fitting", small_measure(shape))
    rows = {row[5]: row for row in benchmark.rows_of([shape], torch.bfloat16, 0.0)}
    assert calls == [(torch.bfloat16, torch.bfloat16)]
    assert rows["cuDNN"] == [512, 1, 2, int(gated), "bfloat16", "cuDNN", 1, "1.0000", "0", "2.00"]
    assert rows["torch.fft"][-1] == "1.00"


def test_cudnn_computes_what_we_compute(monkeypatch):
    install(monkeypatch, cudnn_like)
    u, w, v = torch.randn(3, 2, 2, 300).bfloat16().unbind()
    k = torch.randn(2, 300) / 17
    gates = w.double(), v.double()
    y = benchmark.ways()["cuDNN"](u, k, w, v)
    assert error(y, conv(u.double(), k.double(), None, *gates)) < 1e-2  # taps, the gated row and y are rounded


def test_a_library_that_refuses_leaves_its_row_empty(monkeypatch, capsys):
    def refuse(x, weight):
        raise ValueError("Long FFT requires a power of two\nand more")

    install(monkeypatch, refuse)
    shape = (512, 1, 2, False)
    monkeypatch.setattr(benchmark, "fitting", small_measure(shape))
    rows = {row[5]: row for row in benchmark.rows_of([shape], torch.bfloat16, 0.0)}
    assert rows["cuDNN"][6:] == ["", "", "", ""]
    assert "# cuDNN, L = 512: Long FFT requires a power of two\n" in capsys.readouterr().out


def test_what_is_not_installed_is_said(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "cudnn", None)
    assert "cuDNN" not in benchmark.ways()
    assert "# cuDNN is not measured: " in capsys.readouterr().out
