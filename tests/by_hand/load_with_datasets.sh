#!/usr/bin/env bash
# Reads a split with datasets 3, 4 and 5, each in a virtual environment of its own, and compares every value with
# what vhbench reads. Run it by hand (it needs PyPI, and takes some minutes):
#
#     vhbench build ode --out /tmp/out --pairs 2
#     tests/by_hand/load_with_datasets.sh /tmp/out/ode
set -euo pipefail
cd "$(dirname "$0")/../.."
split=$(realpath "${1:?usage: $0 SPLIT}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

.venv/bin/python tests/by_hand/values.py vhbench "$split" > "$work/expected"
for version in 3.6 4.8 5.2; do
    .venv/bin/uv venv --quiet --python .venv/bin/python "$work/$version"
    .venv/bin/uv pip install --quiet --python "$work/$version/bin/python" "datasets==$version.*" pillow
    HF_HUB_OFFLINE=1 HF_DATASETS_CACHE="$work/cache-$version" \
        "$work/$version/bin/python" tests/by_hand/values.py datasets "$split" > "$work/$version.txt" 2> "$work/errors" \
        || { cat "$work/errors"; exit 1; }
    diff -q "$work/expected" "$work/$version.txt" > /dev/null || { diff "$work/expected" "$work/$version.txt" | head; exit 1; }
    echo "datasets $version: $(wc -l < "$work/$version.txt") rows, the same values"
done
