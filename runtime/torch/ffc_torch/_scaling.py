"""How large rows and gradients are: what kernels take the powers of two from that keep them in range."""

import torch


def _largest(rows: torch.Tensor) -> torch.Tensor:
    return torch.linalg.vector_norm(rows.detach(), float("inf"), dtype=torch.float32)


def magnitude(rows: torch.Tensor, gate: torch.Tensor | None) -> torch.Tensor | None:
    """A bound of rows . gate, on their device: the product of the largest of each. None where there are no rows.
    Nothing waits for it."""
    if rows.numel() == 0:
        return None
    return _largest(rows) if gate is None else _largest(rows) * _largest(gate)


def gradient_magnitude(dy, out_gate, scale: bool | torch.Tensor) -> torch.Tensor | None:
    """What the kernels take the power of two of dy . out_gate from, or None. `scale` is as fft_conv takes it: in a
    tensor that of these is left for the next ones; it stays where they have none, and is not used where it is 0, as in
    the beginning."""
    if scale is False:
        return None
    bound = magnitude(dy, out_gate)
    if scale is True or bound is None:
        return bound
    before = torch.where(scale > 0, scale, bound)
    scale.copy_(torch.where((bound > 0) & bound.isfinite(), bound, scale))
    return before
