"""What the functions of this package take: checks that name the argument, its value and what is right."""

import torch

PADDINGS = ("causal", "circular", "padded")
HALF = (torch.float16, torch.bfloat16)
LONGEST = 16777216  # points of a transform


def require(condition: bool, text: str) -> None:
    if not condition:
        raise ValueError(text)


def choice(name: str, value, values) -> None:
    require(value in values, f"{name} is {value!r}; it must be one of {', '.join(map(repr, values))}")


def rows(name: str, tensor: torch.Tensor) -> None:
    require(isinstance(tensor, torch.Tensor), f"{name} is a {type(tensor).__name__}; it must be a tensor")
    require(
        tensor.dim() == 3,
        f"{name} has shape {tuple(tensor.shape)}; it must have three axes, (batch, channels, length)",
    )
    require(
        tensor.shape[1] > 0 and tensor.shape[2] > 0,
        f"{name} has shape {tuple(tensor.shape)}; channels and length must be 1 or more",
    )
    require(
        tensor.dtype in (*HALF, torch.float32, torch.float64),
        f"{name} is {tensor.dtype}; it must be float16, bfloat16, float32 or float64",
    )


def like(name: str, tensor: torch.Tensor, u: torch.Tensor) -> None:
    require(isinstance(tensor, torch.Tensor), f"{name} is a {type(tensor).__name__}; it must be a tensor")
    require(
        tensor.shape == u.shape,
        f"{name} has shape {tuple(tensor.shape)}; it must be that of u, {tuple(u.shape)}",
    )
    require(tensor.dtype == u.dtype, f"{name} is {tensor.dtype}; it must be of the type of u, {u.dtype}")
    same_device(name, tensor, u.device)


def same_device(name: str, tensor: torch.Tensor, device: torch.device) -> None:
    require(tensor.device == device, f"{name} is on {tensor.device}; it must be on the device of u, {device}")


def filters(name: str, k: torch.Tensor, channels: int | None) -> torch.Tensor:
    """k as (H, Lk), or (rows, Lk) where channels is None: from (Lk), (1, Lk), (groups, Lk), (H, Lk), or with an axis of
    one in front. The channels of a group lie side by side."""
    require(isinstance(k, torch.Tensor), f"{name} is a {type(k).__name__}; it must be a tensor")
    require(k.is_floating_point(), f"{name} is {k.dtype}; it must be of a floating-point type")
    shape = tuple(k.shape)
    taps = k[0] if k.dim() == 3 and k.shape[0] == 1 else k
    taps = taps[None] if taps.dim() == 1 else taps
    require(
        taps.dim() == 2 and taps.shape[0] > 0 and taps.shape[1] > 0,
        f"{name} has shape {shape}; it must be (channels, taps), (groups, taps) or (1, channels, taps), of 1 or more",
    )
    if channels is None:
        return taps
    require(
        channels % taps.shape[0] == 0,
        f"{name} has {taps.shape[0]} rows; u has {channels} channels, which that must divide",
    )
    return taps if taps.shape[0] == channels else taps.repeat_interleave(channels // taps.shape[0], 0)


def skip_term(skip: torch.Tensor, channels: int) -> None:
    require(isinstance(skip, torch.Tensor), f"skip is a {type(skip).__name__}; it must be a tensor")
    require(
        tuple(skip.shape) == (channels,),
        f"skip has shape {tuple(skip.shape)}; it must be ({channels},), a number for each channel",
    )


def transform(padding: str, length: int, taps: int, fft_length: int | None) -> None:
    """Lengths that go together."""
    choice("padding", padding, PADDINGS)
    points = length if padding == "circular" and fft_length is None else fft_length
    require(points is not None or padding == "causal", 'fft_length is None; padding="padded" needs it')
    if points is None:
        return
    require(
        isinstance(points, int) and 16 <= points <= LONGEST,
        f"fft_length is {points}; it must be an integer in [16, {LONGEST}]",
    )
    if padding == "circular":
        require(points == length, f"fft_length is {points}; circular rows need the length of u, {length}")
    if padding == "padded":
        require(points >= length, f"fft_length is {points}; it must be at least the length of u, {length}")
    if padding != "causal":
        require(taps <= points, f"k has {taps} taps; there may be {points} of them, the points of the transform")
