"""Compiled kernels of an image: found in a cache beside one's own, and nothing compiled where that is forbidden."""

import os
import subprocess
import sys


def info(**variables):
    """python -m ffc_torch.info, whose self-test needs a kernel."""
    environment = {name: value for name, value in os.environ.items() if name != "FFC_CACHE_PATH"}
    return subprocess.run(
        [sys.executable, "-m", "ffc_torch.info"],
        env={**environment, **variables},
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_cache_that_came_with_the_image(tmp_path):
    image, own = str(tmp_path / "image"), str(tmp_path / "own")
    refused = info(FFC_CACHE_DIR=image, FFC_JIT="0")
    assert refused.returncode != 0
    assert "is in no cache, and FFC_JIT forbids to compile it" in refused.stderr
    assert info(FFC_CACHE_DIR=image).returncode == 0
    served = info(FFC_CACHE_DIR=own, FFC_CACHE_PATH=image, FFC_JIT="0")
    assert served.returncode == 0, served.stderr
    assert not os.path.exists(own)
