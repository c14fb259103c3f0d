#!/usr/bin/env bash
# Measures hyena.py and dna.py on a GPU, in five minutes at most: measure.sh FOLDER writes hyena_steps.csv, dna.csv and
# hyena_accuracy.csv there, which plot.py draws. Takes an ffc_torch that Python finds.
#   FFC_PYTHON   the Python that has torch (python3)
set -uo pipefail
folder=$(realpath "${1:?the folder for the tables}")
python=${FFC_PYTHON:-python3}
cd "$(dirname "$0")" || exit 1
mkdir -p "$folder"
status=0
timeout 100 "$python" hyena.py --seeds 0 --csv "$folder" || status=$?
timeout 80 "$python" dna.py --csv "$folder/dna.csv" || status=$?
timeout 120 "$python" hyena.py --lengths '' --length 128 --keys 8 --steps 1500 --jobs 12 --csv "$folder" || status=$?
exit "$status"
