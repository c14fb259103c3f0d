"""warmup."""

from collections.abc import Iterable

import torch


def warmup(
    model: torch.nn.Module,
    shapes: Iterable[tuple[int, ...]],
    *,
    dtype: torch.dtype = torch.bfloat16,
    device: torch.device | str | None = None,
    gradients: bool = True,
) -> None:
    """Compiles, or reads from the cache, the kernels that `model` takes for inputs of those shapes, before the first
    step. Runs the model forward on zeros and, with `gradients`, backward; no
    parameter and no .grad changes. `device` is that of the first parameter where it is None."""
    parameters = [p for p in model.parameters() if p.requires_grad]
    if device is None:
        device = parameters[0].device if parameters else torch.device("cuda" if torch.cuda.is_available() else "cpu")
    for shape in shapes:
        u = torch.zeros(shape, dtype=dtype, device=device, requires_grad=gradients)
        with torch.set_grad_enabled(gradients):
            y = model(u)
            if gradients:
                torch.autograd.grad(y.float().sum(), [u, *parameters], allow_unused=True)
