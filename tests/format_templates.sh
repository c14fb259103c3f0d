#!/usr/bin/env bash
# Checks the formatting of the templates (.cuh, .cu.in), or mends it.
#
#   bash tests/format_templates.sh [--fix] [FILE...]     # of all templates, or of these; needs clang-format 14
#
# Marks ("//[[name", "//]]") stand at the margin wherever they are; comments would be moved with the code around them, so
# clang-format sees them as pragmas.
set -euo pipefail
cd "$(dirname "$0")/.."

fix=no
if [ "${1:-}" = --fix ]; then
  fix=yes
  shift
fi
files=("$@")
if [ $# -eq 0 ]; then mapfile -t files < <(git ls-files -- '*.cuh' '*.cu.in'); fi

formatted() {
  sed -E 's,^//\[\[(.*),#pragma ffc_begin_\1,; s,^//\]\](.*),#pragma ffc_end_\1,' "$1" |
    clang-format --assume-filename="$(dirname "$1")/template.cpp" |
    sed -E 's,^#pragma ffc_begin_,//[[,; s,^#pragma ffc_end_,//]],'
}

status=0
result=$(mktemp)
trap 'rm -f "$result"' EXIT
for file in "${files[@]}"; do
  formatted "$file" >"$result"
  if cmp -s "$file" "$result"; then continue; fi
  if [ $fix = yes ]; then
    cat "$result" >"$file"
    echo "formatted: $file"
  else
    diff -u --label "$file" --label "$file, formatted" "$file" "$result" || status=1
  fi
done
exit $status
