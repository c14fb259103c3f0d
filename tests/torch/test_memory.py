"""Where there is no memory the error is PyTorch's, torch.OutOfMemoryError, and says what was asked for."""

import contextlib
import gc
import weakref

import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode

import ffc_torch
from ffc_torch._operators import ops

NO_MEMORY = r"^ffc_torch: out of memory: "
# Of rows below: 2^53 bytes, more than a process can address.
ROWS = NO_MEMORY + r"9007199250546688 bytes for a tensor of shape \(2147483647, 2, 1048576\) on (cpu|cuda:0)"


class Instead(TorchDispatchMode):
    """In the place of an operator."""

    def __init__(self, operator, call):
        super().__init__()
        self.operator, self.call = operator, call

    def __torch_dispatch__(self, operator, types, arguments=(), keywords=None):
        call = self.call if operator is self.operator else operator
        return call(*arguments, **(keywords or {}))


def rows(device):
    return torch.randn(1, 2, 512, device=device).bfloat16()


def taps(device):
    return torch.randn(2, 16, device=device) / 4


def vast(rows):
    """One sample of each channel, seen as rows that nobody has."""
    return rows[:1, :, :1].expand(2**31 - 1, -1, 2**20)


def no_memory(call, match=ROWS, error=torch.OutOfMemoryError):
    with pytest.raises(error, match=match) as raised:
        call()
    return raised


def test_forward(device):
    u, k = vast(rows(device)), taps(device)
    learned = k.clone().requires_grad_()
    no_memory(lambda: ffc_torch.fft_conv(u, k))
    no_memory(lambda: ffc_torch.fft_conv(u, learned))
    no_memory(lambda: ffc_torch.fft_conv(u, k[None]))  # by the way of arguments that are checked first
    no_memory(lambda: torch.func.vjp(lambda k: ffc_torch.fft_conv(u, k), k))
    no_memory(lambda: ffc_torch.StreamingConv(k)(u))


def test_a_prepared_filter(device):
    prepared = ffc_torch.prepare_filter(taps(device), 2**20)
    no_memory(lambda: ffc_torch.fft_conv(vast(rows(device)), prepared))


def test_nothing_is_kept_of_a_call_that_failed(device):
    """Rows are freed with the error, before Python looks for cycles: a smaller batch needs their memory."""
    u, k = vast(rows(device)), taps(device)
    freed = weakref.ref(u)
    gc.disable()
    try:
        with contextlib.suppress(torch.OutOfMemoryError):  # pytest.raises would keep it
            ffc_torch.fft_conv(u, k)
        del u
        assert freed() is None
    finally:
        gc.enable()


@pytest.mark.parametrize("again", (False, True))
def test_backward(device, again):
    u, k = rows(device).requires_grad_(), taps(device)
    y = ffc_torch.fft_conv(u, k)

    def gradients(dy, dy_magnitude, magnitude, u, *others):
        return ops.gradients.default(vast(dy), dy_magnitude, magnitude, vast(u), *others)

    with Instead(ops.gradients.default, gradients):
        no_memory(lambda: torch.autograd.grad(y, u, rows(device), retain_graph=True, create_graph=again))
    (du,) = torch.autograd.grad(y, u, rows(device))
    assert du.isfinite().all()


def test_prepare_filter(device):
    """By its spectrum alone: the filter itself is of 64 MB."""
    k, settings = torch.zeros(2**24, 1, device=device), {"padding": "padded", "fft_length": 2**24}
    words = NO_MEMORY + r"\d{15,} bytes for a tensor of shape \(16777216, \d+\) on (cpu|cuda:0)"
    no_memory(lambda: ffc_torch.prepare_filter(k, 16, **settings), words)
    no_memory(lambda: ffc_torch.fft_conv(k[None].bfloat16(), k, **settings), words)


def test_a_filter_that_is_copied(device):
    """One tap, seen as those of more channels than anybody has: operators take no such strides."""
    u, k = rows(device)[:, :1, :1].expand(-1, 2**31 - 1, 2**16), taps(device)[:1, :1].expand(2**31 - 1, 2**16)
    words = NO_MEMORY + r"\d{15,} bytes for a tensor of shape \(2147483647, 65536\) on (cpu|cuda:0)"
    no_memory(lambda: ffc_torch.fft_conv(u, k), words)


def test_a_compiled_graph(device):
    """Operators speak for themselves there."""
    compiled = torch.compile(ffc_torch.fft_conv, fullgraph=True, backend="aot_eager")
    no_memory(lambda: compiled(vast(rows(device)), taps(device)), error=RuntimeError)


def test_what_the_driver_lacks_memory_for(device):
    """As a kernel's tables, which are not of PyTorch's allocator. Any other complaint of its stays what it is."""

    def complaint(text):
        def call(*arguments):
            raise RuntimeError(f"cuMemAlloc for a kernel failed with {text}")

        return Instead(ops.conv.default, call)

    u, k = rows(device), taps(device)
    with complaint("CUDA_ERROR_OUT_OF_MEMORY (2): out of memory"):
        no_memory(lambda: ffc_torch.fft_conv(u, k), "^cuMemAlloc for a kernel failed with CUDA_ERROR_OUT_OF_MEMORY")
    with complaint("CUDA_ERROR_ILLEGAL_ADDRESS (700)"):
        raised = no_memory(lambda: ffc_torch.fft_conv(u, k), "ILLEGAL_ADDRESS", RuntimeError)
    assert raised.type is RuntimeError
