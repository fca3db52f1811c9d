#!/bin/sh
# test_margins.sh - known mistakes are far from the expected results, and correct alternatives
# near. On seed 1, no mistake may look like another one either. Then twenty other seeds are
# measured, different ones with every commit. A failure prints the first of them; set SEED to it
# to repeat the test. The case that fails needs different numbers, not a larger tolerance
# (docs/grader.md). More seeds: make margins SEEDS=1000. The solutions' kernels, with fused
# multiply-adds as on a card, are measured on the same seeds.
set -u
cd "$(dirname "$0")/../.." || exit 1
B=${BUILD:-build}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
claim_said=$work/out
. grader/tests/claim.sh

kept() { # COMMAND...: it finds that every margin is kept
    "$@" >"$work/margins" 2>&1 || {
        echo "$*"
        grep -nE -B1 'TOO|LOOKS|^[0-9]+ functions|grade: ' "$work/margins" | tail -n 40
        return 1
    }
}
claim "tolerances separate mistakes from each other and from other right ways" kept "$B/grade" margins
commit=$(git rev-parse --short=7 HEAD 2>/dev/null) || commit=1 # 1 where there is no git
seed=${SEED:-$((0x$commit))}
claim "the same holds for the twenty seeds from $seed on" kept "$B/grade" margins --seed "$seed" --seeds 20
kernels="the solutions' kernels stay near with fused multiply-adds"
claim "$kernels" kept "$B/margins/kernels/survey" --seed "$seed" --seeds 20
! grep -q 'are not measured' "$work/margins" || echo "ok - $kernels # SKIP this processor has none"
exit $status
