"""The device of the tests: the GPU where there is one, else the CPU, where ffc's host runs the emitted kernels."""

import os

import pytest
import torch

if not torch.cuda.is_available():
    os.environ["FFC_DEVICE"] = "host"  # read when ffc_torch is imported


@pytest.fixture(scope="session")
def device() -> torch.device:
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")


@pytest.fixture(autouse=True)
def fresh_seed():
    """Fresh data in every run; the seed is printed where a test fails."""
    print(f"seed {torch.seed()}")


def pytest_collection_modifyitems(items):
    if torch.cuda.is_available():
        return
    for item in items:
        if item.get_closest_marker("cuda"):
            item.add_marker(pytest.mark.skip(reason="needs a GPU that PyTorch can use"))


def pytest_configure(config):
    config.addinivalue_line("markers", "cuda: needs a GPU")
