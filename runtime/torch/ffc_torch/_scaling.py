"""Powers of two that keep rows and gradients in the range of the kernels."""

import torch


def power_below(rows: torch.Tensor) -> torch.Tensor:
    """The power of two next below the largest magnitude of `rows`, on their device, or as near as their type allows; 1
    where that is not finite or there are none. Nothing waits for it."""
    if rows.numel() == 0:
        return torch.ones((), device=rows.device)
    most = 15 if rows.dtype == torch.float16 else 120
    power = torch.linalg.vector_norm(rows.detach(), float("inf"), dtype=torch.float32).nan_to_num_(1.0, 1.0)
    # A float32 without its mantissa, with an exponent in [-most, most].
    exponent, bias, place = 0x7F800000, 127, 23
    power.view(torch.int32).bitwise_and_(exponent).clamp_((bias - most) << place, (bias + most) << place)
    return power


def scaled(convolve_rows, u, in_gate):
    """convolve_rows(u, in_gate), which is linear in both, with the largest of each near 1."""
    scales = [power_below(u)] if in_gate is None else [power_below(u), power_below(in_gate)]
    y = convolve_rows(u / scales[0], None if in_gate is None else in_gate / scales[1])
    for scale in scales:  # one by one, as their product may be none of the rows' type
        y = y * scale
    return y
