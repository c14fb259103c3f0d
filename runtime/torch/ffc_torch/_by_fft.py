"""The convolution by torch.fft: float32 rows in float32, half precision computed in float32."""

import torch


def good_length(least: int) -> int:
    """The smallest 2^a, 3 . 2^a, 5 . 2^a or 9 . 2^a that is at least `least`."""
    power = 1 << max(least - 1, 1).bit_length()
    return min(n for n in (power, power // 4 * 3, power // 8 * 5, power // 16 * 9) if n >= least and n > 0)


def conv(u, k, skip, in_gate, out_gate, padding: str, fft_length: int):
    """u (B, H, L), k (H, Lk), skip (H) or None; fft_length 0 chooses, of causal rows."""
    length, taps = u.shape[-1], k.shape[-1]
    compute = torch.promote_types(u.dtype, torch.float32)
    with torch.autocast(u.device.type, enabled=False):
        x = u.to(compute) if in_gate is None else u.to(compute) * in_gate.to(compute)
        points = good_length(length + taps - 1) if padding == "causal" else fft_length or length
        y = torch.fft.irfft(torch.fft.rfft(x, n=points) * torch.fft.rfft(k.to(compute), n=points), n=points)[
            ..., :length
        ]
        if skip is not None:
            y = y + skip.to(compute)[:, None] * x
        if out_gate is not None:
            y = y * out_gate.to(compute)
        return y.to(u.dtype)
