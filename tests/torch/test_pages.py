"""The Python of the pages runs as it stands, of fewer channels and on the device that there is."""

import re
from pathlib import Path

import pytest
import torch

import ffc_torch

ROOT = Path(__file__).parents[2]
CHANNELS, LENGTH = 2, 512


def blocks(page: str) -> list[str]:
    """Its blocks of Python that call ffc_torch, but those of several processes."""
    found = re.findall(r"^```python\n(.*?)^```", (ROOT / page).read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    return [text for text in found if "ffc_torch." in text]


@pytest.mark.parametrize("page", ("README.md", "runtime/torch/README.md"))
def test_blocks_run(device, page):
    assert blocks(page), f"{page} shows nothing"
    for text in blocks(page):

        def rows():
            return torch.randn(1, CHANNELS, LENGTH, device=device).bfloat16()

        names = {name: rows() for name in ("u", "v", "w", "x1", "x2")}
        names |= {"k": torch.randn(CHANNELS, LENGTH, device=device) / LENGTH**0.5, "D": torch.ones(CHANNELS).to(device)}
        names |= {"torch": torch, "ffc_torch": ffc_torch}
        text = text.replace('"cuda"', repr(device.type)).replace("768", str(CHANNELS)).replace("4096", str(LENGTH))
        exec(compile(text, page, "exec"), names)
        assert names["y"].shape[1:] == (CHANNELS, LENGTH) and names["y"].isfinite().all()
