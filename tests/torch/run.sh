#!/usr/bin/env bash
# Installs what is missing, torch and pytest into a virtual environment below build/, builds the wheel, installs it and
# runs all tests of the PyTorch package: without a GPU on the host, which runs the emitted kernels. Works as root on a
# bare Debian machine. Says how long each stage took.
#   --torch VERSION   another torch, as pip writes it: --torch '2.10.*'
#   --wheel FILE      that wheel, and none is built
#   further options go to pytest
# FFC_TORCH_VENV names a virtual environment to use instead, which has torch, pytest, pytest-xdist,
# scikit-build-core, auditwheel and wheel.
set -euo pipefail
cd "$(dirname "$0")/../.."
root=$PWD
source tests/setup.sh

torch=torch wheel=
while [ $# -gt 0 ]; do
  case $1 in
    --torch) torch="torch==$2"; shift 2 ;;
    --wheel) wheel=$(realpath "$2"); shift 2 ;;
    *) break ;;
  esac
done
name=${torch//[^a-z0-9.]/}
environment=${FFC_TORCH_VENV:-$root/build/torch-venv-$name}
python=$environment/bin/python
mkdir -p build

stage() {
  local begin=$SECONDS
  "${@:2}"
  echo "$1: $((SECONDS - begin)) s"
}

# CLI11 is for ffc-gen; torch.compile compiles C++ against Python.
install_packages() {
  local packages=(libfmt-dev libcli11-dev)
  command -v c++ >/dev/null || packages+=(g++)
  command -v cmake >/dev/null || packages+=(cmake)
  command -v python3 >/dev/null || packages+=(python3)
  python3 -c 'import ensurepip, venv' 2>/dev/null || packages+=(python3-venv)
  python3 -c 'import os, sysconfig; os.stat(sysconfig.get_path("include") + "/Python.h")' 2>/dev/null ||
    packages+=(python3-dev)
  ffc_install "${packages[@]}"
}

install_torch() {
  [ -e "$environment/complete" ] || [ -n "${FFC_TORCH_VENV:-}" ] && return
  echo "installing $torch into ${environment#"$root"/}"
  python3 -m venv --clear "$environment"
  "$python" -m pip install --quiet --disable-pip-version-check --no-cache-dir "$torch" pytest pytest-xdist numpy \
    'scikit-build-core>=0.10' ninja auditwheel wheel
  touch "$environment/complete"
}

build_wheel() {
  rm -rf build/wheel-dist
  PATH=$environment/bin:$PATH "$python" -m pip wheel --quiet --disable-pip-version-check --no-build-isolation --no-deps \
    --config-settings "cmake.define.FFC_PYTHON=$python" --wheel-dir build/wheel-dist . >build/wheel.log 2>&1 ||
    { cat build/wheel.log; return 1; }
  wheel=$(echo "$root"/build/wheel-dist/*.whl)
}

# The oldest manylinux whose symbols the wheel's libraries ask for. auditwheel would have libtorch_cpu inside, which
# comes with torch, so it names the tag and does not set it.
tag_wheel() {
  local tag
  tag=$("$python" -m auditwheel show "$wheel" | tr '\n' ' ' |
    sed -n 's/.*constrains the platform tag to "\([a-z0-9_]*\)".*/\1/p')
  [ -n "$tag" ] || { echo "auditwheel names no tag for $wheel" >&2; return 1; }
  "$python" -m wheel tags --remove --platform-tag "$tag" "$wheel" >/dev/null
  wheel=$(echo "$root"/build/wheel-dist/*.whl)
}

run_tests() {
  ls -l "$wheel"
  "$python" -m pip install --quiet --disable-pip-version-check --no-deps --force-reinstall "$wheel"
  # From elsewhere, so that what is imported is what was installed; no test touches the user's cache.
  export FFC_CACHE_DIR=${FFC_CACHE_DIR:-$root/build/torch-cache}
  unset PYTHONPATH FFC_TORCH_LIBRARY
  # PyTorch's caches of compiled graphs do not notice that an operator's gradients have changed.
  export TORCHINDUCTOR_FORCE_DISABLE_CACHES=1
  cd "$root/tests/torch"
  # Host kernels take most of the time, and files share few of them.
  "$python" -m pytest -q -p no:cacheprovider --numprocesses "$(nproc)" --maxprocesses 8 --dist loadfile "$@" .
}

stage "installing" install_packages
stage "torch" install_torch
if [ -z "$wheel" ]; then
  stage "the wheel" build_wheel
  tag_wheel
fi
stage "tests" run_tests "$@"
