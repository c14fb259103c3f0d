#!/usr/bin/env bash
# Measures everything that examples/BENCHMARKS.md shows, on the GPU of this machine, into CSV files.
#
#   bash examples/measure.sh FOLDER [SECONDS]     # 240 seconds by default; parts that no longer fit are named and left
#
# Takes `bench` and `ffc-gen` from the build folder that FFC_BUILD names (build/ci by default), and builds them there
# where they are missing. Draw the tables and plots from FOLDER with `compare`; see examples/README.md.
set -euo pipefail
cd "$(dirname "$0")/.."

folder=${1:?usage: measure.sh FOLDER [SECONDS]}
seconds=${2:-240}
build=${FFC_BUILD:-build/ci}
bench=$build/examples/bench
generate=$build/runtime/tools/ffc-gen
mkdir -p "$folder"

if ! [ -x "$bench" ] || ! [ -x "$generate" ]; then
  source tests/setup.sh
  ffc_setup libcli11-dev
  cmake -S . -B "$build" -DCMAKE_BUILD_TYPE=Release -DFFC_BUILD_TESTS=OFF "${cmake_options[@]}"
  cmake --build "$build" -j "$(nproc)" --target bench ffc-gen
fi

# compiles ahead, in parallel: OPTION...
warm() { "$generate" "$@" --batch 64 --arch native --jobs "$(nproc)" >/dev/null || true; }

# Runs bench and adds its lines to FOLDER/NAME.csv, without the heading where there is one: NAME OPTION...
measure() {
  local name=$1 left=$((seconds - SECONDS)) status=0 lines
  shift
  if [ $left -lt 5 ]; then
    echo "left out, no time: $name $*"
    return 0
  fi
  lines=$(mktemp)
  timeout "$left" "$bench" --csv "$@" >"$lines" 2>"$lines.errors" || status=$?
  # Comments, of which the first names the device; the heading once; then results.
  if [ -e "$folder/$name.csv" ]; then
    grep -v '^#' "$lines" | tail -n +2 >>"$folder/$name.csv" || true
  else
    cat "$lines" >"$folder/$name.csv"
  fi
  [ $status -eq 0 ] || sed "s/^/  /" "$lines.errors"
  echo "$SECONDS s: $name $* (exit status $status, $(grep -cv '^#' "$lines" || true) lines)"
  rm -f "$lines" "$lines.errors"
}

rm -f "$folder"/{forward,causal,backward,causal_backward,digits,sparse,partial,other,bf16}.csv
warm --lengths 256..4194304
warm --lengths 256..4194304 --gated
warm --lengths 256..4194304 --padded
warm --lengths 256..4194304 --padded --gated
{
  warm --lengths 256..262144,1048576,4194304 --causal
  warm --lengths 256..4194304 --gradients du,dk
  warm --lengths 256..4194304 --gated --gradients du,dw,dv,dk
  warm --lengths 256..262144,1048576,4194304 --causal --gradients du,dk
} &
# As many bytes as measure well: long rows in fewer channels than 768, as the page says.
measure forward --lengths 256..4194304 --padding circular,half --plain --gated --gigabytes 16
wait
measure causal --padding causal --lengths 256..32768 --gigabytes 30
measure causal --padding causal --lengths 65536 --batch 32 --gigabytes 30
measure causal --padding causal --lengths 131072 --batch 16 --gigabytes 30
measure causal --padding causal --lengths 262144 --batch 8 --gigabytes 30
measure causal --padding causal --lengths 1048576 --batch 2 --gigabytes 30
measure causal --padding causal --lengths 4194304 --batch 1 --channels 384 --gigabytes 30
measure backward --backward --lengths 256..4194304 --plain --gated --gigabytes 16
measure causal_backward --backward --padding causal --lengths 256..32768 --gigabytes 40
measure causal_backward --backward --padding causal --lengths 65536 --batch 32 --gigabytes 40
measure causal_backward --backward --padding causal --lengths 131072 --batch 16 --gigabytes 40
measure causal_backward --backward --padding causal --lengths 262144 --batch 8 --gigabytes 40
measure causal_backward --backward --padding causal --lengths 1048576 --batch 2 --gigabytes 40
measure digits --digits --lengths 256..32768 --channels 192
measure sparse --sparse --lengths 2097152,32768,4096 --gigabytes 12
measure partial --lengths 8192 --filter-lengths 128..8192 --samples $((64 * 768 * 8192))
measure other --lengths 992,1000,3000,4097
measure other --lengths 6144 --padding half
measure bf16 --dtype bf16 --lengths 256..1048576 --plain --gated --gigabytes 16
[ $((seconds - SECONDS)) -lt 10 ] || "$bench" --startup >"$folder/startup.txt" || true
echo "$SECONDS s: done"
