"""torch.func: grad, vjp, jacrev and vmap through the kernels, and what to do where there is no way."""

import pytest
import torch
from torch.autograd import forward_ad

import ffc_torch
from reference import Problem, conv, error, gradient_bound

HALF = (torch.float16, torch.bfloat16)


def named(problem):
    """fft_conv as a function of a dict of tensors, and that dict."""
    tensors = {name: tensor.detach() for name, tensor in problem.leaves().items()}

    def call(tensors):
        tensors = dict(tensors)
        return ffc_torch.fft_conv(tensors.pop("u"), tensors.pop("k"), **tensors)

    return call, tensors


def equal(found, expected):
    return found.keys() == expected.keys() and all(torch.equal(found[name], expected[name]) for name in expected)


def test_gradients_that_autograd_batches(device):
    """torch.autograd.grad(is_grads_batched=True), as jacobian(vectorize=True) calls it, is a loop."""
    p = Problem.random((2, 3, 256), 200, torch.float16, device, skip=True, in_gate=True, out_gate=True)
    leaves = p.u, p.k, p.skip, p.in_gate, p.out_gate
    y = ffc_torch.fft_conv(p.u, p.k, skip=p.skip, in_gate=p.in_gate, out_gate=p.out_gate)
    many = torch.randn(3, *y.shape, device=device).to(y.dtype)
    for wanted in (leaves, (p.k, p.out_gate)):
        found = torch.autograd.grad(y, wanted, many, is_grads_batched=True, retain_graph=True)
        for i, dy in enumerate(many):
            expected = torch.autograd.grad(y, wanted, dy, retain_graph=True)
            for each, one in zip(found, expected, strict=True):
                torch.testing.assert_close(each[i], one, rtol=0, atol=0)
    with pytest.raises(RuntimeError, match="first gradients only"):
        batched = torch.autograd.grad(y, (p.u,), many, is_grads_batched=True, create_graph=True)
        torch.autograd.grad(batched[0].sum(), p.u)


def test_slices_whose_gradients_autograd_batches(device):
    p = Problem.random((2, 3, 256), 200, torch.float16, device)
    projection = torch.randn(2, 9, 256, device=device).half().requires_grad_()
    in_gate, out_gate, u = ffc_torch.chunk(projection, 3)
    y = ffc_torch.fft_conv(u, p.k, in_gate=in_gate, out_gate=out_gate)
    many = torch.randn(2, *y.shape, device=device).to(y.dtype)
    (found,) = torch.autograd.grad(y, (projection,), many, is_grads_batched=True, retain_graph=True)
    for i, dy in enumerate(many):
        (expected,) = torch.autograd.grad(y, (projection,), dy, retain_graph=True)
        torch.testing.assert_close(found[i], expected, rtol=0, atol=0)


@pytest.mark.parametrize("dtype", HALF)
@pytest.mark.parametrize("gated", (False, True))
def test_grad_is_autograd(device, dtype, gated):
    p = Problem.random((2, 3, 256), 256, dtype, device, skip=True, in_gate=gated, out_gate=gated)
    call, tensors = named(p)
    weights = torch.randn(2, 3, 256, device=device)

    def loss(tensors):
        return (call(tensors).float() * weights).sum()

    found, value = torch.func.grad_and_value(loss)(tensors)
    expected = torch.autograd.grad(loss(p.leaves()), p.leaves().values())
    assert torch.equal(value, loss(tensors))
    assert equal(found, dict(zip(p.leaves(), expected, strict=True)))
    assert torch.equal(torch.func.grad(lambda k: loss({**tensors, "k": k}))(tensors["k"]), found["k"])


def test_grad_with_prepared_filters_and_scales_of_rows(device):
    p = Problem.random((2, 3, 256), 256, torch.bfloat16, device, in_gate=True)
    prepared = ffc_torch.prepare_filter(p.k, 256, in_gate=True)

    def loss(u, filter):
        return ffc_torch.fft_conv(u, filter, in_gate=p.in_gate.detach(), scale_rows=True).float().square().sum()

    (expected,) = torch.autograd.grad(loss(p.u, prepared), p.u)
    assert torch.equal(torch.func.grad(loss)(p.u.detach(), prepared), expected)


@pytest.mark.parametrize("length", (40000, 34001))
def test_filter_gradients_of_each_long_row(device, length):
    """Forward they are rows of a batch, with magnitudes of each, and back channels of their own."""
    p = Problem.random((2, 2, length), length, torch.bfloat16, device)

    def loss(k, u):
        return ffc_torch.fft_conv(u[None], k).float().square().sum()

    found = torch.func.vmap(torch.func.grad(loss), (None, 0))(p.k.detach(), p.u.detach())
    for row, each in zip(p.u.detach(), found, strict=True):
        (expected,) = torch.autograd.grad(loss(p.k, row), p.k)
        assert error(each, expected.double()) < gradient_bound("k", torch.bfloat16)


def test_long_rows_that_have_magnitudes_of_their_own(device):
    """What forward found of each row goes with it: to a larger batch, once more for each of dy, or to channels.
    Gradients of out_gate take it, as those of taps do."""
    p = Problem.random((3, 1, 34001), 34001, torch.bfloat16, device, out_gate=True)
    sizes = torch.tensor([1.0, 1e-12, 1e8], device=device)[:, None, None]
    u, k, v = (p.u.detach() * sizes).bfloat16(), p.k.detach(), p.out_gate.detach()
    dy = (torch.randn_like(u) / sizes.flip(0)).bfloat16()
    exact = Problem(u, k, None, None, v).exact()
    y, leaves = conv(exact.u, exact.k, out_gate=exact.out_gate), (exact.u, exact.out_gate)
    expected_u, expected_v = torch.autograd.grad(y, leaves, dy.double(), retain_graph=True)
    expected_k = [torch.autograd.grad(y[b], exact.k, dy[b].double(), retain_graph=True)[0] for b in range(3)]

    def of_rows(u, v, dy):
        return torch.func.vjp(lambda u, v: ffc_torch.fft_conv(u[None], k, out_gate=v[None])[0], u, v)[1](dy)

    def of_taps(u, v, dy):
        return torch.func.vjp(lambda k: ffc_torch.fft_conv(u[None], k, out_gate=v[None])[0], k)[1](dy)[0]

    def check(name, found, expected):
        for each, of in zip(found, expected, strict=True):
            assert error(each, of) < gradient_bound(name, torch.bfloat16)

    found_u, found_v = torch.vmap(of_rows)(u, v, dy)
    check("u", found_u, expected_u)
    check("out_gate", found_v, expected_v)
    check("k", torch.vmap(of_taps)(u, v, dy), expected_k)
    of_all = torch.func.vjp(lambda u, v: ffc_torch.fft_conv(u, k, out_gate=v), u, v)[1]
    found_u, found_v = torch.vmap(of_all)(torch.stack((dy, -dy)))
    for sign, du, dv in zip((1, -1), found_u, found_v, strict=True):
        check("u", sign * du, expected_u)
        check("out_gate", sign * dv, expected_v)


@pytest.mark.parametrize(
    "axes", ({"u": 0}, {"k": 0}, {"u": 1, "in_gate": 0}, {"u": 2, "k": 1, "skip": 0, "out_gate": 3})
)
def test_vmap_is_a_loop(device, axes):
    call, tensors = named(
        Problem.random((2, 3, 256), 200, torch.float16, device, skip=True, in_gate=True, out_gate=True)
    )
    many = dict(tensors)
    for name, axis in axes.items():
        parts = [tensors[name] * factor for factor in (1, 2, -0.5, 0.25)]
        many[name] = torch.stack(parts, axis)
    y = torch.vmap(call, in_dims=({name: axes.get(name) for name in many},))(many)
    for i in range(4):
        one = {name: many[name].select(axes[name], i) if name in axes else tensors[name] for name in many}
        assert error(y[i], call(one)) < 1e-3  # rows that travel in pairs have other partners


@pytest.mark.parametrize("dtype", HALF)
def test_gradients_of_each_sample(device, dtype):
    """vmap of grad, samples of very different sizes: each has a scale of its own."""
    p = Problem.random((4, 3, 256), 256, dtype, device, skip=True, in_gate=True, out_gate=True)
    sizes = torch.tensor([1.0, 1e-3, 1e-2, 1e2], device=device)[:, None, None]
    dy = (torch.randn_like(p.u) * sizes).to(dtype)

    def loss(k, skip, u, w, v, dy):
        y = ffc_torch.fft_conv(u[None], k, skip=skip, in_gate=w[None], out_gate=v[None])[0]
        return (y.double() * dy.double()).sum()

    per_sample = torch.vmap(torch.func.grad(loss, argnums=(0, 2)), in_dims=(None, None, 0, 0, 0, 0))
    rows = p.u.detach(), p.in_gate.detach(), p.out_gate.detach()
    dk, du = per_sample(p.k.detach(), p.skip.detach(), *rows, dy)
    exact = p.exact()
    for i in range(4):
        u, k = exact.u[i : i + 1].detach().requires_grad_(), exact.k
        y = conv(u, k, exact.skip.detach(), exact.in_gate[i : i + 1].detach(), exact.out_gate[i : i + 1].detach())
        expected_u, expected_k = torch.autograd.grad(y, (u, k), dy[i : i + 1].double())
        assert error(dk[i], expected_k) < gradient_bound("k", dtype), i
        assert error(du[i], expected_u[0]) < gradient_bound("u", dtype), i


@pytest.mark.parametrize("scaled", (False, True))
def test_jacrev(device, scaled):
    u, k = torch.randn(1, 2, 32, device=device).bfloat16(), torch.randn(2, 32, device=device)
    found = torch.func.jacrev(lambda k: ffc_torch.fft_conv(u, k, scale_gradients=scaled).float())(k)
    expected = torch.func.jacrev(lambda k: conv(u.double(), k))(k.double())
    assert found.shape == (1, 2, 32, 2, 32) and error(found, expected) < gradient_bound("k", torch.bfloat16)


def test_an_ensemble_of_modules(device):
    modules = [ffc_torch.LongConv(2, 256, device=device) for _ in range(3)]
    parameters, buffers = torch.func.stack_module_state(modules)
    u = torch.randn(2, 2, 256, device=device).half()

    def call(parameters, buffers, u):
        return torch.func.functional_call(modules[0], (parameters, buffers), (u,))

    y = torch.vmap(call, in_dims=(0, 0, None))(parameters, buffers, u)
    y.float().square().sum().backward()
    for one, module, gradient in zip(y, modules, parameters["k"].grad, strict=True):
        alone = module(u)
        alone.float().square().sum().backward()
        assert error(one, alone) < 1e-3
        assert error(gradient, module.k.grad) < gradient_bound("k", torch.float16)


def test_what_there_is_no_way_for(device):
    u, k = torch.randn(1, 2, 64, device=device).half(), torch.randn(2, 64, device=device)

    def loss(k):
        return ffc_torch.fft_conv(u, k).float().square().sum()

    with pytest.raises(RuntimeError, match=r"first gradients only, .* go through torch.fft, which has second"):
        torch.func.grad(lambda k: torch.func.grad(loss)(k).sum())(k)
    with pytest.raises(RuntimeError, match=r"first gradients only"):
        torch.func.jacrev(torch.func.jacrev(loss))(k)
    with pytest.raises(RuntimeError, match=r"no forward-mode gradients .* take torch.func.vjp or jacrev"):
        torch.func.jvp(loss, (k,), (k,))
    with pytest.raises(RuntimeError, match=r"no forward-mode gradients"):
        torch.func.hessian(loss)(k)
    with forward_ad.dual_level(), pytest.raises(RuntimeError, match=r"no forward-mode gradients"):
        loss(forward_ad.make_dual(k, k))


def test_vmap_in_compiled_graphs(device):
    u, k = torch.randn(2, 3, 2, 256, device=device).half(), torch.randn(2, 256, device=device) / 16

    def many(u, k):
        return torch.vmap(lambda u: ffc_torch.fft_conv(u, k))(u).float()

    compiled = torch.compile(many, fullgraph=True, backend="aot_eager")
    k.requires_grad_()
    y, expected = compiled(u, k), many(u, k)
    dy = torch.randn_like(y)
    assert error(y, expected) < 1e-3
    assert error(torch.autograd.grad(y, k, dy)[0], torch.autograd.grad(expected, k, dy)[0]) < 1e-3


def test_float32_rows_have_all_of_it(device):
    u, k = torch.randn(1, 1, 24, device=device, dtype=torch.float64), torch.randn(1, 24, device=device).double()

    def loss(k):
        return ffc_torch.fft_conv(u, k).square().sum()

    columns = torch.func.jacrev(lambda k: ffc_torch.fft_conv(u, k))(k).reshape(24, 24)
    assert error(torch.func.hessian(loss)(k).reshape(24, 24), 2 * columns.T @ columns) < 1e-9
    assert error(torch.func.jvp(loss, (k,), (k,))[1], 2 * loss(k)) < 1e-9
