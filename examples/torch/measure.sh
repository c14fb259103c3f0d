#!/usr/bin/env bash
# Measures hyena.py and dna.py on a GPU: examples/torch/measure.sh FOLDER writes hyena_accuracy.csv, hyena_steps.csv and
# dna.csv there, which plot.py draws. Takes an ffc_torch that Python finds.
#   FFC_PYTHON   the Python that has torch (python3)
set -euo pipefail
folder=${1:?the folder for the tables}
python=${FFC_PYTHON:-python3}
cd "$(dirname "$0")"
mkdir -p "$folder"
timeout 60 "$python" dna.py --csv "$folder/dna.csv"
timeout 180 "$python" hyena.py --jobs 9 --csv "$folder"
