#!/bin/sh
# check.sh - judges one hand-in in a build server's container, and leaves results.json
# (Gradescope's format) and results.xml (JUnit) there.
#
#   grader/ci/check.sh HAND-IN RESULTS [LAB] [SEED]
#
# The hand-in is a folder or an archive with the files in any of the places that grade class
# accepts. GRADE_HIDDEN_SEED=... adds hidden cases. A box is used if the container allows one,
# otherwise Landlock; without either, nothing is judged.
#
# Exit status: 0 everything passes, 1 something does not, 2 the command line is wrong, 3 the
# grader itself failed: no results are left, and the run gives no mark.
set -eu
case ${1-} in
--help) sed -n '2,/^set/s/^# \{0,1\}//p' "$0" && exit 0 ;;
esac
[ $# -ge 2 ] && [ $# -le 4 ] || {
    echo "grade: usage: grader/ci/check.sh HAND-IN RESULTS [LAB] [SEED]" >&2
    exit 2
}
[ -e "$1" ] || {
    echo "grade: there is no hand-in at $1" >&2
    exit 2
}
hand_in=$(realpath "$1") lab=${3:-} seed=${4:-}
mkdir -p "$2"
results=$(realpath "$2")
cd "$(dirname "$0")/../.."
mkdir -p build/tmp
scratch=$(mktemp -d build/tmp/ci.XXXXXX)
trap 'rm -rf "$scratch"' EXIT
rm -f "$results/results.json" "$results/results.xml"

failed() {
    echo "grade: $1; the grader itself failed, so this is not a mark" >&2
    exit 3
}

code=0
build/grade collect --into "$scratch/tree" --quiet "$hand_in" 2>"$scratch/said" || code=$?
case $code in
0) ;;
1) # refused: one failure with the reason
    reason=$(tail -n 1 "$scratch/said" | sed 's/^grade: //; s/&/\&amp;/g; s/</\&lt;/g; s/>/\&gt;/g; s/"/\&quot;/g')
    printf '<?xml version="1.0" encoding="UTF-8"?>\n<testsuites tests="1" failures="1"><testsuite name="hand-in" tests="1" failures="1"><testcase name="hand-in" classname="hand-in"><failure message="refused: %s"/></testcase></testsuite></testsuites>\n' \
        "$reason" >"$scratch/results.xml"
    mv "$scratch/results.xml" "$results/results.xml"
    cat "$scratch/said" >&2
    exit 1
    ;;
*) failed "$(tail -n 1 "$scratch/said")" ;;
esac

[ "${seed:-1}" != 1 ] || [ -n "${GRADE_HIDDEN_SEED:-}" ] ||
    echo "grade: these are the cases of seed 1, which every student has, with their results; give another SEED" >&2
box=--untrusted
if ! build/grade check --untrusted --src solutions --exercise 1.1 >"$scratch/box" 2>&1; then
    box=--strangers
    echo "grade: no box for students' code: $(tail -n 1 "$scratch/box")" >&2
    build/grade walls 2>/dev/null | grep -q '^Landlock version [1-9]' ||
        failed "there is no Landlock here either, so a student's program could read the solutions"
fi
code=0
build/grade check --src "$scratch/tree" --json "$scratch/results.json" --junit "$scratch/results.xml" \
    ${lab:+--lab "$lab"} ${seed:+--seed "$seed"} $box --no-color || code=$?
[ $code -le 1 ] || failed "grade check ended with $code"
mv "$scratch/results.json" "$scratch/results.xml" "$results/"
exit $code
