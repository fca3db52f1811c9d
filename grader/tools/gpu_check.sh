#!/bin/sh
# gpu_check.sh - judges the .cu files of the solutions on a CUDA device (make gpu-check).
#
#   gpu_check.sh [OPTIONS]     options of grade check: --lab 3, --exercise 3.2, --seed 7
#   gpu_check.sh --wrong       judges the tests' wrong .cu files instead, and lists those that pass on
#                              the card, with the diagnosis of the simulated GPU
#
# Judges every exercise with a GPU variant, only on the device. GRADE sets another grader than
# build/grade. Exit status:
#
#   0    every selected exercise ran on the device and passes
#   1    an exercise does not pass
#   2    the command line is wrong
#   3    the grader failed
#   77   not run: no CUDA device, or no toolkit. (make turns each of 1 to 77 into its own 2, and
#        says "Error 77".)
set -u
cd "$(dirname "$0")/../.."
grade=${GRADE:-build/grade}
output=$(mktemp) || exit 3
trap 'rm -rf "$output" "$output.tree" "$output.list"' EXIT

# Prints FILE@SECTION DIAGNOSIS of every wrong kernel and launcher.
list_wrong_ones() {
    awk '/^@ / && !/^@ right-/ { sub(/:$/, "", $2); print FILENAME "@" $2, $NF }' \
        grader/tests/submissions/wrong/*.cu
}

# On a card, a race, an uninitialised value in shared memory or an unchecked launch often goes
# unnoticed. So wrong submissions that pass are listed, but do not count as a failure of this
# check.
judge_wrong_ones() {
    refused=0 passed=0
    list_wrong_ones >"$output.list"
    while read -r wrong diagnosis; do
        exercise=$(basename "${wrong%%-*}")
        rm -rf "$output.tree"
        grader/tools/transplant.sh "$wrong" "$output.tree" >/dev/null || exit 3
        "$grade" check --src "$output.tree" --exercise "$exercise" --backend gpu-device \
            >"$output" </dev/null
        case $? in
        0)
            passed=$((passed + 1))
            echo "passes on the card: $(basename "$wrong") ($diagnosis)"
            ;;
        1)
            if grep -q '  not run: ' "$output"; then
                echo "gpu-check: not run: $(sed -n 's/.*  not run: //p' "$output" | head -n 1)" >&2
                exit 77
            fi
            refused=$((refused + 1))
            ;;
        *) cat "$output" && exit 3 ;;
        esac
    done <"$output.list"
    echo "$passed of $((refused + passed)) wrong kernels and launchers pass on the card"
}
if [ "${1:-}" = --wrong ]; then
    judge_wrong_ones
    exit
fi

"$grade" check --src solutions --backend gpu-device "$@" >"$output"
status=$?
why=$(sed -n 's/^  - .*  not run: \(.*\)/\1/p' "$output" | head -n 1)
judged=$(grep -cE '^  (✓|✗) ' "$output")
[ "$judged" -eq 0 ] && [ -n "$why" ] || cat "$output"
if [ -n "$why" ]; then
    echo "gpu-check: not run: $why" >&2
    exit 77
fi
if [ "$judged" -eq 0 ] && [ "$status" -le 1 ]; then
    echo "gpu-check: nothing was judged" >&2
    exit 3
fi
exit "$status"
