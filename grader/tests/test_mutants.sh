#!/bin/sh
# test_mutants.sh - no one-token change of a solution passes, but for those that are listed.
#
# Judging all of them takes an hour (make mutants); here a part of the .c files' is judged, another one
# with every commit. A failure prints the command that judges the same part again. The changes of the
# .cu files are not listed completely yet (grader/tests/mutants), so none is drawn of them.
set -u
cd "$(dirname "$0")/../.." || exit 1

if ! command -v python3 >/dev/null; then
    echo "ok - mutants # SKIP python3 is not installed"
    exit 0
fi
out=$(mktemp) || exit 1
trap 'rm -f "$out"' EXIT
status=0

# claim WHAT OPTIONS...: mutants.py finds nothing to explain
claim() {
    what=$1
    shift
    if nice python3 grader/tools/mutants.py "$@" >"$out" 2>&1; then
        echo "ok - $what"
    else
        echo "not ok - $what"
        echo "# grader/tools/mutants.py $*"
        sed 's/^/# /' "$out"
        status=1
    fi
}
# Another part with every commit; 1 where there is no git.
commit=$(git rev-parse --short=7 HEAD 2>/dev/null) || commit=1
seed=$((0x$commit))
claim "every listed change is one of today's solutions, and has a reason" all --backend all --check
claim "a random part of the changes is refused or listed" all --some 40 --seed "$seed"
exit $status
