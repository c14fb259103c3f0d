"""Loads the operators, and finds NVRTC where torch has put it."""

import importlib.util
import os
from pathlib import Path

import torch

__version__ = "0.1.0"


def library_path() -> Path:
    """The shared library of the operators: beside this file, or what FFC_TORCH_LIBRARY names."""
    named = os.environ.get("FFC_TORCH_LIBRARY")
    path = Path(named) if named else Path(__file__).parent / "libffc_torch.so"
    if not path.exists():
        raise ImportError(
            f"ffc_torch: {path} does not exist; install the wheel, or set FFC_TORCH_LIBRARY to a libffc_torch.so "
            "that was built with FFC_BUILD_TORCH"
        )
    return path


def nvrtc_path() -> Path | None:
    """The NVRTC that torch's wheel depends on, for the CUDA version that torch was built for; None where it brings
    none, and ffc then looks where the loader does."""
    if torch.version.cuda is None:
        return None
    major = torch.version.cuda.split(".")[0]
    spec = importlib.util.find_spec("nvidia")
    for root in (spec.submodule_search_locations or []) if spec else []:
        for folder in (f"cu{major}", "cuda_nvrtc"):
            path = Path(root) / folder / "lib" / f"libnvrtc.so.{major}"
            if path.exists():
                return path
    return None


def load() -> None:
    """Loads the operators into torch.ops.ffc_torch. Names torch's NVRTC in FFC_NVRTC_LIBRARY, unless that is set."""
    nvrtc = nvrtc_path()
    if nvrtc is not None:
        os.environ.setdefault("FFC_NVRTC_LIBRARY", str(nvrtc))
    torch.ops.load_library(str(library_path()))


load()
