"""The console script ffc-gen: the program of that name inside the wheel, with torch's NVRTC."""

import os
import sys
from pathlib import Path

from . import _library  # noqa: F401 - names torch's NVRTC in the environment


def main() -> None:
    program = Path(__file__).parent / "bin" / "ffc-gen"
    if not program.exists():
        sys.exit(f"ffc-gen: {program} does not exist; this ffc_torch was not installed from a wheel")
    os.execv(program, [str(program), *sys.argv[1:]])
