"""How large rows and gradients are, where kernels are told and do not find it: what they take the powers of two from
that keep them in range."""

import torch


def scales_rows(rows: torch.Tensor) -> bool:
    """Unless the caller says."""
    return rows.dtype is torch.bfloat16


def _largest(rows: torch.Tensor) -> torch.Tensor:
    return torch.linalg.vector_norm(rows.detach(), float("inf"), dtype=torch.float32)


def _magnitude(rows: torch.Tensor, gate: torch.Tensor | None) -> torch.Tensor | None:
    """A bound of rows . gate, on their device: the product of the largest of each. None where there are no rows.
    Nothing waits for it."""
    if rows.numel() == 0:
        return None
    return _largest(rows) if gate is None else _largest(rows) * _largest(gate)


def _delayed(dy, out_gate, state: torch.Tensor) -> torch.Tensor | None:
    """The magnitude of the step before, which `state` has; that of these gradients is left there for the next ones. It
    stays where they have none, and is not used where it is 0, as in the beginning."""
    bound = _magnitude(dy, out_gate)
    if bound is None:
        return None
    before = torch.where(state > 0, state, bound)
    state.copy_(torch.where((bound > 0) & bound.isfinite(), bound, state))
    return before


def gradient_scales(dy, tensors, scale_gradients: bool | torch.Tensor):
    """The magnitude of dy . out_gate that the operators of gradients are told, and whether they find what they are not
    told, of u . in_gate too. `tensors` are u, spectrum, k, skip, in_gate, out_gate."""
    if isinstance(scale_gradients, bool):
        return None, scale_gradients
    return _delayed(dy, tensors[5], scale_gradients), True
