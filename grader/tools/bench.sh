#!/bin/sh
# bench.sh - how long from saving a file to reading the verdict (make bench).
#
# For each lab: build/grade check on labs/ as they are, and make check on the same, in turns.
# The medians of 9 runs and their difference, what make costs, in milliseconds.
set -eu
cd "$(dirname "$0")/../.."
runs=9

now() {
    date +%s%N | cut -c 1-16 # microseconds
}
# Median in ms of the numbers on standard input.
median() {
    sort -n | awk '{ v[NR] = $1 } END { printf "%.0f", v[int((NR + 1) / 2)] / 1000 }'
}
timed() {
    before=$(now)
    "$@" >/dev/null 2>&1 || : # a verdict is a verdict
    echo $(($(now) - before))
}

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
echo "processor: $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1), $(nproc) cores"
echo "OPENBLAS_CORETYPE: ${OPENBLAS_CORETYPE:-not set}"
echo "edit to verdict, median of $runs, in ms"
printf '%-28s %10s %10s %10s\n' lab build/grade "make check" "make costs"
for folder in $(build/grade list | cut -f 3 | uniq); do
    lab=${folder%%_*}
    : >"$scratch/grade"
    : >"$scratch/make"
    run=0
    while [ $run -lt $runs ]; do
        timed build/grade check --src labs --lab "$lab" >>"$scratch/grade"
        timed env -u MAKEFLAGS -u MAKELEVEL make check LAB="$lab" >>"$scratch/make"
        run=$((run + 1))
    done
    direct=$(median <"$scratch/grade")
    through=$(median <"$scratch/make")
    printf '%-28s %10d %10d %10d\n' "$folder" "$direct" "$through" \
        $((through - direct))
done
