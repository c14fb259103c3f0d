#!/usr/bin/env bash
# Measures everything that examples/BENCHMARKS.md shows, on the GPU of this machine, into CSV files.
#
#   bash examples/measure.sh FOLDER [SECONDS [TABLE...]]     # all tables, 240 seconds; what no longer fits is named
#
# Takes `bench` from the build folder that FFC_BUILD names (build/ci by default), and builds it there where it is
# missing. FFC_COMMIT is the commit that the tables name as measured; default: that of this checkout. Draw the tables
# and plots from FOLDER with `compare`; see examples/README.md.
set -euo pipefail
cd "$(dirname "$0")/.."

folder=${1:?usage: measure.sh FOLDER [SECONDS]}
seconds=${2:-240}
wanted=" ${*:3} "
build=${FFC_BUILD:-build/ci}
bench=$build/examples/bench
commit=${FFC_COMMIT:-$(git rev-parse --short HEAD 2>/dev/null || true)}
mkdir -p "$folder"

if ! [ -x "$bench" ]; then
  source tests/setup.sh
  ffc_setup libcli11-dev
  cmake -S . -B "$build" -DCMAKE_BUILD_TYPE=Release -DFFC_BUILD_TESTS=OFF "${cmake_options[@]}"
  cmake --build "$build" -j "$(nproc)" --target bench
fi
SECONDS=0

is_wanted() { [ "$wanted" = "  " ] || [[ $wanted == *" $1 "* ]]; }

# Runs bench and adds its lines to FOLDER/NAME.csv: NAME OPTION...
# A table is a comment that names the device, a heading, and results; of a second run the results alone.
measure() {
  local name=$1 left=$((seconds - SECONDS)) status=0 lines
  shift
  is_wanted "$name" || return 0
  if [ $left -lt 5 ]; then
    echo "left out, no time: $name $*"
    return 0
  fi
  lines=$(mktemp)
  timeout "$left" "$bench" --csv "$@" >"$lines" 2>"$lines.errors" || status=$?
  # A line that was cut short is no result.
  if [ -n "$(tail -c 1 "$lines")" ]; then sed -i '$d' "$lines"; fi
  if ! grep -qv '^#' "$lines"; then
    echo "nothing measured: $name $*"
  elif [ -e "$folder/$name.csv" ]; then
    grep -v '^#' "$lines" | tail -n +2 >>"$folder/$name.csv" || true
  else
    sed "1s/\$/${commit:+ (commit $commit)}/" "$lines" >"$folder/$name.csv"
  fi
  [ $status -eq 0 ] || sed "s/^/  /" "$lines.errors"
  echo "$SECONDS s: $name $* (exit status $status, $(grep -cv '^#' "$lines" || true) lines)"
  rm -f "$lines" "$lines.errors"
}

# Lengths whose plans were timed in a table, of that padding and gating, with commas between: they are timed again.
# Of gradients, those of so many taps, "whole" being as many as samples.
timed_lengths() {
  awk -F, -v padding="$2" -v gating="$3" -v taps="${4:-}" '
    /^#/ { next }
    !heading++ { for (i = 1; i <= NF; ++i) at[$i] = i; next }
    $at["padding"] != padding || $at["gating"] != gating { next }
    taps == "whole" && $at["filter_length"] != $at["length"] { next }
    taps + 0 > 0 && ($at["filter_length"] != taps || $at["filter_length"] == $at["length"]) { next }
    !seen[$at["length"]]++ { print $at["length"] }' "examples/measured/$1.csv" | paste -sd,
}
gates_of() { if [ "$1" = both ]; then echo --gated; else echo --plain; fi; }
short_filters() { awk -F, '/^#/ || $2 == $3 || $3 == "filter_length" { next } !seen[$3]++ { print $3 }' "$1"; }

# The lengths of a table in one run where rows fit 64 x 768; longer causal rows in as many as fit the memory.
# What matters most comes first.
for name in forward causal backward causal_backward digits sparse partial other bf16 startup step widths overhead small plans \
  gradient_plans; do
  if is_wanted "$name"; then rm -f "$folder/$name.csv"; fi
done
# As many bytes as measure well: of long rows fewer channels than 768, as the page says.
measure forward --lengths 256..4194304 --padding circular,half --plain --gated --gigabytes 30
measure causal --padding causal --lengths 256..32768 --gigabytes 30
measure causal --padding causal --lengths 65536 --batch 32 --gigabytes 30
measure causal --padding causal --lengths 131072 --batch 16 --gigabytes 30
measure causal --padding causal --lengths 262144 --batch 8 --gigabytes 30
measure causal --padding causal --lengths 1048576 --batch 2 --gigabytes 30
measure causal --padding causal --lengths 4194304 --batch 1 --channels 384 --gigabytes 30
measure backward --backward --lengths 256..65536 --plain --gated --gigabytes 56
measure backward --backward --lengths 131072..4194304 --plain --gated --gigabytes 30
measure causal_backward --backward --padding causal --lengths 256..32768 --gigabytes 40
measure causal_backward --backward --padding causal --lengths 65536 --batch 32 --gigabytes 40
measure causal_backward --backward --padding causal --lengths 131072 --batch 16 --gigabytes 40
measure causal_backward --backward --padding causal --lengths 262144 --batch 8 --gigabytes 40
measure causal_backward --backward --padding causal --lengths 1048576 --batch 2 --gigabytes 40
measure digits --digits --lengths 256..32768 --gigabytes 20
measure sparse --sparse --lengths 2097152,32768,4096 --gigabytes 12
measure partial --lengths 8192 --filter-lengths 128..8192 --samples $((64 * 768 * 8192))
measure partial --lengths 4194304 --filter-lengths 256..8192 --samples $((64 * 8 * 4194304))
measure other --lengths 992,1000,3000,4097,4098,5000,9000,10000,16400,20000,24000,30000,32000,32752,32749
measure other --lengths 6144 --padding half
measure other --padding causal --lengths 1000,1023,3000,3001,4095,4097,8191,16383,24576,32767,50000,50001,100000,100001 --gigabytes 30
measure bf16 --dtype bf16 --lengths 256..1048576 --plain --gated --gigabytes 16
measure startup --startup
measure step --step --lengths 1024,4096,8192,16384,32768,65536,262144,1048576,4194304 --padding causal --dtype fp16,bf16
measure widths --widths --lengths 1024,4096,8192,16384,32768,65536 --padding causal
measure overhead --overhead --lengths 1024,4096,32768,65536
measure small --small --lengths 256,1024,4096,32768,65536,1048576 --padding circular,causal
for padding in circular causal; do
  for gating in none both; do
    gates=$(gates_of $gating)
    measure plans --runners-up 2 --padding $padding $gates --lengths "$(timed_lengths plans $padding $gating)" --gigabytes 8
    measure gradient_plans --backward --runners-up 2 --padding $padding $gates --gigabytes 8 \
      --lengths "$(timed_lengths gradient_plans $padding $gating whole)"
  done
done
for taps in $(short_filters examples/measured/gradient_plans.csv); do
  for gating in none both; do
    lengths=$(timed_lengths gradient_plans causal $gating "$taps")
    if [ -z "$lengths" ]; then continue; fi
    measure gradient_plans --backward --runners-up 2 --filter-lengths "$taps" --lengths "$lengths" --samples $((1 << 26)) \
      "$(gates_of $gating)"
  done
done
echo "$SECONDS s: done"
