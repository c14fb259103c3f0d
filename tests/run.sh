#!/usr/bin/env bash
# Installs what is missing, builds with warnings as errors, checks the formatting and runs all tests.
set -euo pipefail
cd "$(dirname "$0")/.."
source tests/setup.sh

ffc_setup doctest-dev libcli11-dev

# Other versions of clang-format disagree about details.
if command -v clang-format >/dev/null && clang-format --version | grep -q 'version 14\.' &&
  git rev-parse --git-dir >/dev/null 2>&1; then
  echo "checking the formatting"
  git ls-files -z -- '*.cpp' '*.hpp' | xargs -0 -r clang-format --dry-run -Werror
else
  echo "formatting is not checked: it takes clang-format 14 and a git checkout"
fi

cmake --preset ci "${cmake_options[@]}"
cmake --build --preset ci -j "$(nproc)"
ctest --preset ci -j "$(nproc)"
