#!/bin/sh
# test_margins.sh - known mistakes lie far from what is expected, other right ways near.
#
# On seed 1 no mistake may be taken for another either; then on the first twenty seeds. More of them:
# make margins SEEDS=1000.
set -u
cd "$(dirname "$0")/../.." || exit 1
B=${BUILD:-build}
out=$(mktemp) || exit 1
trap 'rm -f "$out"' EXIT
status=0

# claim WHAT OPTIONS...: grade margins finds every margin kept
claim() {
    what=$1
    shift
    if "$B/grade" margins "$@" >"$out" 2>&1; then
        echo "ok - $what"
    else
        echo "not ok - $what"
        echo "# $B/grade margins $*"
        grep -nE -B1 'TOO|LOOKS|^[0-9]+ functions|grade: ' "$out" | tail -n 40 | sed 's/^/# /'
        status=1
    fi
}
claim "mistakes keep their distance, from each other too, and other right ways are near"
claim "so they do on twenty seeds" --seeds 20
exit $status
