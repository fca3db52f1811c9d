#!/bin/sh
# test_plot.sh - make plot: pictures of wrong code beside those of right code.
set -u
cd "$(dirname "$0")/../.." || exit 1
B=${BUILD:-build}
mkdir -p build/tmp
work=$(mktemp -d build/tmp/plot.XXXXXX) || exit 1
trap 'rm -rf "$work"' EXIT
claim_said=$work/out
. grader/tests/claim.sh

plot() { # [RIGHT]
    grader/tools/plot.sh labs/03_causal_mask/plot.gp "$B/explore/solutions/03" "$work/data" "$work/plots" "$@"
}
besides() { ls "$work/plots" | grep -c '\.beside\.png$'; }
width() { od -An -v -tu1 -j16 -N4 "$1" | awk '{ print (($1 * 256 + $2) * 256 + $3) * 256 + $4 }'; }

claim "pictures of right code stand alone" says 0 "causal.png .svg" plot
claim "there is none beside another" [ "$(besides)" -eq 0 ]

# The same pictures, except one.
mkdir "$work/right"
cp "$work/plots"/*.png "$work/right"
cp "$work/right/finite.png" "$work/right/causal.png"
claim "one that differs is drawn beside the right one" says 0 "causal.beside.png" plot "$work/right"
claim "only that one" [ "$(besides)" -eq 1 ]
claim "as wide as both" [ "$(width "$work/plots/causal.beside.png")" -gt \
    "$(($(width "$work/plots/causal.png") * 3 / 2))" ]
plot >/dev/null
claim "it goes when the code is right" [ "$(besides)" -eq 0 ]
exit $status
