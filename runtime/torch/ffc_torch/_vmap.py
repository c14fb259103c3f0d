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


_ROWS, _FILTER, _MAGNITUDE = "rows", "filter", "magnitude"


def _folded(info, axes, kinds, tensors, by_channel=False):
    """The fold, and the tensors in it, of those kinds: into channels where any filter or magnitude has the axis."""
    folded = list(zip(tensors, axes[: len(kinds)], kinds, strict=True))
    fold = Fold(info.batch_size, by_channel or _some(axis for _, axis, kind in folded if kind is not _ROWS))
    take = {_ROWS: fold.rows, _FILTER: fold.filters}
    if _MAGNITUDE in kinds:
        first = kinds.index(_ROWS)
        channels = _channels(tensors[first], axes[first])
        take[_MAGNITUDE] = lambda magnitude, axis: fold.magnitudes(magnitude, axis, channels)
    return fold, [take[kind](tensor, axis) for tensor, axis, kind in folded]


def _channels(rows, axis) -> int:
    return rows.shape[[place for place in range(rows.dim()) if place != axis][1]]


def _some(axes) -> bool:
    return any(axis is not None for axis in axes)


def _call(operator, info, axes, kinds, arguments):
    """The fold, and what the operator finds in it; behind its tensors are settings."""
    fold, tensors = _folded(info, axes, kinds, arguments[: len(kinds)])
    return fold, operator(*tensors, *arguments[len(kinds) :])


def _unfold_found(fold, found):
    """Magnitudes of rows, which may be none."""
    return fold.unfold_filters(found) if found.numel() else (found, None)


@torch.library.register_vmap("ffc_torch::prepare")
def _(info, axes, *arguments):
    fold, tensors = _folded(info, axes, (_FILTER, _FILTER), arguments[:2], by_channel=True)
    return fold.unfold_filters(ops.prepare(*tensors, *arguments[2:]))


@torch.library.register_vmap("ffc_torch::conv")
def _(info, axes, *arguments):
    kinds = _ROWS, _FILTER, _FILTER, _ROWS, _ROWS
    fold, (y, spectrum, found) = _call(ops.conv, info, axes, kinds, arguments)
    y, place = fold.unfold_rows(y)
    spectrum, spectrum_place = fold.unfold_filters(spectrum)
    found, found_place = _unfold_found(fold, found)
    return (y, spectrum, found), (place, spectrum_place, found_place)


@torch.library.register_vmap("ffc_torch::infer")
def _(info, axes, *arguments):
    fold, y = _call(ops.infer, info, axes, (_ROWS, _FILTER, _ROWS, _ROWS), arguments)
    return fold.unfold_rows(y)


@torch.library.register_vmap("ffc_torch::forward")
def _(info, axes, *arguments):
    kinds = _ROWS, _FILTER, _FILTER, _FILTER, _ROWS, _ROWS
    fold, (y, found) = _call(ops.forward, info, axes, kinds, arguments)
    y, place = fold.unfold_rows(y)
    found, found_place = _unfold_found(fold, found)
    return (y, found), (place, found_place)


@torch.library.register_vmap("ffc_torch::gradients")
def _(info, axes, *arguments):
    kinds = _ROWS, _MAGNITUDE, _MAGNITUDE, _ROWS, _FILTER, _FILTER, _FILTER, _ROWS, _ROWS
    tensors, settings = arguments[: len(kinds)], arguments[len(kinds) :]
    *_, skip, in_gate, out_gate = tensors
    wants_u, wants_in, wants_out, wants_k, wants_skip = settings[-5:]
    # Sums over the rows of one batch: others must not join them.
    sums = wants_k or (wants_skip and skip is not None)
    fold, tensors = _folded(info, axes, kinds, tensors, by_channel=sums)
    found = ops.gradients(*tensors, *settings)
    of_rows = [wants_u, wants_in and in_gate is not None, wants_out and out_gate is not None].count(True)
    unfolded = [fold.unfold_rows(each) for each in found[:of_rows]]
    unfolded += [fold.unfold_filters(each) for each in found[of_rows:]]
    return [each for each, _ in unfolded], [place for _, place in unfolded]


@torch.library.register_vmap("ffc_torch::taps_of_spectrum")
def _(info, axes, *arguments):
    fold, tensors = _folded(info, axes, (_FILTER,), arguments[:1], by_channel=True)
    return fold.unfold_filters(ops.taps_of_spectrum(*tensors, *arguments[1:]))


@torch.library.register_vmap("ffc_torch::spectrum_gradient")
def _(info, axes, *arguments):
    fold, tensors = _folded(info, axes, (_FILTER,), arguments[:1], by_channel=True)
    return fold.unfold_filters(ops.spectrum_gradient(*tensors, *arguments[1:]))
