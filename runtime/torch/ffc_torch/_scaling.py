"""Powers of two that keep rows and gradients in the range of the kernels, and where they are taken."""

import torch


def _largest(rows: torch.Tensor) -> torch.Tensor:
    return torch.linalg.vector_norm(rows.detach(), float("inf"), dtype=torch.float32)


def _power_of(largest: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    most = 15 if dtype == torch.float16 else 120
    power = largest.nan_to_num(1.0, 1.0)
    # A float32 without its mantissa, with an exponent in [-most, most].
    exponent, bias, place = 0x7F800000, 127, 23
    power.view(torch.int32).bitwise_and_(exponent).clamp_((bias - most) << place, (bias + most) << place)
    return power


def power_below(rows: torch.Tensor) -> torch.Tensor:
    """The power of two next below the largest magnitude of `rows`, on their device, or as near as their type allows; 1
    where that is not finite or there are none. Nothing waits for it."""
    if rows.numel() == 0:
        return torch.ones((), device=rows.device)
    return _power_of(_largest(rows), rows.dtype)


def _power_before(rows: torch.Tensor, state: torch.Tensor) -> torch.Tensor:
    """`state`, in which that of these rows is left for the next ones; it stays where they have none. Where it is 0,
    as in the beginning, the power of these rows."""
    if rows.numel() == 0:
        return state.clone()
    largest = _largest(rows)
    power = _power_of(largest, rows.dtype)
    before = torch.where(state > 0, state, power)
    state.copy_(torch.where((largest > 0) & largest.isfinite(), power, state))
    return before


def gradient_magnitude(dy: torch.Tensor, scale: bool | torch.Tensor) -> torch.Tensor | None:
    """What the kernels take dy's power of two from, or None. `scale` is as fft_conv takes it."""
    if scale is False or dy.numel() == 0:
        return None
    return _largest(dy) if scale is True else _power_before(dy, scale)


def scaled(convolve_rows, u, in_gate):
    """convolve_rows(u, in_gate), which is linear in both, with the largest of each near 1."""
    scales = [power_below(u)] if in_gate is None else [power_below(u), power_below(in_gate)]
    y = convolve_rows(u / scales[0], None if in_gate is None else in_gate / scales[1])
    for scale in scales:  # one by one, as their product may be none of the rows' type
        y = y * scale
    return y
