"""How torch.vmap batches the operators: over more rows of the same channels where filters are the same, else over more
channels. And what autograd batches by itself, which goes one by one."""

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

    def magnitudes(self, magnitude, axis, batch: int, channels: int):
        """() or (H), as filters; one for all channels stays that. (H, n), n of a channel's rows, goes with the rows."""
        if magnitude is None or (axis is None and magnitude.dim() == 0):
            return magnitude
        if _of_each_row(magnitude, axis) and not self.by_channel:
            return self._of_more_rows(magnitude, axis, batch)
        if axis is not None and magnitude.dim() == 1:
            magnitude = magnitude[:, None].expand(self.size, channels)
            axis = 0
        return self.filters(magnitude, axis)

    def _of_more_rows(self, magnitude, axis, batch):
        """(H, n) of V B rows: (H, V B), or as many as they were where n is one for all rows, or none."""
        if axis is None and magnitude.shape[1] == 1:
            return magnitude
        magnitude = self._with_axis(magnitude, axis, 1)
        if magnitude.shape[2] == 1:
            magnitude = magnitude.expand(-1, -1, batch)
        return magnitude.flatten(1, 2)

    def unfold_rows(self, rows):
        """Back to (V, B, H, L), or (B, V, H, L): that and the place of the axis."""
        place = 1 if self.by_channel else 0
        return rows.unflatten(place, (self.size, -1)), place

    def unfold_filters(self, tensor):
        return (tensor.unflatten(0, (self.size, -1)), 0) if self.by_channel else (tensor, None)

    def unfold_found(self, found, rows):
        """Magnitudes (H, n) of rows that were folded: of each row, of each channel, or none."""
        if self.by_channel or found.shape[1] != rows.shape[0]:
            return self.unfold_filters(found)
        return found.unflatten(1, (self.size, -1)), 1

    def _with_axis(self, tensor, axis, place):
        if axis is not None:
            return tensor.movedim(axis, place)
        tensor = tensor.unsqueeze(place)
        return tensor.expand(*tensor.shape[:place], self.size, *tensor.shape[place + 1 :])


_ROWS, _FILTER, _MAGNITUDE = "rows", "filter", "magnitude"


def _of_each_row(magnitude, axis) -> bool:
    """Is it (H, n), beside the axis?"""
    return magnitude.dim() == (2 if axis is None else 3)


def _by_channel(tensor, axis, kind) -> bool:
    """Does the axis go into channels for that tensor?"""
    if axis is None or kind is _ROWS:
        return False
    return kind is _FILTER or not _of_each_row(tensor, axis)


def _folded(info, axes, kinds, tensors, by_channel=False):
    """The fold, and the tensors in it, of those kinds: into channels where any filter or a channel's magnitude has the
    axis."""
    folded = list(zip(tensors, axes[: len(kinds)], kinds, strict=True))
    fold = Fold(info.batch_size, by_channel or any(_by_channel(*each) for each in folded))
    take = {_ROWS: fold.rows, _FILTER: fold.filters}
    if _MAGNITUDE in kinds:
        first = kinds.index(_ROWS)
        shape = _shape(tensors[first], axes[first])
        take[_MAGNITUDE] = lambda magnitude, axis: fold.magnitudes(magnitude, axis, *shape)
    return fold, [take[kind](tensor, axis) for tensor, axis, kind in folded]


def _shape(rows, axis) -> tuple[int, int]:
    """B and H of rows, beside the axis."""
    batch, channels, _ = (size for place, size in enumerate(rows.shape) if place != axis)
    return batch, channels


def _call(operator, info, axes, kinds, arguments):
    """The fold, and what the operator finds in it; behind its tensors are settings."""
    fold, tensors = _folded(info, axes, kinds, arguments[: len(kinds)])
    return fold, operator(*tensors, *arguments[len(kinds) :])


@torch.library.register_vmap("ffc_torch::prepare")
def _(info, axes, *arguments):
    fold, tensors = _folded(info, axes, (_FILTER, _FILTER), arguments[:2], by_channel=True)
    return fold.unfold_filters(ops.prepare(*tensors, *arguments[2:]))


@torch.library.register_vmap("ffc_torch::conv")
def _(info, axes, *arguments):
    kinds = _ROWS, _FILTER, _FILTER, _ROWS, _ROWS
    fold, (y, spectrum, found) = _call(ops.conv, info, axes, kinds, arguments)
    found, found_place = fold.unfold_found(found, y)
    y, place = fold.unfold_rows(y)
    spectrum, spectrum_place = fold.unfold_filters(spectrum)
    return (y, spectrum, found), (place, spectrum_place, found_place)


@torch.library.register_vmap("ffc_torch::infer")
def _(info, axes, *arguments):
    fold, y = _call(ops.infer, info, axes, (_ROWS, _FILTER, _ROWS, _ROWS), arguments)
    return fold.unfold_rows(y)


@torch.library.register_vmap("ffc_torch::forward")
def _(info, axes, *arguments):
    kinds = _ROWS, _FILTER, _FILTER, _FILTER, _ROWS, _ROWS
    fold, (y, found) = _call(ops.forward, info, axes, kinds, arguments)
    found, found_place = fold.unfold_found(found, y)
    y, place = fold.unfold_rows(y)
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


def is_batched_by_autograd(dy: torch.Tensor) -> bool:
    """Is it one of many gradients that torch.autograd.grad(is_grads_batched=True) takes at once?"""
    return torch._C._functorch.is_legacy_batchedtensor(dy)


# Autograd's own vmap has no rules, and loops over an operator whose results are tensors and no list of them.
_ARGUMENTS = str(ops.gradients.default._schema).removeprefix("ffc_torch::gradients").partition(" -> ")[0]
torch.library.define("ffc_torch::gradients_one_by_one", f"{_ARGUMENTS} -> (Tensor, Tensor, Tensor, Tensor, Tensor)")


@torch.library.impl("ffc_torch::gradients_one_by_one", "CompositeExplicitAutograd")
def _(dy, *arguments):
    found = ops.gradients(dy, *arguments)
    return *found, *(dy.new_empty(0) for _ in range(5 - len(found)))
