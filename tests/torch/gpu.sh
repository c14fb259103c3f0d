#!/usr/bin/env bash
# Builds the operators against this machine's torch, runs the tests on its GPU and prints the table of training steps.
# For a machine without a network: nothing is installed, and pytest is unpacked from wheels in build/wheels where torch's
# Python lacks it.
#   FFC_PYTHON   the Python that has torch (python3)
#   FFC_TORCH_TESTS   options of pytest
#   options go to python -m ffc_torch.benchmark
set -euo pipefail
cd "$(dirname "$0")/../.."
python=${FFC_PYTHON:-python3}
mkdir -p build

if ! "$python" -c 'import pytest' 2>/dev/null; then
  for wheel in build/wheels/*.whl; do "$python" -m zipfile -e "$wheel" build/pytest; done
fi

cmake -S . -B build/torch -DCMAKE_BUILD_TYPE=Release -DFFC_BUILD_TORCH=ON -DFFC_BUILD_TESTS=OFF \
  -DFFC_BUILD_EXAMPLES=OFF -DFFC_BUILD_TOOLS=OFF -DFFC_INSTALL=OFF -DFFC_PYTHON="$python" >build/torch.log ||
  { cat build/torch.log; exit 1; }
cmake --build build/torch -j "$(nproc)" >>build/torch.log || { tail -50 build/torch.log; exit 1; }

export PYTHONPATH=$PWD/runtime/torch:$PWD/build/pytest FFC_TORCH_LIBRARY=$PWD/build/torch/runtime/torch/libffc_torch.so
export FFC_CACHE_DIR=${FFC_CACHE_DIR:-$PWD/build/gpu-cache}
"$python" -m ffc_torch.info
tests=0
# shellcheck disable=SC2086 - words of options
timeout 240 "$python" -m pytest -q tests/torch ${FFC_TORCH_TESTS:-} || tests=$?
timeout 150 "$python" -m ffc_torch.benchmark "$@"
exit "$tests"
