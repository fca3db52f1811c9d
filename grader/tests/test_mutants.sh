#!/bin/sh
# test_mutants.sh - no one-token change of a solution passes, except those that are listed.
# Judging all of them takes an hour (make mutants), and the listed ones (--listed) a third of that. This test judges
# a part, a different one with every commit. A failure prints the command that judges the same part again.
set -u
cd "$(dirname "$0")/../.." || exit 1

if ! command -v python3 >/dev/null; then
    echo "ok - mutants # SKIP python3 is not installed"
    exit 0
fi
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
claim_said=$work/out
. grader/tests/claim.sh

explained() { # OPTIONS...: mutants.py finds no mutant without a reason
    echo "grader/tools/mutants.py $*"
    nice python3 grader/tools/mutants.py "$@"
}
unset PYTHONDONTWRITEBYTECODE
rm -rf grader/tools/__pycache__
# A different part is judged for every commit; the seed is 1 without git.
commit=$(git rev-parse --short=7 HEAD 2>/dev/null) || commit=1
seed=$((0x$commit))
claim "every listed change fits today's solutions and has a reason" explained all --backend all --check
claim "a random part of the .c files' changes is refused or listed" explained all --some 25 --seed "$seed"
claim "a random part of the listed changes still passes" \
    explained all --backend all --listed --some 10 --seed "$seed"
claim "Python writes nothing beside its sources" test ! -e grader/tools/__pycache__
claim "the sieve refuses no change of 1.4 that the judge lets pass" explained 1.4
claim "a random part of the .cu files' changes is refused or listed" \
    explained 1 2 3 4 5 6 7 8 9 10 --backend gpu-simulated --some 15 --seed "$seed"
exit $status
