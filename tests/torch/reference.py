"""The convolution in float64, data for it, and what is called on the way."""

from dataclasses import dataclass

import torch
from torch.utils._python_dispatch import TorchDispatchMode

# norm(y - reference) / norm(reference), as the C++ library's own tests have them: rows up to 32768 points, and past it.
# The bound of float16 is of many rows, whose errors come close to it: those of 2048 samples scatter by 4 %, and five
# times as much is allowed.
ROWS = {torch.float16: 1.2e-3, torch.bfloat16: 2.5e-3}
LONG_ROWS = {torch.float16: 1.5e-3, torch.bfloat16: 2.5e-3}
ROW_GRADIENTS = {torch.float16: 1.5e-3, torch.bfloat16: 4e-3}
TAP_GRADIENTS = {torch.float16: 2e-3, torch.bfloat16: 5e-3}


def error(found: torch.Tensor, expected: torch.Tensor, scale: torch.Tensor | None = None) -> float:
    """norm(found - expected) / norm(expected), or over norm(scale)."""
    found, expected = found.detach().double(), expected.detach().double()
    return ((found - expected).norm() / (expected if scale is None else scale).norm()).item()


def conv(u, k, skip=None, in_gate=None, out_gate=None, points=None):
    """By a transform of `points`, those that nothing wraps around in where it is None."""
    length = u.shape[-1]
    points = points or length + k.shape[-1]
    x = u if in_gate is None else u * in_gate
    y = torch.fft.irfft(torch.fft.rfft(x, n=points) * torch.fft.rfft(k, n=points), n=points)[..., :length]
    y = y if skip is None else y + skip[:, None] * x
    return y if out_gate is None else y * out_gate


def direct(u, k):
    """The causal convolution as conv1d computes it, sample by sample."""
    channels, taps = k.shape
    return torch.nn.functional.conv1d(torch.nn.functional.pad(u, (taps - 1, 0)), k.flip(-1)[:, None], groups=channels)


@dataclass
class Problem:
    """Tensors of a convolution, leaves of autograd, and the same in float64."""

    u: torch.Tensor
    k: torch.Tensor
    skip: torch.Tensor | None
    in_gate: torch.Tensor | None
    out_gate: torch.Tensor | None

    @classmethod
    def random(cls, shape, taps, dtype, device, *, skip=False, in_gate=False, out_gate=False):
        def rows():
            return torch.randn(shape, device=device).to(dtype).requires_grad_()

        return cls(
            rows(),
            (torch.randn(shape[1], taps, device=device) / taps**0.5).requires_grad_(),
            torch.randn(shape[1], device=device).requires_grad_() if skip else None,
            rows() if in_gate else None,
            rows() if out_gate else None,
        )

    def exact(self) -> "Problem":
        return Problem(*(None if t is None else t.detach().double().requires_grad_() for t in self.all()))

    def all(self):
        return self.u, self.k, self.skip, self.in_gate, self.out_gate

    def leaves(self) -> dict[str, torch.Tensor]:
        names = ("u", "k", "skip", "in_gate", "out_gate")
        return {name: tensor for name, tensor in zip(names, self.all(), strict=True) if tensor is not None}

    def keywords(self):
        return {"skip": self.skip, "in_gate": self.in_gate, "out_gate": self.out_gate}


def gradient_bound(name: str, dtype: torch.dtype) -> float:
    return (TAP_GRADIENTS if name in ("k", "skip") else ROW_GRADIENTS)[dtype]


def skip_scale(exact: Problem, dy: torch.Tensor) -> torch.Tensor:
    """(H): the gradient by skip is a sum over batch and row whose terms may cancel; this is what that of terms of
    random signs comes to."""
    terms = dy.double()
    for factor in (exact.u, exact.in_gate, exact.out_gate):
        terms = terms if factor is None else terms * factor.detach()
    return terms.square().sum((0, 2)).sqrt()


class Calls(TorchDispatchMode):
    """The operators that are called within, in their order."""

    def __init__(self):
        super().__init__()
        self.made = []  # name, arguments

    @property
    def names(self) -> list[str]:
        return [name for name, _ in self.made]

    def __torch_dispatch__(self, operator, types, arguments=(), keywords=None):
        self.made.append((str(operator), arguments))
        return operator(*arguments, **(keywords or {}))
