#!/usr/bin/env bash
# Measures dna.py and hyena.py on a GPU, in three minutes at most: measure.sh FOLDER writes dna.csv, hyena_accuracy.csv
# and hyena_steps.csv there, which plot.py draws. Takes an ffc_torch that Python finds.
#   FFC_PYTHON   the Python that has torch (python3)
set -uo pipefail
folder=$(realpath "${1:?the folder for the tables}")
python=${FFC_PYTHON:-python3}
cd "$(dirname "$0")" || exit 1
mkdir -p "$folder"
status=0
timeout 80 "$python" dna.py --csv "$folder/dna.csv" || status=$?
timeout 110 "$python" hyena.py --length 128 --keys 8 --steps 1500 --jobs 9 --csv "$folder" || status=$?
exit "$status"
