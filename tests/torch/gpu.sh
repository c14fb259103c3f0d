#!/usr/bin/env bash
# Builds the operators against this machine's torch, runs the tests on its GPU and prints the table of training steps.
# For a machine without a network: nothing is installed, and pytest is unpacked from wheels in build/wheels where torch's
# Python lacks it.
#   FFC_PYTHON   the Python that has torch (python3)
#   FFC_TORCH_TESTS   files of tests (all in tests/torch)
#   options go to python -m ffc_torch.benchmark; --no-table leaves that out
# Every part has a limit: 240 s for files of tests side by side, 140 s for test_cuda.py, 240 s for the table.
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
# Compilation takes most of the time: files of tests run side by side, and what counts memory and waits alone.
logs=build/gpu-tests
rm -rf "$logs"
mkdir -p "$logs"
tests=0
run() { timeout "$2" "$python" -m pytest -q -rx --durations=3 "$1" >"$logs/$(basename "$1").txt" 2>&1; }
running=()
for file in ${FFC_TORCH_TESTS:-tests/torch/test_*.py}; do
  [ "$file" = tests/torch/test_cuda.py ] || { run "$file" 240 & running+=($!); }
done
for process in "${running[@]}"; do wait "$process" || tests=1; done
case " ${FFC_TORCH_TESTS:-tests/torch/test_cuda.py} " in
  *" tests/torch/test_cuda.py "*) run tests/torch/test_cuda.py 140 || tests=1 ;;
esac
for log in "$logs"/*; do
  echo "== ${log##*/}"
  tail -n 150 "$log"
done
if [ "${1:-}" = --no-table ]; then exit "$tests"; fi
timeout 240 "$python" -m ffc_torch.benchmark "$@"
exit "$tests"
