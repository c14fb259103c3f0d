#!/usr/bin/env bash
# Installs what is missing, builds with warnings as errors, checks the formatting and runs all tests. Says how long each
# stage took.
set -euo pipefail
cd "$(dirname "$0")/.."
source tests/setup.sh

# stage NAME COMMAND...   the first that fails is the last.
stage() {
  local begin=$SECONDS
  stage_name=$1
  shift
  "$@"
  times+=("$stage_name: $((SECONDS - begin)) s")
}
times=()
finish() {
  local status=$?
  printf '%s\n' "${times[@]}"
  [ "$status" = 0 ] || echo "$stage_name failed"
}
trap finish EXIT

# Other versions of clang-format disagree about details.
check_formatting() {
  if command -v clang-format >/dev/null && clang-format --version | grep -q 'version 14\.' &&
    git rev-parse --git-dir >/dev/null 2>&1; then
    git ls-files -z -- '*.cpp' '*.hpp' | xargs -0 -r clang-format --dry-run -Werror
    bash tests/format_templates.sh
  else
    echo "formatting is not checked: it takes clang-format 14 and a git checkout"
  fi
}

stage "installing" ffc_setup doctest-dev libcli11-dev
stage "formatting" check_formatting
stage "configuring" cmake --preset ci "${cmake_options[@]}"
stage "building" cmake --build --preset ci -j "$(nproc)"
stage "testing" ctest --preset ci -j "$(nproc)"
