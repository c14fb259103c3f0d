"""How torch.vmap batches the operators: over more rows of the same channels where filters are the same, else over more
channels."""

import torch

from ._operators import ops


class Fold:
    """The axis of `size` that vmap adds, folded into the batch of rows or, where it is `by_channel`, into channels."""

    def __init__(self, size: int, by_channel: bool):
        self.size, self.by_channel = size, by_channel

    def rows(self, rows, axis):
        """(B, H, L) with that axis, or None for one without: (V B, H, L), or (B, V H, L)."""
        if rows is None:
            return None
        place = 1 if self.by_channel else 0
        rows = self._with_axis(rows, axis, place)
        return rows.flatten(place, place + 1)

    def filters(self, tensor, axis):
        """(H, ...): (V H, ...) where the axis goes into channels."""
        if tensor is None or not self.by_channel:
            return tensor
        return self._with_axis(tensor, axis, 0).flatten(0, 1)

    def magnitudes(self, magnitude, axis, channels: int):
        """() or (H), as filters; one for all channels stays that."""
        if magnitude is None or (axis is None and magnitude.dim() == 0):
            return magnitude
        if axis is not None and magnitude.dim() == 1:
            magnitude = magnitude[:, None].expand(self.size, channels)
            axis = 0
        return self.filters(magnitude, axis)

    def unfold_rows(self, rows):
        """Back to (V, B, H, L), or (B, V, H, L): that and the place of the axis."""
        place = 1 if self.by_channel else 0
        return rows.unflatten(place, (self.size, -1)), place

    def unfold_filters(self, tensor):
        return (tensor.unflatten(0, (self.size, -1)), 0) if self.by_channel else (tensor, None)

    def _with_axis(self, tensor, axis, place):
        if axis is not None:
            return tensor.movedim(axis, place)
        tensor = tensor.unsqueeze(place)
        return tensor.expand(*tensor.shape[:place], self.size, *tensor.shape[place + 1 :])


def _channels(u, axis) -> int:
    return u.shape[[place for place in range(u.dim()) if place != axis][1]]


def _some(axes) -> bool:
    return any(axis is not None for axis in axes)


@torch.library.register_vmap("ffc_torch::prepare")
def _(info, axes, k, skip, *settings):
    fold = Fold(info.batch_size, True)
    return fold.unfold_filters(ops.prepare(fold.filters(k, axes[0]), fold.filters(skip, axes[1]), *settings))


@torch.library.register_vmap("ffc_torch::conv")
def _(info, axes, u, k, skip, in_gate, out_gate, magnitude, *settings):
    fold = Fold(info.batch_size, _some((axes[1], axes[2], axes[5])))
    y, spectrum = ops.conv(
        fold.rows(u, axes[0]),
        fold.filters(k, axes[1]),
        fold.filters(skip, axes[2]),
        fold.rows(in_gate, axes[3]),
        fold.rows(out_gate, axes[4]),
        fold.magnitudes(magnitude, axes[5], _channels(u, axes[0])),
        *settings,
    )
    y, place = fold.unfold_rows(y)
    spectrum, spectrum_place = fold.unfold_filters(spectrum)
    return (y, spectrum), (place, spectrum_place)


@torch.library.register_vmap("ffc_torch::infer")
def _(info, axes, u, spectrum, in_gate, out_gate, magnitude, *settings):
    fold = Fold(info.batch_size, _some((axes[1], axes[4])))
    y = ops.infer(
        fold.rows(u, axes[0]),
        fold.filters(spectrum, axes[1]),
        fold.rows(in_gate, axes[2]),
        fold.rows(out_gate, axes[3]),
        fold.magnitudes(magnitude, axes[4], _channels(u, axes[0])),
        *settings,
    )
    return fold.unfold_rows(y)


@torch.library.register_vmap("ffc_torch::forward")
def _(info, axes, u, spectrum, k, skip, in_gate, out_gate, magnitude, *settings):
    fold = Fold(info.batch_size, _some((*axes[1:4], axes[6])))
    y = ops.forward(
        fold.rows(u, axes[0]),
        fold.filters(spectrum, axes[1]),
        fold.filters(k, axes[2]),
        fold.filters(skip, axes[3]),
        fold.rows(in_gate, axes[4]),
        fold.rows(out_gate, axes[5]),
        fold.magnitudes(magnitude, axes[6], _channels(u, axes[0])),
        *settings,
    )
    return fold.unfold_rows(y)


@torch.library.register_vmap("ffc_torch::gradients")
def _(info, axes, dy, dy_magnitude, u_magnitude, u, spectrum, k, skip, in_gate, out_gate, padding, fft_length, *wants):
    wants_u, wants_in, wants_out, wants_k, wants_skip = wants
    # Sums over the rows of one batch: others must not join them.
    sums = wants_k, wants_skip and skip is not None
    fold = Fold(info.batch_size, any(sums) or _some((*axes[1:3], *axes[4:7])))
    channels = _channels(u, axes[3])
    found = ops.gradients(
        fold.rows(dy, axes[0]),
        fold.magnitudes(dy_magnitude, axes[1], channels),
        fold.magnitudes(u_magnitude, axes[2], channels),
        fold.rows(u, axes[3]),
        fold.filters(spectrum, axes[4]),
        fold.filters(k, axes[5]),
        fold.filters(skip, axes[6]),
        fold.rows(in_gate, axes[7]),
        fold.rows(out_gate, axes[8]),
        padding,
        fft_length,
        *wants,
    )
    of_rows = [wants_u, wants_in and in_gate is not None, wants_out and out_gate is not None].count(True)
    unfolded = [fold.unfold_rows(each) for each in found[:of_rows]]
    unfolded += [fold.unfold_filters(each) for each in found[of_rows:]]
    return [each for each, _ in unfolded], [place for _, place in unfolded]
