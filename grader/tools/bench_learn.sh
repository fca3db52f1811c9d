#!/bin/sh
# bench_learn.sh - how long make learn takes from a save to the verdict on the screen (bench.sh learn).
#
#   RUNS=9 grader/tools/bench_learn.sh [EXERCISE ...]
#
# A pseudo-terminal runs make learn's program on a copy of the solutions. Each time a line is appended to
# the exercise's file, and the clock runs from before the shell that appends it until the sum of points
# is on the screen: inotify, compiler, linker and judge included. Prints the median, the least and the
# largest of RUNS saves, in milliseconds.
set -eu
cd "$(dirname "$0")/../.."
[ $# -gt 0 ] || set -- 1.3 2.5 3.4 4.6 5.6 6.11 7.3 8.8 9.3 10.2 11.4
runs=${RUNS:-9}
mkdir -p build/tmp
work=$(mktemp -d "$PWD/build/tmp/bench_learn.XXXXXX")
trap 'rm -rf "$work" "build/progress/$(echo "$work/saved" | tr / _)"' EXIT
cp -R solutions "$work/saved"
export LC_ALL=C.UTF-8 TERM=xterm ASAN_OPTIONS=verify_asan_link_order=0
printf '%-9s %7s %7s %8s\n' exercise median least largest
for exercise in "$@"; do
    folder=$(printf %02d "${exercise%.*}")
    file=$(grep -lE "BEGIN SOLUTION $exercise " "$work"/saved/"$folder"_*/*.c | head -n 1)
    {
        echo 'expect seed 1, cpu'
        echo 'expect q quit'
        run=0
        while [ $run -lt "$runs" ]; do
            echo "clock echo '// saved' >>'$file'"
            echo 'ms seed 1, cpu'
            echo 'expect q quit'
            run=$((run + 1))
        done
        echo 'send q'
        echo 'end 0'
    } | build/box/terminal "$work/transcript" build/learn --build build --src "$work/saved" --exercise "$exercise" \
        >"$work/times"
    sort -n "$work/times" | awk -v exercise="$exercise" '
        { ms[NR] = $1 }
        END { printf "%-9s %7d %7d %8d\n", exercise, ms[int((NR + 1) / 2)], ms[1], ms[NR] }'
done
