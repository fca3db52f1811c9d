#!/bin/sh
# test_gradcheck.sh - make gradcheck: the solutions' backward functions agree with differences of
# their forward functions; wrong ones do not, and the pattern is read.
set -u
cd "$(dirname "$0")/../.." || exit 1
export LC_ALL=C
B=${BUILD:-build}
mkdir -p build/tmp
work=$(mktemp -d build/tmp/gradcheck.XXXXXX) || exit 1
trap 'rm -rf "$work"' EXIT
claim_said=$work/out
. grader/tests/claim.sh

# ---- the labs ------------------------------------------------------------------------------------

agrees() { # EXERCISE GRADIENTS
    lab=$(printf %02d "${1%.*}")
    says 0 "  $2 of $2 gradients agree" "$B/gradcheck/solutions/$lab" "$1" && ! grep -q "elements differ" "$work/said"
}
for row in 6.4/1 6.5/3 6.6/1 6.7/3 6.8/3 6.9/1 6.10/1 6.11/13 6.11/16 8.3/2 8.4/2 8.5/1 8.8/10 8.8/12 10.4/3; do
    claim "${row%/*}: the solution's ${row#*/} gradients agree" agrees "${row%/*}" "${row#*/}"
done
every_backward_exercise() {
    for lab in 06 08 10; do
        "$B/gradcheck/solutions/$lab" 0 2>&1 | sed 's/.*These have: //' | tr ' ' '\n'
    done | sort >"$work/checked"
    awk '/^\/\/ [0-9]+\.[0-9]+ / { exercise = $2 } /_backward\(/ && !/^\/\// { print exercise }' \
        labs/[0-9]*/*.h labs/[0-9]*/*.h | grep -v _gpu | sort -u >"$work/declared"
    diff "$work/declared" "$work/checked"
}
claim "each exercise with a backward function has a check" every_backward_exercise

# ---- mistakes ------------------------------------------------------------------------------------

wrong=$B/gradcheck-wrong
differs() { says 1 "$2" "$wrong" "$1"; } # NAME PATTERN
claim "what is right agrees" says 0 "dx (3,3): all 9 elements agree" "$wrong" right
claim "what is right and added agrees" says 0 "1 of 1 gradients agree" "$wrong" right_and_added
claim "half a per cent too much differs" differs half_a_percent "elements differ"
claim "one wrong element is marked" differs one_element "dx (3,3): 1 of 9 elements differ"
marked() { [ "$(grep -c ' \*$' "$work/said")" -eq 1 ] && grep -q '\[1\]\[1\] .* \*$' "$work/said"; }
claim "and only this one" marked
claim "overwriting is read" differs overwritten "it has overwritten the old content"
claim "a factor is read" differs three_times "All are 3 times what they should be"
claim "a factor that is a size is named" differs three_times "3 is the size of axis 0"
claim "a root of a size is named" differs with_root "is it their square root?"
claim "a sign is read" differs negative "All have the wrong sign"
claim "nothing added is read" differs not_added "nothing was added"
claim "nothing written is read" differs not_written "9 of 9 elements are NaN"
claim "zeros are read" differs zero "All are 0: a term is missing"
claim "a diagonal is read" differs diagonal "Only the diagonal is right"
claim "a transposed gradient is read" differs transposed "right but transposed"
claim "a factor of one row is read" differs row_factor "All of row 0 is off by the factor 5"
claim "a factor of each row is read" differs row_factors "3 of 3 rows are off, each by one factor, from 2 to 4"
claim "a first row alone is read" differs first_row "Only row 0 is right"
claim "a missing mean is read" differs row_offset "In each row, all elements are off by the same number"
claim "a wrong column is read" differs column "Only column 2 is wrong"
claim "a row of NaN is read" differs half_written "3 of 9 elements are NaN"
claim "a mess is not read" differs mess "No simple pattern"

# ---- functions that are not written --------------------------------------------------------------

claim "an unwritten backward function is named" differs todo "todo_backward, or a function it calls, is not written yet"
claim "once" [ "$(grep -o todo_backward "$work/said" | wc -l)" -eq 1 ]
claim "a status is named" differs refuses "refuses_backward returns LAB_ESHAPE"
claim "an unwritten forward function is named" differs ours "gelu (5.2), or a function it calls, is not written yet"
claim "our forward function takes its place, and the report says so" says 0 \
    "of our gelu (5.2), because yours is not written yet" "$wrong" ours --ours "$B/gradcheck/ours/06.so"
claim "its gradient agrees" grep -q '1 of 1 gradients agree' "$work/said"
claim "a missing library is an error" says 2 "cannot open shared object file" "$wrong" ours --ours ./no.so

# ---- the command line ----------------------------------------------------------------------------

claim "--help lists the options" says 0 "--all" "$wrong" --help
claim "--all prints tables that agree" says 0 "element " "$wrong" right --all
claim "an exercise without a backward function gets a list" says 2 "6.12 has no backward function. These have: 6.4 6.5" \
    "$B/gradcheck/solutions/06" 6.12
claim "no exercise is refused" says 2 "no exercise has no backward" "$wrong"
claim "two exercises are refused" says 2 "one exercise, please" "$wrong" right mess
claim "an unknown option is refused" says 2 "unknown option" "$wrong" right --al2
claim "a full disk is an error" sh -c "'$wrong' right >/dev/full 2>&1; [ \$? -eq 2 ]"
claim "make gradcheck needs an exercise" says 2 "which: make gradcheck EX=6.8" make -s gradcheck LAB=6
claim "also without a lab: the example works" says 2 "which: make gradcheck EX=6.8" make -s gradcheck
claim "a lab without backward functions is refused" says 2 "labs 6, 8 and 10 have" make -s gradcheck EX=3.2

exit $status
