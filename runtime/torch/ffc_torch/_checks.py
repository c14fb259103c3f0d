"""What the functions of this package take: checks that name the argument, its value and what is right.

The texts are made only where a check fails: these run at every call.
"""

import torch

PADDINGS = ("causal", "circular", "padded")
HALF_NAMES = {torch.float16: "float16", torch.bfloat16: "bfloat16"}  # as operators take them
HALF = tuple(HALF_NAMES)
ROWS = (*HALF, torch.float32, torch.float64)
LONGEST = 16777216  # points of a transform


def choice(name: str, value, values) -> None:
    if value not in values:
        raise ValueError(f"{name} is {value!r}; it must be one of {', '.join(map(repr, values))}")


def tensor(name: str, value) -> None:
    if not isinstance(value, torch.Tensor):
        raise ValueError(f"{name} is a {type(value).__name__}; it must be a tensor")


def rows(name: str, u: torch.Tensor) -> None:
    tensor(name, u)
    if u.dim() != 3:
        raise ValueError(f"{name} has shape {tuple(u.shape)}; it must have three axes, (batch, channels, length)")
    if u.shape[1] < 1 or u.shape[2] < 1:
        raise ValueError(f"{name} has shape {tuple(u.shape)}; channels and length must be 1 or more")
    if u.dtype not in ROWS:
        raise ValueError(f"{name} is {u.dtype}; it must be float16, bfloat16, float32 or float64")
    if u.layout != torch.strided:
        raise ValueError(f"{name} has layout {u.layout}; it must be torch.strided")


def like(name: str, gate: torch.Tensor, u: torch.Tensor) -> None:
    tensor(name, gate)
    if gate.shape != u.shape:
        raise ValueError(f"{name} has shape {tuple(gate.shape)}; it must be that of u, {tuple(u.shape)}")
    if gate.dtype != u.dtype:
        raise ValueError(f"{name} is {gate.dtype}; it must be of the type of u, {u.dtype}")
    same_device(name, gate, u.device)


def same_device(name: str, value: torch.Tensor, device: torch.device) -> None:
    if value.device != device:
        raise ValueError(f"{name} is on {value.device}; it must be on the device of u, {device}")


def filters(name: str, k: torch.Tensor, channels: int | None) -> torch.Tensor:
    """k as (H, Lk), or (rows, Lk) where channels is None: from what shared_filters takes."""
    return of_channels(shared_filters(name, k, channels), channels)


def shared_filters(name: str, k: torch.Tensor, channels: int | None) -> torch.Tensor:
    """k as (groups, Lk): from (Lk), (1, Lk), (groups, Lk), (H, Lk), or with an axis of one in front. Groups divide the
    channels, where these are given."""
    tensor(name, k)
    if not k.is_floating_point():
        raise ValueError(f"{name} is {k.dtype}; it must be of a floating-point type")
    taps = k[0] if k.dim() == 3 and k.shape[0] == 1 else k
    taps = taps[None] if taps.dim() == 1 else taps
    if taps.dim() != 2 or taps.shape[0] < 1 or taps.shape[1] < 1:
        raise ValueError(
            f"{name} has shape {tuple(k.shape)}; it must be (channels, taps), (groups, taps) or (1, channels, taps), "
            "of 1 or more"
        )
    if channels is not None and channels != taps.shape[0] and channels % taps.shape[0] != 0:
        raise ValueError(f"{name} has {taps.shape[0]} rows; u has {channels} channels, which that must divide")
    return taps


def of_channels(taps: torch.Tensor, channels: int | None) -> torch.Tensor:
    """(H, Lk) from (groups, Lk), whose channels lie side by side; as it is where channels is None."""
    if channels is None or taps.shape[0] == channels:
        return taps
    return taps.repeat_interleave(channels // taps.shape[0], 0)


def spectra(name: str, spectrum: torch.Tensor, points: int) -> None:
    """(H, points / 2 + 1), or (groups, ...): frequencies as torch.fft.rfft has them."""
    tensor(name, spectrum)
    if not spectrum.is_complex():
        raise ValueError(f"{name} is {spectrum.dtype}; it must be complex")
    if spectrum.dim() != 2 or spectrum.shape[0] < 1 or spectrum.shape[1] != points // 2 + 1:
        raise ValueError(
            f"{name} has shape {tuple(spectrum.shape)}; it must be (channels, {points // 2 + 1}), the frequencies of a "
            f"transform of {points} points"
        )


def skip_term(skip: torch.Tensor, channels: int) -> None:
    tensor("skip", skip)
    if skip.dim() != 1 or skip.shape[0] != channels:
        raise ValueError(f"skip has shape {tuple(skip.shape)}; it must be ({channels},), a number for each channel")
    if not skip.is_floating_point():
        raise ValueError(f"skip is {skip.dtype}; it must be of a floating-point type")


def points_given(fft_length) -> None:
    if fft_length is not None and not isinstance(fft_length, int | torch.SymInt):
        raise ValueError(f"fft_length is {fft_length!r}; it must be an integer in [16, {LONGEST}]")


def transform(padding: str, length: int, taps: int, fft_length: int | None) -> None:
    """Lengths that go together."""
    choice("padding", padding, PADDINGS)
    points_given(fft_length)
    points = length if padding == "circular" and fft_length is None else fft_length
    if points is None:
        if padding == "padded":
            raise ValueError('fft_length is None; padding="padded" needs it')
        return
    if not 16 <= points <= LONGEST:
        raise ValueError(f"fft_length is {points}; it must be an integer in [16, {LONGEST}]")
    if padding == "circular" and points != length:
        raise ValueError(f"fft_length is {points}; circular rows need the length of u, {length}")
    if padding == "padded" and points < length:
        raise ValueError(f"fft_length is {points}; it must be at least the length of u, {length}")
    if padding != "causal" and taps > points:
        raise ValueError(f"k has {taps} taps; there may be {points} of them, the points of the transform")


def scale_of_gradients(scale, device: torch.device) -> None:
    if isinstance(scale, bool):
        return
    if not isinstance(scale, torch.Tensor):
        raise ValueError(f"scale_gradients is {scale!r}; it must be True, False or a tensor")
    if scale.dtype != torch.float32 or scale.dim() != 0 or scale.requires_grad:
        raise ValueError(
            f"scale_gradients is {scale.dtype} of shape {tuple(scale.shape)}; it must be float32 of shape () without "
            "gradients"
        )
    same_device("scale_gradients", scale, device)


def scale_in_a_graph(scale) -> None:
    if not isinstance(scale, bool):
        raise ValueError("scale_gradients has a state, which a compiled graph cannot keep; there it must be a bool")


def positive(name: str, value) -> None:
    if not isinstance(value, int) or value < 1:
        raise ValueError(f"{name} is {value}; it must be 1 or more")
