#!/bin/sh
# figures.sh - draws docs/figures/NN_x/ anew from the solutions.
set -eu
cd "$(dirname "$0")/../.."

for script in labs/[0-9][0-9]_*/plot.gp; do
    folder=$(basename "$(dirname "$script")")
    lab=${folder%%_*}
    $MAKE SRC=solutions "build/explore/solutions/$lab"
    grader/tools/plot.sh "$script" "build/explore/solutions/$lab" \
        "build/plots/solutions/$lab/data" "docs/figures/$folder"
done
