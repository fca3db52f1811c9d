#!/bin/sh
# beside.sh - puts two pictures beside each other, the student's on the left; wide ones above each other.
#
#   grader/tools/beside.sh build/plots/labs/03/causal.png docs/figures/03_causal_mask/causal.png OUT.png
set -eu
yours=$1 right=$2 out=$3

# Width and height of a PNG: two numbers of four bytes each, from byte 16 on.
size_of() { # FILE
    od -An -v -tu1 -j16 -N8 "$1" |
        awk '{ print (($1 * 256 + $2) * 256 + $3) * 256 + $4, (($5 * 256 + $6) * 256 + $7) * 256 + $8 }'
}
gnuplot -c labs/programs/plot/beside.gp "$yours" "$right" "$out.new" $(size_of "$yours") $(size_of "$right")
mv "$out.new" "$out"
