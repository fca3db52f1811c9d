#!/bin/sh
# test_gpu_docs.sh - every report that docs/gpu.md shows is one that the simulator prints today.
set -u
cd "$(dirname "$0")/../.."
reports=$(mktemp) || exit 1
trap 'rm -f "$reports"' EXIT
make --no-print-directory -s CHECKED=1 build/gpu/show >"$reports" 2>&1 &&
    build/gpu/show >"$reports" || {
    cat "$reports" >&2
    exit 1
}
shown=$(sed -n 's/^    \(grader\/tests\/gpu\/.*\)/\1/p' docs/gpu.md)
count=$(echo "$shown" | wc -l)
missing=$(echo "$shown" | grep -vxFf "$reports")
if [ "$count" -ge 10 ] && [ -z "$missing" ]; then
    echo "ok - the reports in docs/gpu.md are real"
else
    echo "not ok - the reports in docs/gpu.md are real"
    echo "$count reports; these are not printed: $missing" >&2
    exit 1
fi
