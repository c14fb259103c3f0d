#!/usr/bin/env bash
# Installs what is missing, builds the library with its examples, and runs the program quickstart.
set -euo pipefail
cd "$(dirname "$0")/.."
source tests/setup.sh

ffc_setup libcli11-dev

build=build/quickstart
cmake -S . -B "$build" -DCMAKE_BUILD_TYPE=Release -DFFC_BUILD_TESTS=OFF -DFFC_BUILD_TOOLS=OFF "${cmake_options[@]}"
cmake --build "$build" -j "$(nproc)"
exec "$build/examples/quickstart" "$@"
