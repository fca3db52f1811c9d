#!/bin/sh
# plot.sh - runs a lab's explore program and draws its pictures.
#
#   grader/tools/plot.sh labs/03_causal_mask/plot.gp build/explore/labs/03 DATADIR OUTDIR
#
# The program's tables go to DATADIR, the pictures to OUTDIR. What explore prints is left to
# make explore; its errors are shown.
set -eu
cd "$(dirname "$0")/../.."
script=$1 explore=$2 data=$3 out=$4

if ! command -v gnuplot >/dev/null; then
    echo "plot: needs gnuplot (sudo apt-get install gnuplot-nox)" >&2
    exit 1
fi
mkdir -p "$data" "$out"
"$explore" "$data" >/dev/null
touch "$data/before"
gnuplot -c "$script" "$data" "$out"
drawn=$(find "$out" -maxdepth 1 -name '*.png' -size +0 -newer "$data/before" | sort)
rm "$data/before"
if [ -z "$drawn" ]; then
    echo "plot: $script drew no picture in $out" >&2
    exit 1
fi
echo "pictures:"
echo "$drawn" | sed 's/^/  /'
