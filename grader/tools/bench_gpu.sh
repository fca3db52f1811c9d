#!/bin/sh
# bench_gpu.sh - measures the cost of the simulated GPU.
#
#   bench_gpu.sh           the verdict on each lab's .cu files, and the kernels of gpu_simulator.cc
#   RUNS=15 bench_gpu.sh
#
# Verdicts are measured on a copy of the solutions in build/saved. Before every run, one .cu
# file of the lab (in turn) gets a new line, as if saved by an editor. Another column shows the
# first check, without cached objects. Simulated times say nothing about a real card.
set -eu
cd "$(dirname "$0")/../.."
runs=${RUNS:-7}
times=$(mktemp) used=$(mktemp)
trap 'rm -rf build/saved "$times" "$used"' EXIT
rm -rf build/saved
cp -R solutions build/saved

now() {
    date +%s%N | cut -c 1-16 # microseconds
}
# The processor time of this shell's children in microseconds, from the output of `times`. (It
# runs in a subshell, where `times` would report that subshell's children.)
busy() {
    awk 'NR == 2 { gsub(/[ms]/, " "); printf "%.0f", 1e6 * (60 * ($1 + $3) + $2 + $4) }' "$used"
}
check() { # lab: appends the time of a check, by the clock and of the processors
    times >"$used"
    busy_before=$(busy)
    before=$(now)
    build/grade check --src build/saved --lab "$1" --backend gpu-simulated >/dev/null
    took=$(($(now) - before))
    times >"$used"
    echo "$took $(($(busy) - busy_before))" >>"$times"
}
save() { # folder run
    run_number=$2
    set -- build/saved/"$1"/*.cu
    shift $((run_number % $#))
    echo "// saved" >>"$1"
}
# The fastest time, and the median processor time, in ms.
summary() {
    fastest=$(sort -n "$times" | awk 'NR == 1 { printf "%.0f", $1 / 1000 }')
    cut -d ' ' -f 2 "$times" | sort -n | awk -v fastest="$fastest" '{ v[NR] = $1 }
        END { printf "%8d %10.0f", fastest, v[int((NR + 1) / 2)] / 1000 }'
}

echo "processor:  $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1), $(nproc) cores, load $(cut -d . -f 1 /proc/loadavg)"
echo "compiler:   $(g++ --version | head -n 1)"
echo "verdict on a lab's .cu files, simulated, compile included; the fastest of $runs, and the"
echo "median of what all processors did for it, in ms"
printf '%-24s %19s   %19s\n' "" "after a save" "no object kept"
printf '%-24s %8s %10s   %8s %10s\n' lab fastest processors fastest processors
for folder in $(build/grade list | cut -f 3 | uniq); do
    if [ -z "$(find "build/saved/$folder" -name '*.cu')" ]; then
        continue
    fi
    lab=${folder%%_*}
    run=0
    : >"$times"
    while [ $run -lt "$runs" ]; do
        rm -rf build/cache
        check "$lab"
        run=$((run + 1))
    done
    kept_none=$(summary)
    run=0
    : >"$times"
    while [ $run -lt "$runs" ]; do
        save "$folder" $run
        check "$lab"
        run=$((run + 1))
    done
    printf '%-24s %s   %s\n' "$folder" "$(summary)" "$kept_none"
done
echo
build/bench/gpu_checked
echo
build/bench/gpu_plain
