#!/usr/bin/env bash
# Installs torch and pytest into a virtual environment below build/, builds the wheel, installs it and runs all tests of
# the PyTorch package: without a GPU on the host, which runs the emitted kernels.
#   --torch VERSION   another torch, as pip writes it: --torch '2.10.*'
#   further options go to pytest
# FFC_TORCH_VENV names a virtual environment to use instead, which has torch, pytest and scikit-build-core.
set -euo pipefail
cd "$(dirname "$0")/../.."
root=$PWD

torch=torch
if [ "${1:-}" = --torch ]; then
  torch="torch==$2"
  shift 2
fi
name=${torch//[^a-z0-9.]/}
environment=${FFC_TORCH_VENV:-$root/build/torch-venv-$name}
python=$environment/bin/python
if ! [ -e "$python" ]; then
  echo "installing $torch into ${environment#"$root"/}"
  python3 -m venv "$environment"
  "$python" -m pip install --quiet --disable-pip-version-check "$torch" pytest numpy 'scikit-build-core>=0.10' ninja
fi

echo "building the wheel"
wheels=$root/build/wheel-dist
rm -rf "$wheels"
mkdir -p "$wheels"
PATH=$environment/bin:$PATH "$python" -m pip wheel --quiet --disable-pip-version-check --no-build-isolation --no-deps \
  --wheel-dir "$wheels" . >"$root/build/wheel.log" 2>&1 || { cat "$root/build/wheel.log"; exit 1; }
ls -l "$wheels"
"$python" -m pip install --quiet --disable-pip-version-check --no-deps --force-reinstall "$wheels"/*.whl

# From elsewhere, so that what is imported is what was installed; no test touches the user's cache.
export FFC_CACHE_DIR=${FFC_CACHE_DIR:-$root/build/torch-cache}
unset PYTHONPATH FFC_TORCH_LIBRARY
cd "$root/tests/torch"
"$python" -m pytest -q -p no:cacheprovider "$@" .
