"""Every refusal names the argument, its value and what is right."""

import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode

import ffc_torch
from ffc_torch._operators import ops


def rows(*shape, dtype=torch.float16, device="cpu"):
    return torch.zeros(shape, dtype=dtype, device=device)


def refused(match, *arguments, call=ffc_torch.fft_conv, error=ValueError, **keywords):
    with pytest.raises(error, match=match):
        call(*arguments, **keywords)


def test_rows():
    k = torch.zeros(2, 16)
    refused("u is a list; it must be a tensor", [1.0], k)
    refused(r"u has shape \(2, 64\); it must have three axes", rows(2, 64), k)
    refused(r"u has shape \(1, 2, 0\); channels and length must be 1 or more", rows(1, 2, 0), k)
    refused("u is torch.int32; it must be float16", rows(1, 2, 64, dtype=torch.int32), k)
    refused("u has layout torch.sparse_coo; it must be torch.strided", rows(1, 2, 64).to_sparse(), k)


def test_gates():
    u, k = rows(1, 2, 64), torch.zeros(2, 16)
    refused(r"in_gate has shape \(1, 2, 63\); it must be that of u, \(1, 2, 64\)", u, k, in_gate=rows(1, 2, 63))
    refused(
        "out_gate is torch.bfloat16; it must be of the type of u, torch.float16",
        u,
        k,
        out_gate=rows(1, 2, 64, dtype=torch.bfloat16),
    )
    refused("in_gate is a float; it must be a tensor", u, k, in_gate=1.0)


def test_filters():
    u = rows(1, 6, 64)
    refused("k has 4 rows; u has 6 channels, which that must divide", u, torch.zeros(4, 16))
    refused(r"k has shape \(2, 6, 16\); it must be", u, torch.zeros(2, 6, 16))
    refused(r"k has shape \(6, 0\)", u, torch.zeros(6, 0))
    refused("k is torch.int64; it must be of a floating-point type", u, torch.zeros(6, 16, dtype=torch.int64))
    refused("k is a NoneType", u, None)
    refused(r"skip has shape \(5,\); it must be \(6,\)", u, torch.zeros(6, 16), skip=torch.zeros(5))
    refused("skip is torch.int64; it must be of a floating", u, k := torch.zeros(6, 16), skip=torch.zeros(6).long())
    refused("skip is a list; it must be a tensor", u, k, skip=[0.0])


def test_devices():
    u, k = rows(1, 2, 64), torch.zeros(2, 16)
    refused("k is on meta; it must be on the device of u, cpu", u, k.to("meta"))
    refused("in_gate is on meta", u, k, in_gate=u.to("meta"))
    refused("skip is on meta", u, k, skip=torch.zeros(2, device="meta"))


@pytest.mark.cuda
def test_devices_of_a_gpu():
    u, k = rows(1, 2, 64, device="cuda"), torch.zeros(2, 16)
    refused("k is on cpu; it must be on the device of u, cuda:0", u, k)
    prepared = ffc_torch.prepare_filter(k, 64, dtype=torch.float16)
    refused("the prepared filter is on cpu", u, prepared)


def test_options():
    u, k = rows(1, 2, 64), torch.zeros(2, 16)
    refused("padding is 'valid'; it must be one of 'causal', 'circular', 'padded'", u, k, padding="valid")
    refused('fft_length is None; padding="padded" needs it', u, k, padding="padded")
    refused("fft_length is 63; it must be at least the length of u, 64", u, k, padding="padded", fft_length=63)
    refused("fft_length is 128; circular rows need the length of u, 64", u, k, padding="circular", fft_length=128)
    refused(r"fft_length is 8; it must be an integer in \[16, 16777216\]", u, k, fft_length=8)
    refused(r"fft_length is 128.0; it must be an integer in \[16, 16777216\]", u, k, fft_length=128.0)
    refused("fft_length is 'all'", u, k, mode="bidirectional", k_reverse=k, fft_length="all")
    refused("k has 65 taps; there may be 64", u, torch.zeros(2, 65), padding="circular")
    refused("precision is 'double'; it must be one of None, 'half'", u, k, precision="double")
    refused("mode is 'both'", u, k, mode="both")
    refused("k_reverse is None and mode is 'bidirectional'", u, k, mode="bidirectional")
    refused("k_reverse is given and mode is 'forward'", u, k, k_reverse=k)
    refused("reverse_lag is 2", u, k, mode="bidirectional", k_reverse=k, reverse_lag=2)
    refused(
        r"fft_length is 100; mode='bidirectional' with rows of 64 samples needs one in \[127,",
        u,
        k,
        mode="bidirectional",
        k_reverse=k,
        fft_length=100,
    )
    refused("scale_gradients is 2.0; it must be True, False or a tensor", u, k, scale_gradients=2.0)
    refused(r"scale_gradients is torch.float32 of shape \(1,\)", u, k, scale_gradients=torch.zeros(1))
    refused("scale_gradients is on meta", u, k, scale_gradients=torch.zeros((), device="meta"))
    refused(r"Circular|circular", u, k, mode="bidirectional", k_reverse=k, padding="circular")


def test_a_gpu_that_there_are_no_kernels_for():
    for capability, text in ((75, "7.5"), (110, "11.0")):
        refused(
            f"device has compute capability {text}; kernels are generated for sm_80, ",
            *("causal", 512, 512, 0, "float16", False, False, False, capability),
            call=ops.spectrum_bytes,
            error=RuntimeError,
        )


@pytest.mark.parametrize("value", (float("nan"), float("inf")))
def test_gradients_that_are_not_finite_stay_so(device, value):
    """Scales are found from them: no crash, nothing made finite, and other channels keep theirs."""
    u, k = rows(2, 2, 256, dtype=torch.bfloat16, device=device), torch.randn(2, 256, device=device) / 16
    u = torch.randn_like(u).requires_grad_()
    dy = torch.randn_like(u)
    (expected,) = torch.autograd.grad(ffc_torch.fft_conv(u, k), u, dy)
    dy[0, 0, 5] = value
    (found,) = torch.autograd.grad(ffc_torch.fft_conv(u, k), u, dy)
    assert not found[0, 0].isfinite().any()
    assert (found[:, 1].float() - expected[:, 1].float()).norm() < 1e-2 * expected[:, 1].float().norm()


def test_what_has_no_plan(device):
    u, k = rows(1, 1, 40000, device=device), torch.zeros(1, 40000, device=device)
    refused("needs an fft_length of at least 79999", u, k, fft_length=65536, error=RuntimeError)


class Failing(TorchDispatchMode):
    """The first call of our operators fails as a GPU without memory does."""

    calls = 0

    def __torch_dispatch__(self, operator, types, arguments=(), keywords=None):
        if operator.namespace == "ffc_torch":
            self.calls += 1
            if self.calls == 1:
                raise torch.OutOfMemoryError("out of memory, as this test wants it")
        return operator(*arguments, **(keywords or {}))


@pytest.mark.parametrize("learns", (False, True))
def test_what_fails_is_not_tried_again(device, learns):
    u, k = rows(1, 2, 512, device=device), torch.zeros(2, 512, device=device, requires_grad=learns)
    for filter in (k, ffc_torch.prepare_filter(k, 512, dtype=torch.float16)):
        with Failing() as failing:
            refused("as this test wants it", u, filter, error=torch.OutOfMemoryError)
        assert failing.calls == 1


def test_what_operators_refuse_is_said_by_its_name(device):
    """Of arguments that look as operators take them, by whoever notices first."""
    u, k = rows(1, 2, 512, device=device), torch.zeros(2, 512, device=device)
    refused(r"in_gate has shape \(1, 1, 512\); it must be that of u", u, k, in_gate=u[:, :1])
    refused(r"skip has shape \(3,\); it must be \(2,\)", u, k, skip=torch.zeros(3, device=device))
    refused("padding is 'valid'", u, k, padding="valid")
    refused("fft_length is 'all'", u, k, fft_length="all")
    prepared = ffc_torch.prepare_filter(k, 512, dtype=torch.float16)
    refused("u has 1 channels; the filter was prepared for 2", u[:, :1], prepared)


def test_prepared_filters(device):
    k = torch.zeros(2, 16, device=device)
    prepared = ffc_torch.prepare_filter(k, 64, dtype=torch.float16, in_gate=True)
    u = rows(1, 2, 64, device=device)
    refused("in_gate and out_gate are given: False, False; the filter was prepared for True, False", u, prepared)
    refused("u has length 32; the filter was prepared for 64", u[..., :32], prepared, in_gate=u[..., :32])
    refused("u has 1 channels; the filter was prepared for 2", u[:, :1], prepared, in_gate=u[:, :1])
    refused("u is torch.bfloat16; the filter", u.bfloat16(), prepared, in_gate=u.bfloat16())
    refused("skip is given with a prepared filter", u, prepared, in_gate=u, skip=torch.zeros(2, device=device))
    refused("length is 0; it must be 1 or more", k, 0, call=ffc_torch.prepare_filter)
    refused("k_reverse is None", k, 64, mode="bidirectional", call=ffc_torch.prepare_filter)
    refused("dtype is torch.int8", k, 64, dtype=torch.int8, call=ffc_torch.prepare_filter)


def test_modules(device):
    refused("channels is 0; it must be 1 or more", 0, 64, call=ffc_torch.LongConv)
    refused("scale_gradients is 'late'", 4, 64, scale_gradients="late", call=ffc_torch.LongConv)
    refused(
        "fft_length is 64; mode='bidirectional'", 4, 64, fft_length=64, mode="bidirectional", call=ffc_torch.LongConv
    )
    refused("groups is 3; it must divide channels, 4", 4, 64, groups=3, call=ffc_torch.LongConv)
    stream = ffc_torch.StreamingConv(torch.zeros(2, 16, device=device))
    u = rows(1, 2, 64, device=device)
    refused("u has 3 channels; k has 2 rows", rows(1, 3, 64, device=device), call=stream)
    stream(u)
    refused("the stream began as", rows(2, 2, 64, device=device), call=stream)
    refused("in_gate must be given with all segments of a stream or with none", u, u, call=stream)


def test_operators_check_for_themselves(device):
    """They are called by name too, and from graphs that others wrote."""
    u, k = rows(1, 2, 512, device=device), torch.zeros(2, 512, device=device)
    prepare = (None, "causal", 512, 0, "float16", False, False, False)
    spectrum = ops.prepare(k, *prepare)

    def forward(u, spectrum, gate=None):
        return ops.forward(u, spectrum, None, None, gate, None, "causal", 512, 0, False, True)[0]

    def no(match, call):
        with pytest.raises(RuntimeError, match=match):
            call()

    no("k is Half; it must be Float", lambda: ops.prepare(k.half(), *prepare))
    no("rows are Float", lambda: forward(u.float(), spectrum))
    no(r"u has shape \(2, 512\); it must be", lambda: forward(u[0], spectrum))
    no(r"in_gate has shape \(1, 1, 512\)", lambda: forward(u, spectrum, u[:, :1]))
    for magnitude, text in (
        (torch.ones(3), r"has shape \(3\); it must be \(2\)"),
        (torch.ones(2, 3), r"has shape \(2, 3\); it must be \(2, 1\)"),
        (torch.ones(()).half(), "is Half"),
    ):
        arguments = u, magnitude.to(device), None, u, spectrum, k, None, None, None, "causal", 0, False
        no(f"gradient_magnitude {text}", lambda arguments=arguments: ops.gradients(*arguments, False, *5 * [True]))
    no("memory.bytes is", lambda: forward(u, spectrum[:, :-16].contiguous()))
    no("the spectrum has 1 channels; the launch has 2", lambda: forward(u, spectrum[:1]))
    no('padding is "valid"', lambda: ops.prepare(k, None, "valid", 512, 0, "float16", False, False, False))
    no('dtype is "int8"', lambda: ops.prepare(k, None, "causal", 512, 0, "int8", False, False, False))
    no(
        "without k; gradients need the filter itself",
        lambda: forward(u.clone().requires_grad_(), spectrum).float().sum().backward(),
    )
