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
    echo "plot: needs gnuplot, which is not installed; make setup installs it" >&2
    exit 1
fi
# Names and titles are UTF-8, whatever the terminal speaks.
case $(locale charmap 2>/dev/null) in
UTF-8) ;;
*) export LC_ALL=C.UTF-8 ;;
esac
mkdir -p "$data" "$out"
grader/tools/explore.sh "$explore" "$data" >/dev/null
touch "$data/before"
trap '' PIPE # make plot | head: the pictures are drawn all the same, and nothing complains
gnuplot -c "$script" "$data" "$out"
drawn=$(find "$out" -maxdepth 1 -name '*.png' -size +0 -newer "$data/before" | sort)
rm "$data/before"
if [ -z "$drawn" ]; then
    echo "plot: $script drew no picture in $out" >&2
    exit 1
fi
{
    echo "pictures (the .svg beside each shows values under the pointer):"
    for picture in $drawn; do
        svg=${picture%.png}.svg
        echo "  $picture$([ ! -s "$svg" ] || echo " .svg")"
    done
} 2>/dev/null || :
