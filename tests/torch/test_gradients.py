"""Gradients against float64, along random directions, and of the float32 path by gradcheck."""

import pytest
import torch

import ffc_torch
from reference import LONG_ROWS, ROWS, Calls, Problem, conv, error, gradient_bound, skip_scale

HALF = (torch.float16, torch.bfloat16)


def gradients_of(y, problem, dy):
    return dict(zip(problem.leaves(), torch.autograd.grad(y, list(problem.leaves().values()), dy), strict=True))


def check_all(problem, dtype, points=None, **keywords):
    y = ffc_torch.fft_conv(problem.u, problem.k, **problem.keywords(), **keywords)
    dy = torch.randn_like(y)
    exact = problem.exact()
    expected = gradients_of(conv(*exact.all(), points=points), exact, dy.double())
    for name, gradient in gradients_of(y, problem, dy).items():
        assert gradient.dtype == getattr(problem, name).dtype and gradient.shape == getattr(problem, name).shape
        scale = skip_scale(exact, dy) if name == "skip" else None
        assert error(gradient, expected[name], scale) < gradient_bound(name, dtype), name


@pytest.mark.parametrize("dtype", HALF)
@pytest.mark.parametrize("gates", ((False, False), (True, False), (False, True), (True, True)))
def test_causal(device, dtype, gates):
    check_all(Problem.random((3, 2, 512), 512, dtype, device, skip=True, in_gate=gates[0], out_gate=gates[1]), dtype)


@pytest.mark.parametrize("length", (333, 1000))
def test_odd_lengths(device, length):
    check_all(Problem.random((2, 2, length), 100, torch.float16, device, skip=True), torch.float16)


def test_circular_and_padded(device):
    circular = Problem.random((2, 2, 512), 512, torch.float16, device)
    check_all(circular, torch.float16, points=512, padding="circular")
    padded = Problem.random((2, 2, 300), 200, torch.float16, device)
    check_all(padded, torch.float16, points=512, padding="padded", fft_length=512)


@pytest.mark.parametrize("length", (512, 2560))
def test_one_circular_row(device, length):
    """A kernel of its own, which takes the spectrum of that for any batch."""
    check_all(Problem.random((1, 2, length), length, torch.float16, device), torch.float16, length, padding="circular")


@pytest.mark.parametrize(("batch", "length"), ((1, 65536), (2, 40000), (3, 40000), (3, 100000)))
def test_rows_past_one_block(device, batch, length):
    check_all(Problem.random((batch, 1, length), length, torch.bfloat16, device), torch.bfloat16)


def test_both_directions(device):
    p = Problem.random((2, 2, 256), 256, torch.float16, device)
    ahead = (torch.randn(2, 256, device=device) / 16).requires_grad_()
    y = ffc_torch.fft_conv(p.u, p.k, mode="bidirectional", k_reverse=ahead)
    dy = torch.randn_like(y)
    exact, exact_ahead = p.exact(), ahead.detach().double().requires_grad_()
    reference = conv(exact.u, exact.k) + conv(exact.u.flip(-1), exact_ahead).flip(-1)
    found = torch.autograd.grad(y, (p.u, p.k, ahead), dy)
    expected = torch.autograd.grad(reference, (exact.u, exact.k, exact_ahead), dy.double())
    for name, one, other in zip(("u", "k", "k"), found, expected, strict=True):
        assert error(one, other) < gradient_bound(name, torch.float16)


def test_shared_filters_sum_over_their_channels(device):
    u, k = torch.randn(2, 6, 256, device=device).half(), (torch.randn(3, 256, device=device) / 16).requires_grad_()
    dy = torch.randn_like(u)
    (found,) = torch.autograd.grad(ffc_torch.fft_conv(u, k), k, dy)
    exact = k.detach().double().requires_grad_()
    (expected,) = torch.autograd.grad(conv(u.double(), exact.repeat_interleave(2, 0)), exact, dy.double())
    assert error(found, expected) < gradient_bound("k", torch.float16)


def test_some_of_them(device):
    """Only what somebody needs is computed, and it is the same."""
    p = Problem.random((2, 2, 256), 256, torch.float16, device, skip=True, in_gate=True)
    y = ffc_torch.fft_conv(p.u, p.k, **p.keywords())
    dy = torch.randn_like(y)
    everything = gradients_of(y, p, dy)
    for name, tensor in p.leaves().items():
        others = {n: t if n == name else t.detach() for n, t in p.leaves().items()}
        y = ffc_torch.fft_conv(others.pop("u"), others.pop("k"), **others)
        (alone,) = torch.autograd.grad(y, tensor, dy)
        assert error(alone, everything[name]) < 1e-3, name


def test_filters_in_half_precision(device):
    p = Problem.random((2, 2, 256), 256, torch.bfloat16, device)
    k = p.k.detach().bfloat16().requires_grad_()
    ffc_torch.fft_conv(p.u, k).float().sum().backward()
    assert k.grad.dtype == torch.bfloat16


def test_directional_derivatives(device):
    """(f(x + h d) - f(x - h d)) / 2 h of sums in float64, with rows that float16 holds exactly."""
    p = Problem.random((2, 2, 256), 256, torch.float16, device, skip=True, in_gate=True, out_gate=True)
    weights = torch.randn(2, 2, 256, device=device, dtype=torch.float64)

    def result(tensors):
        y = ffc_torch.fft_conv(tensors["u"], tensors["k"], **{n: tensors[n] for n in ("skip", "in_gate", "out_gate")})
        return y.double()

    (result(p.leaves()) * weights).sum().backward()
    for name, tensor in p.leaves().items():
        # The map is linear in each of them, so a step may be as long as the tensor itself. Of a skip term that is near
        # zero results' own roundings would be all there is.
        direction = torch.sign(torch.randn_like(tensor)) * tensor.detach().abs().clamp(min=1 if name == "skip" else 0)
        with torch.no_grad():
            ends = [result({**p.leaves(), name: tensor.detach() + sign * direction}) for sign in (1, -1)]
        difference = ((ends[0] - ends[1]) * weights).sum().item() / 2
        derivative = (tensor.grad.double() * direction.double()).sum().item()
        # Errors of results come to 1e-3 of their norm, under weights of variance 1.
        rounding = 1e-3 * max(end.norm().item() for end in ends)
        scale = tensor.grad.double().norm().item() * direction.double().norm().item()
        assert abs(difference - derivative) < 5 * rounding + 1e-3 * scale, name


def test_gradcheck_of_float32_rows(device):
    def leaf(*shape):
        return torch.randn(*shape, dtype=torch.float64, device=device, requires_grad=True)

    u, k, d, w, v = leaf(2, 2, 20), leaf(2, 9), leaf(2), leaf(2, 2, 20), leaf(2, 2, 20)

    def call(u, k, d, w, v):
        return ffc_torch.fft_conv(u, k, skip=d, in_gate=w, out_gate=v)

    assert torch.autograd.gradcheck(call, (u, k, d, w, v))
    assert torch.autograd.gradgradcheck(call, (u, k, d, w, v))
    p = Problem.random((2, 2, 256), 256, torch.float32, device, skip=True, in_gate=True, out_gate=True)
    y, exact = ffc_torch.fft_conv(p.u, p.k, **p.keywords()), p.exact()
    dy = torch.randn_like(y)
    expected = gradients_of(conv(*exact.all()), exact, dy.double())
    for name, gradient in gradients_of(y, p, dy).items():
        assert error(gradient, expected[name]) < 2e-6, name


def test_double_backward_is_refused(device):
    p = Problem.random((2, 2, 256), 256, torch.float16, device)
    y = ffc_torch.fft_conv(p.u, p.k)
    (du,) = torch.autograd.grad(y.float().square().sum(), p.u, create_graph=True)
    with pytest.raises(RuntimeError, match="first gradients only"):
        du.float().sum().backward()


@pytest.mark.parametrize("magnitude", (1e-30, 1e-8, 1e-4, 1e3, 1e8, 1e30))
def test_gradients_of_any_magnitude(device, magnitude):
    p = Problem.random((2, 2, 512), 512, torch.bfloat16, device, skip=True, in_gate=True, out_gate=True)
    y = ffc_torch.fft_conv(p.u, p.k, **p.keywords())
    dy = (torch.randn(y.shape, device=device) * magnitude).bfloat16()
    exact = p.exact()
    expected = gradients_of(conv(*exact.all()), exact, dy.double())
    for name, gradient in gradients_of(y, p, dy).items():
        scale = skip_scale(exact, dy) if name == "skip" else None
        assert error(gradient, expected[name], scale) < gradient_bound(name, torch.bfloat16), name


GATES_FAR_FROM_ONE = {torch.float16: (1e-4, 1e-2, 1e2, 1e4), torch.bfloat16: (1e-6, 1e-4, 1e4, 1e6)}


@pytest.mark.parametrize(("dtype", "gate"), [(d, gate) for d, gates in GATES_FAR_FROM_ONE.items() for gate in gates])
@pytest.mark.parametrize("magnitude", (1e-8, 1.0))
@pytest.mark.parametrize("delayed", (False, True))
def test_gradients_behind_out_gates_of_any_magnitude(device, dtype, gate, magnitude, delayed):
    """What the kernels transform is dy . out_gate."""
    magnitude = max(magnitude, torch.finfo(dtype).smallest_normal / 50)  # float16 has no 1e-8
    p = Problem.random((2, 2, 512), 512, dtype, device, skip=True, in_gate=True, out_gate=True)
    p.out_gate = (p.out_gate.detach() * gate).requires_grad_()
    scale = torch.zeros((), device=device) if delayed else True
    y = ffc_torch.fft_conv(p.u, p.k, **p.keywords(), scale_gradients=scale)
    dy = (torch.randn(y.shape, device=device) * magnitude).to(dtype)
    exact = p.exact()
    expected = gradients_of(conv(*exact.all()), exact, dy.double())
    for name, gradient in gradients_of(y, p, dy).items():
        largest = expected[name].abs().max().item()
        if dtype == torch.float16 and name not in ("k", "skip") and not 1e-3 < largest < 6e4:
            continue  # a result that float16 does not hold
        off = skip_scale(exact, dy) if name == "skip" else None
        assert error(gradient, expected[name], off) < gradient_bound(name, dtype), name


@pytest.mark.parametrize("magnitude", (1e-6, 1e-3, 1e4))
def test_filter_gradients_of_small_and_large_float16_rows(device, magnitude):
    p = Problem.random((2, 2, 512), 512, torch.float16, device)
    dy = (torch.randn(p.u.shape, device=device) * magnitude).half()
    exact = p.exact()
    (expected,) = torch.autograd.grad(conv(exact.u, exact.k), exact.k, dy.double())
    (found,) = torch.autograd.grad(ffc_torch.fft_conv(p.u, p.k), p.k, dy)
    assert error(found, expected) < gradient_bound("k", torch.float16)


def test_gradients_of_zeros_and_of_what_is_not_finite(device):
    p = Problem.random((2, 2, 256), 256, torch.bfloat16, device)
    y = ffc_torch.fft_conv(p.u, p.k)
    assert all(g.abs().sum() == 0 for g in torch.autograd.grad(y, (p.u, p.k), torch.zeros_like(y), retain_graph=True))
    dy = torch.ones_like(y)
    dy[0, 0, 5] = float("inf")
    assert not torch.autograd.grad(y, p.k, dy)[0][0].isfinite().all()


def test_gradients_unscaled(device):
    p = Problem.random((2, 2, 512), 512, torch.bfloat16, device)
    dy = torch.randn_like(p.u)
    expected = torch.autograd.grad(ffc_torch.fft_conv(p.u, p.k), (p.u, p.k), dy)
    found = torch.autograd.grad(ffc_torch.fft_conv(p.u, p.k, scale_gradients=False), (p.u, p.k), dy)
    assert all(error(one, other) < 5e-3 for one, other in zip(found, expected, strict=True))


@pytest.mark.parametrize("magnitude", (1e-20, 1e-8, 1e6, 1e15))
@pytest.mark.parametrize("gated", (False, True))
def test_rows_of_any_magnitude(device, magnitude, gated):
    """Without scale_rows they lose accuracy or are not finite."""
    p = Problem.random((2, 2, 512), 512, torch.bfloat16, device, skip=True, in_gate=gated, out_gate=gated)
    p.u = (p.u.detach() * magnitude).requires_grad_()
    if gated:
        p.in_gate = (p.in_gate.detach() * magnitude**0.5).requires_grad_()
    exact = p.exact()
    reference = conv(*exact.all())
    y = ffc_torch.fft_conv(p.u, p.k, **p.keywords())
    assert error(y, reference) < ROWS[torch.bfloat16]
    dy = torch.randn_like(y)
    expected = gradients_of(reference, exact, dy.double())
    for name, gradient in gradients_of(y, p, dy).items():
        scale = skip_scale(exact, dy) if name == "skip" else None
        assert error(gradient, expected[name], scale) < gradient_bound(name, torch.bfloat16), name
    with torch.no_grad():
        unscaled = ffc_torch.fft_conv(p.u, p.k, **p.keywords(), scale_rows=False)
    assert not error(unscaled, reference) < ROWS[torch.bfloat16]


@pytest.mark.parametrize("length", (66013, 34001))
def test_long_rows_are_measured_once(device, length):
    """By the kernel ahead of the convolution, which gradients are told of. Short ones are by each kernel itself, and so
    are those that go alone."""
    long = Problem.random((3, 2, length), length, torch.bfloat16, device, in_gate=True)
    with torch.no_grad():
        long.u.mul_(torch.tensor([1e-20, 1e10], device=device)[:, None])
    with Calls() as calls:
        check_all(long, torch.bfloat16)
        check_all(Problem.random((2, 2, 512), 512, torch.bfloat16, device), torch.bfloat16)
    found, nothing = (arguments[2] for name, arguments in calls.made if name == "ffc_torch.gradients.default")
    largest = (long.u * long.in_gate).abs().amax(2).float().T
    assert nothing.shape == (2, 0) and found.shape == largest.shape
    assert ((found / largest - 1).abs() < 2.0**-7).all()


@pytest.mark.parametrize(
    ("length", "gated"), ((34000, False), (34000, True), (34001, False), (34001, True), (262144, False))
)
def test_long_rows_of_one_channel_of_different_magnitudes(device, length, gated):
    """Each has a power of two of its own where rows go one by one. All are as much of dk."""
    p = Problem.random((3, 1, length), length, torch.bfloat16, device, in_gate=gated, out_gate=gated)
    sizes = torch.tensor([1.0, 1e-12, 1e8], device=device)[:, None, None]
    p.u = (p.u.detach() * sizes).bfloat16().requires_grad_()
    y = ffc_torch.fft_conv(p.u, p.k, **p.keywords())
    dy = (torch.randn_like(y) / sizes).bfloat16()
    exact = p.exact()
    reference = conv(*exact.all())
    expected, found = gradients_of(reference, exact, dy.double()), gradients_of(y, p, dy)
    assert error(found["k"], expected["k"]) < gradient_bound("k", torch.bfloat16)
    for b in range(3):
        assert error(y[b], reference[b]) < LONG_ROWS[torch.bfloat16], b
        for name in found.keys() - {"k"}:
            assert error(found[name][b], expected[name][b]) < gradient_bound(name, torch.bfloat16), (name, b)


@pytest.mark.parametrize("learned", ("u", "k"))
def test_some_gradients_of_long_rows_of_any_magnitude(device, learned):
    """What forward finds in its columns is no one's to take; gradients of one tensor are measured ahead."""
    p = Problem.random((1, 1, 262144), 262144, torch.bfloat16, device)
    p.u = (p.u.detach() * 1e-20).bfloat16().requires_grad_(learned == "u")
    p.k.requires_grad_(learned == "k")
    y = ffc_torch.fft_conv(p.u, p.k)
    dy = (torch.randn_like(y) * 1e15).bfloat16()
    (found,) = torch.autograd.grad(y, getattr(p, learned), dy)
    exact = p.exact()
    (expected,) = torch.autograd.grad(conv(*exact.all()), getattr(exact, learned), dy.double())
    assert error(found, expected) < gradient_bound(learned, torch.bfloat16)


def test_rows_and_channels_of_different_magnitudes(device):
    """Rows of bfloat16 each have a power of two of their own, their gradients and those of taps each two rows."""
    p = Problem.random((2, 3, 512), 512, torch.bfloat16, device)
    sizes = torch.tensor([1e-25, 1.0, 1e12], device=device)[:, None]
    p.u = (p.u.detach() * sizes).bfloat16().requires_grad_()
    dy = (torch.randn_like(p.u) * sizes.flip(0)).bfloat16()
    exact = p.exact()
    reference = conv(*exact.all())
    expected = gradients_of(reference, exact, dy.double())
    for h in range(3):
        found = gradients_of(ffc_torch.fft_conv(p.u, p.k), p, dy)
        assert error(found["u"][:, h], expected["u"][:, h]) < gradient_bound("u", torch.bfloat16)
        assert error(found["k"][h], expected["k"][h]) < gradient_bound("k", torch.bfloat16)
    rows = (
        torch.randn(2, 3, 512, device=device) * torch.tensor([1e-20, 1e20], device=device)[:, None, None]
    ).bfloat16()
    y, reference = ffc_torch.fft_conv(rows, p.k), conv(rows.double(), p.k.double())
    for b in range(2):
        assert error(y[b], reference[b]) < ROWS[torch.bfloat16]


def test_float16_rows_near_its_ends(device):
    for magnitude in (1e-4, 1e3):
        p = Problem.random((2, 2, 512), 512, torch.float16, device)
        p.u = (p.u.detach() * magnitude).requires_grad_()
        y = ffc_torch.fft_conv(p.u, p.k, scale_rows=True)
        prepared = ffc_torch.prepare_filter(p.k, 512, dtype=torch.float16)
        assert error(y, conv(p.u.double(), p.k.double())) < ROWS[torch.float16]
        assert torch.equal(ffc_torch.fft_conv(p.u, prepared, scale_rows=True), y)


def test_a_model_with_tiny_gradients_learns_as_with_torch_fft(device):
    """A loss of 1e-8 of its size, two long convolutions deep: the same steps, but for rounding."""
    torch.manual_seed(5)
    layers = torch.nn.Sequential(*(ffc_torch.LongConv(2, 256, device=device) for _ in range(2)))
    start = {name: tensor.clone() for name, tensor in layers.state_dict().items()}
    u, target = torch.randn(2, 4, 2, 256, device=device).unbind()
    learnt = []
    for dtype in (torch.float32, torch.bfloat16):
        layers.load_state_dict(start)
        optimizer = torch.optim.SGD(layers.parameters(), lr=1e7)
        for _ in range(5):
            optimizer.zero_grad()
            loss = 1e-8 * (layers(u.to(dtype)).float() - target).square().mean()
            loss.backward()
            optimizer.step()
        learnt.append({name: tensor - start[name] for name, tensor in layers.state_dict().items()})
    for name, change in learnt[0].items():
        assert change.norm() > 0 and error(learnt[1][name], change) < 3e-2, name


def gradient_of_taps(module, u, dy):
    return torch.autograd.grad(module(u), module.k, dy)[0]


def delayed(device, length=256):
    return ffc_torch.LongConv(2, length, skip=False, scale_gradients="delayed", device=device)


def test_the_scale_of_the_step_before(device):
    """float16 gradients that shrink from step to step are as accurate as with the scale of each."""
    module, u = delayed(device), torch.randn(2, 2, 256, device=device).half()
    exact = module.k.detach().double().requires_grad_()
    for magnitude in (1e-2, 4e-3, 1e-3, 2e-4):
        dy = (torch.randn_like(u) * magnitude).half()
        (expected,) = torch.autograd.grad(conv(u.double(), exact), exact, dy.double())
        assert error(gradient_of_taps(module, u, dy), expected) < gradient_bound("k", torch.float16)
        largest = dy.abs().max().item()
        assert largest / 2 < module.gradient_scale.item() <= largest
    kept = module.gradient_scale.item()
    for dy in (torch.zeros_like(u), torch.full_like(u, float("inf")), torch.full_like(u, float("nan")), u[:0]):
        gradient_of_taps(module, u[: len(dy)], dy)
        assert module.gradient_scale.item() == kept


@pytest.mark.parametrize("magnitude", (1e-20, 1e10))
def test_the_scale_of_the_step_before_beside_rows_of_any_magnitude(device, magnitude):
    """Of the rows kernels find it."""
    module, u = delayed(device), (torch.randn(2, 2, 256, device=device) * magnitude).bfloat16()
    exact = module.k.detach().double().requires_grad_()
    dy = torch.randn_like(u)
    (expected,) = torch.autograd.grad(conv(u.double(), exact), exact, dy.double())
    assert error(gradient_of_taps(module, u, dy), expected) < gradient_bound("k", torch.bfloat16)


def test_the_scale_is_saved_and_loaded(device):
    """What was loaded is what the next step takes: after one that is far off nothing is left of float16 gradients,
    where kernels do not find how large they are themselves."""
    past_one_block = 40000
    module, twin = delayed(device, past_one_block), delayed(device, past_one_block)
    u = torch.randn(2, 2, past_one_block, device=device).half()
    dy = (torch.randn_like(u) * 1e-4).half()
    gradient_of_taps(module, u, dy)
    assert set(module.state_dict()) == {"k", "gradient_scale"}
    twin.load_state_dict(module.state_dict())
    assert torch.equal(gradient_of_taps(twin, u, dy), gradient_of_taps(module, u, dy))
    far_off = {**module.state_dict(), "gradient_scale": torch.tensor(2.0**15)}
    twin.load_state_dict(far_off)
    expected = gradient_of_taps(module, u, dy)
    assert not error(gradient_of_taps(twin, u, dy), expected) < 0.1
    assert error(gradient_of_taps(twin, u, dy), expected) < gradient_bound("k", torch.float16)
