#!/bin/sh
# test_margins.sh - known mistakes lie far from what is expected, other right ways near.
#
# On seed 1 no mistake may be taken for another either. Twenty seeds more are drawn anew each time; a
# failure prints the command that measures the same ones again.
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
seed=$(od -An -N4 -tu4 /dev/urandom | tr -d ' ')
claim "mistakes keep their distance, from each other too, and other right ways are near"
claim "so they do on twenty seeds that are drawn anew each time" --seeds 20 --seed "$seed"
exit $status
