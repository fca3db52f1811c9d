#!/bin/sh
# test_ladder.sh - the tables at the top of the files in solutions/fast measure what they claim
# (grader/bench/ladder).
set -u
cd "$(dirname "$0")/../.." || exit 1
B=${BUILD:-build}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
claim_said=$work/out
. grader/tests/claim.sh

claim "every step from a plain solution to its fast version computes the same" "$B/bench/ladder" --check

twins_have_tables() {
    "$B/bench/ladder" --list >"$work/listed"
    # A file that is a link to the plain solution has no steps; common/ holds parts of fast versions,
    # not versions of a solution.
    (cd solutions/fast && find . -path ./common -prune -o -name '*.c' -type f -print) | sed 's|^\./||' >"$work/twins"
    while read -r file; do
        grep -qxF "$file" "$work/listed" ||
            echo "$file has no ladder (grader/bench/ladder/main.c)"
        grep -qxF "// BEGIN MEASURED: build/bench/ladder $file (make bench DOCS=1)" "solutions/fast/$file" ||
            echo "$file has no place for its table (// BEGIN MEASURED: ...)"
    done <"$work/twins" >"$work/missing"
    cat "$work/missing"
    [ -s "$work/twins" ] && [ ! -s "$work/missing" ]
}
claim "every fast version begins with its table" twins_have_tables

replaces_a_table() {
    printf '// a.c\n//\n// BEGIN MEASURED: x\n// old\n// END MEASURED\nint a;\n' >"$work/a.c"
    printf '// a.c\n//\n// BEGIN MEASURED: x\n// new\n//\n//     1 us\n// END MEASURED\nint a;\n' >"$work/right"
    printf 'new\n\n    1 us\n' | grader/tools/between.sh "$work/a.c" "MEASURED: x" &&
        diff "$work/right" "$work/a.c"
}
claim "a new table replaces the old one, as a comment" replaces_a_table
exit $status
