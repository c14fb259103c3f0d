"""Filters of both directions as taps of one transform, and their gradients, against float64 tap by tap."""

import pytest
import torch
from torch.autograd import forward_ad

import ffc_torch
from ffc_torch._filters import taps_of
from ffc_torch._two_sided import two_sided
from reference import Calls, conv, error

# Operators that neither read nor write what lies in the taps.
VIEWS = ("alias", "detach", "expand", "select", "slice", "split", "view")
EMPTY = ("new_empty", "promote_types")


def reaching(k, k_reverse, length, reverse_lag):
    """Taps of each direction at lags that rows of that length have."""
    return range(min(k.shape[1], length)), range(min(k_reverse.shape[1], length - reverse_lag))


def expected_taps(k, k_reverse, length, points, reverse_lag):
    behind, ahead = reaching(k, k_reverse, length, reverse_lag)
    both = torch.zeros(k.shape[0], points, dtype=torch.float64, device=k.device)
    for tap in behind:
        both[:, tap] += k[:, tap].detach()
    for tap in ahead:
        both[:, (-reverse_lag - tap) % points] += k_reverse[:, tap].detach()
    return both


def expected_gradients(gradient, k, k_reverse, length, points, reverse_lag):
    behind, ahead = reaching(k, k_reverse, length, reverse_lag)
    dk, dk_reverse = torch.zeros_like(k), torch.zeros_like(k_reverse)
    for tap in behind:
        dk[:, tap] = gradient[:, tap]
    for tap in ahead:
        dk_reverse[:, tap] = gradient[:, (-reverse_lag - tap) % points]
    return dk, dk_reverse


def leaf(device, *shape):
    return torch.randn(*shape, dtype=torch.float64, device=device, requires_grad=True)


def check(k, k_reverse, *settings, combine=two_sided):
    both = combine(k, k_reverse, *settings)
    assert torch.equal(both, expected_taps(k, k_reverse, *settings))
    gradient = torch.randn_like(both)
    expected = expected_gradients(gradient, k, k_reverse, *settings)
    assert all(map(torch.equal, torch.autograd.grad(both, (k, k_reverse), gradient), expected))
    alone = combine(k, k_reverse.detach(), *settings), combine(k.detach(), k_reverse, *settings)
    for both, tensor, wanted in zip(alone, (k, k_reverse), expected, strict=True):
        assert torch.equal(torch.autograd.grad(both, tensor, gradient)[0], wanted)


@pytest.mark.parametrize("reverse_lag", (0, 1))
def test_any_lengths(device, reverse_lag):
    for _ in range(30):
        length, taps, taps_ahead, more = torch.randint(1, 50, (4,)).tolist()
        points = max(16, 2 * length - 1 + more % 4)
        check(leaf(device, 3, taps), leaf(device, 3, taps_ahead), length, points, reverse_lag)


@pytest.mark.parametrize("reverse_lag", (0, 1))
@pytest.mark.parametrize(
    ("taps", "taps_ahead", "length"), ((20, 20, 20), (1, 1, 20), (1, 1, 1), (3, 2, 1), (21, 19, 20), (50, 50, 20))
)
def test_lengths_at_the_edges(device, taps, taps_ahead, length, reverse_lag):
    for points in {max(16, 2 * length - 1), max(16, 2 * length)}:
        check(leaf(device, 2, taps), leaf(device, 2, taps_ahead), length, points, reverse_lag)


@pytest.mark.parametrize("reverse_lag", (0, 1))
def test_graphs(device, reverse_lag):
    """Of other operators, and the same taps."""
    for taps, taps_ahead, length in ((20, 20, 20), (9, 12, 20), (40, 30, 20)):
        torch._dynamo.reset()
        compiled = torch.compile(two_sided, fullgraph=True, backend="aot_eager", dynamic=True)
        check(leaf(device, 3, taps), leaf(device, 3, taps_ahead), length, 2 * length, reverse_lag, combine=compiled)


@pytest.mark.parametrize("reverse_lag", (0, 1))
def test_taps_of_one_tensor(device, reverse_lag):
    """The same for both directions, and slices of one with strides of their own."""
    settings = 20, 40, reverse_lag
    both = leaf(device, 40, 3)
    check(both.T[:, :20], both.T[:, 20:], *settings)
    check(both.T[:, ::2], both.T[:, 1::2], *settings)
    k, gradient = leaf(device, 3, 20), torch.randn(3, 40, dtype=torch.float64, device=device)
    (found,) = torch.autograd.grad(two_sided(k, k, *settings), k, gradient)
    assert torch.equal(found, sum(expected_gradients(gradient, k, k, *settings)))
    one = leaf(device, 1, 20)
    check(one.expand(3, -1), k, *settings)


def test_types(device):
    k, k_reverse = torch.randn(2, 20, device=device).bfloat16().requires_grad_(), leaf(device, 2, 20)
    both = two_sided(k, k_reverse, 20, 40, 0)
    assert torch.equal(both, expected_taps(k, k_reverse, 20, 40, 0))
    both.sum().backward()
    assert k.grad.dtype == torch.bfloat16 and k_reverse.grad.dtype == both.dtype == torch.float64


@pytest.mark.parametrize("reverse_lag", (0, 1))
@pytest.mark.parametrize("groups", ((1, 1), (2, 2), (6, 6), (2, 3), (1, 6), (6, 1)))
def test_groups(device, groups, reverse_lag):
    """Filters that channels share are combined before each channel has its own."""
    k, k_reverse = leaf(device, groups[0], 12), leaf(device, groups[1], 9)
    with Calls() as calls:
        taps, _, points = taps_of(k, 6, 20, "causal", None, "bidirectional", k_reverse, reverse_lag)
    each, each_ahead = (t.repeat_interleave(6 // t.shape[0], 0) for t in (k, k_reverse))
    settings = 20, points, reverse_lag
    assert torch.equal(taps, expected_taps(each, each_ahead, *settings))
    gradient = torch.randn_like(taps)
    summed = (
        g.unflatten(0, (t.shape[0], -1)).sum(1)
        for g, t in zip(expected_gradients(gradient, each, each_ahead, *settings), (k, k_reverse), strict=True)
    )
    for found, expected in zip(torch.autograd.grad(taps, (k, k_reverse), gradient), summed, strict=True):
        assert error(found, expected) < 1e-14
    if groups[0] == groups[1]:
        (made,) = (arguments for name, arguments in calls.made if "new_empty" in name)
        assert tuple(made[1]) == (groups[0], points)


def moving(calls, at_least):
    """Names of operators that read or write tensors of so many elements, views left out."""

    def large(arguments):
        return any(isinstance(tensor, torch.Tensor) and tensor.numel() >= at_least for tensor in arguments)

    names = [name.split(".")[1] for name, arguments in calls.made if large(arguments)]
    return [name for name in names if not name.startswith(VIEWS + EMPTY)]


@pytest.mark.parametrize("reverse_lag", (0, 1))
def test_passes_over_memory(device, reverse_lag):
    """Forward each direction is written once; backward the one ahead is, where it is needed, and the other one is a
    view."""
    k, k_reverse, settings = leaf(device, 4, 64), leaf(device, 4, 64), (64, 128, reverse_lag)
    with Calls() as calls:
        both = two_sided(k, k_reverse, *settings)
    assert moving(calls, 4 * 60) == ["copy_", "gather"]
    with Calls() as calls:
        dk, dk_reverse = torch.autograd.grad(both, (k, k_reverse), torch.randn_like(both))
    assert moving(calls, 4 * 60) == ["randn_like", "gather"]
    assert dk.untyped_storage().nbytes() == 8 * both.numel() and dk_reverse.is_contiguous()
    with Calls() as calls:
        taps = taps_of(k, 4, 64, "causal", 128, "bidirectional", k_reverse.detach(), reverse_lag)[0]
        torch.autograd.grad(taps, k, torch.randn_like(both))
    assert moving(calls, 4 * 60) == ["copy_", "gather", "randn_like"]


@pytest.mark.parametrize("reverse_lag", (0, 1))
def test_gradcheck_of_float64_rows(device, reverse_lag):
    both = {"mode": "bidirectional", "reverse_lag": reverse_lag}

    def call(u, k, k_reverse):
        return ffc_torch.fft_conv(u, k, k_reverse=k_reverse, **both)

    for groups, taps, taps_ahead in ((2, 9, 9), (1, 3, 11), (2, 12, 1)):
        tensors = leaf(device, 2, 2, 9), leaf(device, groups, taps), leaf(device, groups, taps_ahead)
        assert torch.autograd.gradcheck(call, tensors, check_forward_ad=True, check_batched_grad=True)
        assert torch.autograd.gradgradcheck(call, tensors, check_fwd_over_rev=True, check_rev_over_rev=True)


@pytest.mark.parametrize("reverse_lag", (0, 1))
def test_forward_mode(device, reverse_lag):
    """It is linear: a tangent is what becomes of it, and one that is missing counts as zeros."""
    filters, settings = (torch.randn(2, 20, device=device), torch.randn(2, 17, device=device)), (20, 40, reverse_lag)
    tangents = [torch.randn_like(taps) for taps in filters]
    for wanted in ((True, True), (True, False), (False, True)):
        expected = two_sided(*(tangent * moves for tangent, moves in zip(tangents, wanted, strict=True)), *settings)
        with forward_ad.dual_level():
            each = zip(filters, tangents, wanted, strict=True)
            both = two_sided(*(forward_ad.make_dual(k, t) if moves else k for k, t, moves in each), *settings)
            assert torch.equal(forward_ad.unpack_dual(both).tangent, expected)
    found = torch.func.jvp(lambda *filters: two_sided(*filters, *settings), filters, tuple(tangents))[1]
    assert torch.equal(found, two_sided(*tangents, *settings))
    k, k_reverse = filters
    found = torch.func.jvp(lambda k: two_sided(k, k_reverse, *settings), (k,), (tangents[0],))[1]
    assert torch.equal(found, two_sided(tangents[0], torch.zeros_like(k_reverse), *settings))


@pytest.mark.parametrize("axes", ((0, None), (None, 0), (1, 0), (2, 1)))
@pytest.mark.parametrize("reverse_lag", (0, 1))
def test_vmap_over_filters(device, axes, reverse_lag):
    shapes, settings = ((2, 20), (2, 23)), (20, 40, reverse_lag)
    many = [
        leaf(device, *shape) if axis is None else leaf(device, 3, *shape).movedim(0, axis)
        for shape, axis in zip(shapes, axes, strict=True)
    ]
    ones = [[t if axis is None else t.select(axis, i) for t, axis in zip(many, axes, strict=True)] for i in range(3)]

    def call(k, k_reverse):
        return two_sided(k, k_reverse, *settings)

    both, expected = torch.vmap(call, axes)(*many), torch.stack([call(*one) for one in ones])
    assert torch.equal(both, expected)
    gradient = torch.randn_like(both)
    found = torch.autograd.grad(both, many, gradient)
    for one, other in zip(found, torch.autograd.grad(expected, many, gradient), strict=True):
        assert error(one, other) < 1e-14

    def loss(k, k_reverse):
        return call(k, k_reverse).pow(3).sum()

    found = torch.vmap(torch.func.grad(loss, (0, 1)), axes)(*many)
    for i, one in enumerate(ones):
        for each, other in zip(found, torch.autograd.grad(loss(*one), one), strict=True):
            assert error(each[i], other) < 1e-14


@pytest.mark.parametrize("reverse_lag", (0, 1))
def test_jacobians_and_hessians(device, reverse_lag):
    u, k = leaf(device, 1, 1, 10).detach(), leaf(device, 1, 10).detach()
    both = {"mode": "bidirectional", "reverse_lag": reverse_lag}

    def call(k):
        return ffc_torch.fft_conv(u, k, k_reverse=2 * k.flip(0), **both)

    jacobians = [transform(call)(k).reshape(10, 10) for transform in (torch.func.jacrev, torch.func.jacfwd)]
    assert error(jacobians[0] @ k[0], call(k)[0, 0]) < 1e-12 and error(*jacobians) < 1e-12
    hessian = torch.func.hessian(lambda k: call(k).square().sum())(k).reshape(10, 10)
    assert error(hessian, 2 * jacobians[0].T @ jacobians[0]) < 1e-12


@pytest.mark.parametrize("batch", (0, 2))
def test_half_precision_rows_with_groups(device, batch):
    u = torch.randn(batch, 4, 256, device=device).half()
    k, k_reverse = (torch.randn(2, 256, device=device).div(16).requires_grad_() for _ in range(2))
    y = ffc_torch.fft_conv(u, k, mode="bidirectional", k_reverse=k_reverse)
    dy = torch.randn_like(y)
    exact = [t.detach().double().requires_grad_() for t in (k, k_reverse)]
    behind, ahead = (t.repeat_interleave(2, 0) for t in exact)
    reference = conv(u.double(), behind) + conv(u.double().flip(-1), ahead).flip(-1)
    found = torch.autograd.grad(y, (k, k_reverse), dy)
    for one, other in zip(found, torch.autograd.grad(reference, exact, dy.double()), strict=True):
        assert one.norm() == 0 if batch == 0 else error(one, other) < 2e-3
