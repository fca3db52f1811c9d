#!/bin/sh
# gpu_check.sh - judges the .cu files of the solutions on a CUDA device (make gpu-check).
#
#   gpu_check.sh [OPTIONS]     of grade check: --lab 3, --exercise 3.2, --seed 7
#
# Every exercise with a GPU variant, on the device and nowhere else: what is only simulated does not
# count here. GRADE names another grader than build/grade. Exit status:
#
#   0    each exercise asked for ran on the device, and passes
#   1    one does not pass
#   2    the command line makes no sense
#   3    the grader failed
#   77   not run: no CUDA device, or no toolkit. (make turns each of 1 to 77 into its own 2, and
#        says "Error 77".)
set -u
cd "$(dirname "$0")/../.."
grade=${GRADE:-build/grade}
output=$(mktemp) || exit 3
trap 'rm -f "$output"' EXIT

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
