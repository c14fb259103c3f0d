"""A model that AOTInductor compiles, packages, loads and runs, in a process of its own: a crash there ends no other
test, and what was printed last says how far it came.

    python tests/torch/aotinductor.py MODEL     # operator, filter, block; without ffc: sum, weights, extern
"""

import os
import sys
import tempfile

import torch

if not torch.cuda.is_available():
    os.environ["FFC_DEVICE"] = "host"  # read when ffc_torch is imported

import ffc_torch

CHANNELS, LENGTH = 2, 512


class Sum(torch.nn.Module):
    """No weight and no operator beyond PyTorch's."""

    def forward(self, u):
        return u + u.tanh()


class Weights(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.k = torch.nn.Parameter(torch.randn(CHANNELS, LENGTH))

    def forward(self, u):
        return u * self.k


class Extern(torch.nn.Module):
    """An operator of PyTorch that the package calls by name, as it calls ours."""

    def forward(self, u):
        return torch.ops.aten.cummax(u.float(), -1)[0].to(u.dtype)


class Operator(torch.nn.Module):
    """Ours, with a filter that comes with the rows."""

    def forward(self, u):
        return ffc_torch.fft_conv(u, u[0].float())


class Filter(torch.nn.Module):
    """Ours, with a filter among the package's constants."""

    def __init__(self):
        super().__init__()
        self.conv = ffc_torch.LongConv(CHANNELS, LENGTH)

    def forward(self, u):
        return self.conv(u)


class Block(torch.nn.Module):
    """Both kinds of filter, and gates."""

    def __init__(self):
        super().__init__()
        self.conv = ffc_torch.LongConv(CHANNELS, LENGTH)
        self.both = torch.nn.Parameter(torch.randn(2, CHANNELS, LENGTH) / 23)

    def forward(self, u):
        y = self.conv(u, u, u.tanh())
        return y + ffc_torch.fft_conv(u, self.both[0], mode="bidirectional", k_reverse=self.both[1])


MODELS = {model.__name__.lower(): model for model in (Sum, Weights, Extern, Operator, Filter, Block)}


def rows(batch: int, device: torch.device) -> torch.Tensor:
    return torch.randn(batch, CHANNELS, LENGTH, device=device).bfloat16()


def main(name: str) -> None:
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = MODELS[name]().to(device)
    batches = {"u": {0: torch.export.Dim("batch", min=1, max=64)}}
    with tempfile.TemporaryDirectory() as folder, torch.no_grad():
        program = torch.export.export(model, (rows(3, device),), dynamic_shapes=batches)
        print("exported", flush=True)
        path = torch._inductor.aoti_compile_and_package(program, package_path=f"{folder}/model.pt2")
        print("compiled", flush=True)
        loaded = torch._inductor.aoti_load_package(path)
        print("loaded", flush=True)
        for batch in (3, 4):
            u = rows(batch, device)
            found, expected = loaded(u), model(u)
            off = ((found.float() - expected.float()).norm() / expected.float().norm()).item()
            assert off < 1e-2, f"batch {batch}: off by {off:.1e}"  # one sum is rounded or not
        print("ran", flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
