#!/usr/bin/env bash
# Runs clang-tidy over the sources, and the tests that compile no kernels under the address and undefined-behaviour
# sanitizers.
#
#   bash tests/lint.sh [FILE...]     # clang-tidy of these files alone, and no sanitizers
set -euo pipefail
cd "$(dirname "$0")/.."
source tests/setup.sh

# Tests whose kernels are compiled at run time, or that need a GPU: their time is a compiler's.
readonly not_sanitized='^(gpu_|host_|bench|train|dna|reverb|quickstart|install_|compile_matrix|emission|arch_limits|long_filter)|_faults$'
readonly sanitized_anyway='^cache_faults$'

stage() {
  local name=$1 start=$SECONDS
  shift
  "$@"
  echo "$name: $((SECONDS - start)) s"
}

# Warnings are failures; nothing but them is printed.
tidy() {
  local log status=0
  log=$(mktemp)
  printf '%s\0' "$@" | xargs -0 -P "$(nproc)" -n 4 clang-tidy -p build/asan --quiet >"$log" 2>/dev/null || status=1
  cat "$log"
  if grep -q 'warning:\|error:' "$log"; then status=1; fi
  rm -f "$log"
  return $status
}

# Builds the programs of these tests alone: all others together take ten times as long.
sanitize() {
  local targets
  mapfile -t targets < <(ctest --preset asan -N -LE gpu -E "$not_sanitized" |
    sed -n 's/^ *Test *#[0-9]*: \(.*\)$/\1_test/p' | sed 's/^compare_page_test$/compare/')
  cmake --build --preset asan -j "$(nproc)" --target cache_faults_test "${targets[@]}"
  ctest --preset asan -j "$(nproc)" -LE gpu -E "$not_sanitized"
  ctest --preset asan -R "$sanitized_anyway"
}

ffc_setup doctest-dev libcli11-dev clang-tidy
# clang-tidy reads the commands of the build; a header that g++ has precompiled would stop it.
cmake --preset asan -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON "${cmake_options[@]}" >/dev/null
if [ $# -gt 0 ]; then
  stage "clang-tidy" tidy "$@"
  exit
fi
# What this build compiles: the Python package needs torch's headers, and the consumers an installed ffc.
mapfile -t sources < <(git ls-files '*.cpp' ':!tests/install' ':!runtime/torch')
stage "clang-tidy" tidy "${sources[@]}"
stage "sanitizers" sanitize
