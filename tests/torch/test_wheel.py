"""What was installed: one wheel for every Python and PyTorch, with all that it promises inside."""

import importlib.metadata
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import torch

import ffc_torch
from ffc_torch import _library

try:
    distribution = importlib.metadata.distribution("ffc-torch")
except importlib.metadata.PackageNotFoundError:
    distribution = None

pytestmark = pytest.mark.skipif(
    distribution is None or not Path(ffc_torch.__file__).is_relative_to(distribution.locate_file("")),
    reason="ffc_torch is not installed from a wheel",
)


def tag() -> str:
    return re.search(r"^Tag: (.*)$", distribution.read_text("WHEEL"), re.MULTILINE)[1]


def test_version():
    assert distribution.version == ffc_torch.__version__


def test_types_are_inside():
    assert (Path(ffc_torch.__file__).parent / "py.typed").exists()


def test_the_tag_is_right():
    """No Python and no ABI of one, and the glibc that the libraries ask for."""
    assert tag().startswith("py3-none-")
    platform = re.fullmatch(r"py3-none-manylinux_2_(\d+)_x86_64", tag())
    if platform is None:
        pytest.skip(f"installed as {tag()}, for this machine alone")
    binaries = _library.library_path(), Path(ffc_torch.__file__).parent / "bin" / "ffc-gen"
    needed = {int(minor) for file in binaries for minor in re.findall(rb"GLIBC_2\.(\d+)", file.read_bytes())}
    assert max(needed) <= int(platform[1]), f"glibc 2.{max(needed)} is asked for"


def test_what_it_links_to():
    """Neither CUDA nor NVRTC nor a Python: torch_cpu and what every Linux has."""
    needed = subprocess.run(
        [shutil.which("readelf") or "readelf", "-d", _library.library_path()],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    names = set(re.findall(r"Shared library: \[(.*?)\]", needed))
    usual = {"libc.so.6", "libm.so.6", "libstdc++.so.6", "libgcc_s.so.1", "ld-linux-x86-64.so.2", "libdl.so.2"}
    assert names - usual == {"libtorch_cpu.so"}


def test_size():
    files = [distribution.locate_file(file) for file in distribution.files]
    assert sum(Path(file).stat().st_size for file in files) < 16 << 20


def test_ffc_gen(tmp_path):
    program = Path(sys.executable).parent / "ffc-gen"
    plan = subprocess.run([program, "--lengths", "4096", "--plan"], capture_output=True, text=True, check=False)
    assert plan.returncode == 0 and "4096" in plan.stdout, plan.stderr
    environment = {"FFC_CACHE_DIR": str(tmp_path), "PATH": "/usr/bin:/bin"}
    if _library.nvrtc_path() is None:
        pytest.skip(f"torch {torch.__version__} brings no NVRTC")
    compiled = subprocess.run(
        [program, "--lengths", "1024"], capture_output=True, text=True, check=False, env=environment
    )
    assert compiled.returncode == 0, compiled.stdout + compiled.stderr
    assert list(tmp_path.rglob("*.cubin")), "nothing was compiled"
