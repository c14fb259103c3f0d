"""The convolution calls of five families of models, with ffc behind them: python examples/torch/blocks.py

Each function has the signature that such a model's code calls, and beside it is the same by torch.fft, with which the
program compares it on random data. To bring ffc into a model, put the first in the place of its convolution.
"""

import argparse
import sys

import torch
import torch.nn.functional as F

import ffc_torch

# Hyena (safari): u (B, H, L), k (H, L), D (H); k_rev are the taps ahead, whose spectrum is conjugated.


def hyena_fftconv(u, k, D, dropout_mask=None, gelu=True, k_rev=None):
    mode = "forward" if k_rev is None else "bidirectional"
    y = ffc_torch.fft_conv(u, k, skip=D, mode=mode, k_reverse=k_rev)
    y = F.gelu(y) if gelu else y
    return y if dropout_mask is None else y * dropout_mask[:, :, None].to(y.dtype)


def hyena_by_torch(u, k, D, dropout_mask=None, gelu=True, k_rev=None):
    points = 2 * u.shape[-1]
    spectrum = torch.fft.rfft(k, n=points)
    if k_rev is not None:
        spectrum = spectrum + torch.fft.rfft(k_rev, n=points).conj()
    y = torch.fft.irfft(torch.fft.rfft(u.to(k.dtype), n=points) * spectrum, n=points)[..., : u.shape[-1]]
    y = y + u * D[:, None]
    y = F.gelu(y) if gelu else y
    return y if dropout_mask is None else y * dropout_mask[:, :, None]


# M2-BERT's sequence mixer: the taps ahead are flipped and padded in front, so that the first lies at lag -1; the
# product with x1 before and with x2 behind go into the kernel.


def m2_mixer(x1, x2, v, k, k_rev, D):
    return ffc_torch.fft_conv(
        v, k, skip=D, in_gate=x1, out_gate=x2, mode="bidirectional", k_reverse=k_rev, reverse_lag=1
    )


def m2_by_torch(x1, x2, v, k, k_rev, D):
    length = v.shape[-1]
    both = F.pad(k, (0, length)) + F.pad(k_rev.flip(-1), (length, 0))
    u = (v * x1).to(k.dtype)
    y = torch.fft.irfft(torch.fft.rfft(u, n=2 * length) * torch.fft.rfft(both, n=2 * length), n=2 * length)
    return (y[..., :length] + u * D[:, None]) * x2


# HyenaDNA: the bias of the filter is its skip term, and k comes as (1, H, L).


def hyena_dna_filter(x, k, bias):
    return ffc_torch.fft_conv(x, k, skip=bias)


def hyena_dna_by_torch(x, k, bias):
    return hyena_by_torch(x, k[0], bias, gelu=False)


# S4 and SaShiMi: both directions are halves of one tensor (2 C, H, L) of taps; one output channel, C = 1.


def s4_kernel(u, k, D):
    behind, ahead = k
    return ffc_torch.fft_conv(u, behind, skip=D, mode="bidirectional", k_reverse=ahead, reverse_lag=1)


def s4_by_torch(u, k, D):
    ones = torch.ones_like(u)
    return m2_by_torch(ones, ones, u, k[0], k[1], D)


# StripedHyena 2's long operator: x1 . conv(x2 . v) with filters that groups of channels share, and its gates as slices
# of one projection (B, 3 H, L). No copy is made of them, nor of their gradients.


def striped_hyena(projection, h, D):
    x1, x2, v = ffc_torch.chunk(projection, 3)
    return ffc_torch.fft_conv(v, h, skip=D, in_gate=x2, out_gate=x1)


def striped_hyena_by_torch(projection, h, D):
    x1, x2, v = projection.chunk(3, dim=1)
    shared = h.repeat_interleave(v.shape[1] // h.shape[0], 0)
    return hyena_by_torch(v * x2, shared, D, gelu=False) * x1


def cases(batch, channels, length, dtype, device):
    """name, ours, theirs, arguments: half-precision rows and float32 filters."""

    def rows(count=1):
        return torch.randn(batch, count * channels, length, device=device).to(dtype)

    def taps(*shape):
        return torch.randn(*shape, length, device=device) / length**0.5

    D = torch.randn(channels, device=device)
    mask = (torch.rand(batch, channels, device=device) > 0.1).float() / 0.9
    yield "Hyena (safari)", hyena_fftconv, hyena_by_torch, (rows(), taps(channels), D, mask)
    both = (rows(), taps(channels), D, None, False, taps(channels))
    yield "Hyena, both directions", hyena_fftconv, hyena_by_torch, both
    yield "M2-BERT", m2_mixer, m2_by_torch, (rows(), rows(), rows(), taps(channels), taps(channels), D)
    yield "HyenaDNA", hyena_dna_filter, hyena_dna_by_torch, (rows(), taps(1, channels), D)
    yield "S4, SaShiMi", s4_kernel, s4_by_torch, (rows(), taps(2, channels), D)
    yield "StripedHyena 2", striped_hyena, striped_hyena_by_torch, (rows(3), taps(channels // 2), D)


def error_of(ours, theirs, arguments) -> float:
    """norm(ours - theirs) / norm(theirs), theirs in float64."""
    exact = [a.double() if isinstance(a, torch.Tensor) else a for a in arguments]
    expected = theirs(*exact)
    return ((ours(*arguments).double() - expected).norm() / expected.norm()).item()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--length", type=int, default=1024)
    parser.add_argument("--channels", type=int, default=4)
    parser.add_argument("--batch", type=int, default=2)
    parser.add_argument("--dtype", choices=("float16", "bfloat16"), default="bfloat16")
    options = parser.parse_args()
    dtype = getattr(torch, options.dtype)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    # A gate behind and an activation round once more each.
    bound = 2 * {torch.float16: 1.0e-3, torch.bfloat16: 2.5e-3}[dtype]
    worst = 0.0
    for name, ours, theirs, arguments in cases(options.batch, options.channels, options.length, dtype, device):
        error = error_of(ours, theirs, arguments)
        worst = max(worst, error)
        print(f"{name:24} relative error {error:.1e} against torch.fft in float64")
    print(f"{'all' if worst < bound else 'NOT all'} below {bound:.1e}, on {device}")
    return 0 if worst < bound else 1


if __name__ == "__main__":
    sys.exit(main())
