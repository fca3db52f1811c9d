#!/bin/sh
# gpu_check.sh - judges the .cu files of the solutions on a CUDA device (make gpu-check).
#
#   gpu_check.sh [OPTIONS]     options of grade check: --lab 3, --exercise 3.2, --seed 7
#   gpu_check.sh --wrong       judges the tests' wrong .cu files instead, and lists those that pass on
#                              the card, with the diagnosis of the simulated GPU (JOBS at a time)
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
trap 'rm -rf "$output" "$output.tree" "$output.list" "$output.all"' EXIT

# Prints FILE@SECTION DIAGNOSIS of every wrong kernel and launcher.
list_wrong_ones() {
    awk '/^@ / && !/^@ right-/ { sub(/:$/, "", $2); print FILENAME "@" $2, $NF }' \
        grader/tests/submissions/wrong/*.cu
}

# --wrong-one FILE@SECTION DIAGNOSIS: judges one wrong file, and prints how that ended.
judge_wrong_one() {
    rm -rf "$output.tree"
    grader/tools/transplant.sh "$1" "$output.tree" >/dev/null || exit 3
    "$grade" check --src "$output.tree" --exercise "$(basename "${1%%-*}")" --backend gpu-device \
        >"$output" </dev/null
    case $? in
    0) echo "passes on the card: $(basename "$1") ($2)" ;;
    1) sed -n 's/.*  not run: /not run: /p' "$output" | grep . || echo refused ;;
    *) sed "s/^/grader failed: /" "$output" ;;
    esac
}

# On a card, a race, an uninitialized value in shared memory or an unchecked launch often goes
# unnoticed. So wrong submissions that pass are listed, but do not count as a failure of this
# check. JOBS of them are judged at a time: most of the time goes to nvcc.
judge_wrong_ones() {
    list_wrong_ones >"$output.list"
    xargs -P "${JOBS:-$(nproc)}" -n 2 "$0" --wrong-one <"$output.list" | sort >"$output.all"
    if grep -q '^not run: ' "$output.all"; then
        echo "gpu-check: $(grep -m 1 '^not run: ' "$output.all")" >&2
        exit 77
    fi
    grep -v '^refused$' "$output.all"
    passed=$(grep -c '^passes on the card: ' "$output.all")
    refused=$(grep -c '^refused$' "$output.all")
    echo "$passed of $((refused + passed)) wrong kernels and launchers pass on the card"
    if [ $((refused + passed)) -ne "$(grep -c . "$output.list")" ]; then
        echo "gpu-check: not all of them were judged" >&2
        exit 3
    fi
}
case ${1:-} in
--wrong-one) judge_wrong_one "$2" "$3" && exit ;;
--wrong) judge_wrong_ones && exit ;;
esac

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
