"""Errors of operators as PyTorch raises them: from C++, through its stable ABI, all of them come as RuntimeError."""

import torch

# Where torch's allocator has given operators nothing, and where the driver had nothing for a kernel that it loads.
_BY_TORCH, _BY_THE_DRIVER = "ffc_torch: out of memory", "CUDA_ERROR_OUT_OF_MEMORY"


def raise_out_of_memory(error: RuntimeError) -> None:
    """torch.OutOfMemoryError, in the same words, where that is what the error says."""
    words = str(error)
    if words.startswith(_BY_TORCH) or _BY_THE_DRIVER in words:
        raise torch.OutOfMemoryError(words) from None
