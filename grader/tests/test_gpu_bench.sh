#!/bin/sh
# test_gpu_bench.sh - make gpu-bench runs through and agrees with itself, on the simulated GPU, at
# small sizes. Figures need a card; that every step computes the same does not.
set -u
cd "$(dirname "$0")/../.." || exit 1

bench=build/gpu/bench-simulated
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
status=0

claim() { # text, whether it holds
    if [ "$2" = yes ]; then
        echo "ok - $1"
    else
        echo "not ok - $1"
        sed 's/^/# /' "$scratch/out" "$scratch/error" | head -n 20
        status=1
    fi
}

"$bench" --small >"$scratch/out" 2>"$scratch/error"
code=$?
expected=$(cat grader/bench/gpu/*.cu | grep -cE '^const struct ladder [a-z_]+ = ')
ladders=$(grep -c 'what the others must come to$' "$scratch/out")
holds=no
[ $code -eq 0 ] && [ "$ladders" -eq "$expected" ] && [ ! -s "$scratch/error" ] && holds=yes
claim "every ladder runs, and its steps agree" $holds

holds=no
grep -q ': agrees$' "$scratch/out" && ! grep -qE 'GB/s|GFLOP/s' "$scratch/out" && holds=yes
claim "a small run compares, and prints no figure" $holds

"$bench" >"$scratch/out" 2>"$scratch/error"
code=$?
holds=no
[ $code -eq 1 ] && [ ! -s "$scratch/out" ] && grep -q 'not run: no CUDA device' "$scratch/error" &&
    holds=yes
claim "a simulated card gets no figures" $holds

"$bench" --smal >"$scratch/out" 2>"$scratch/error"
code=$?
holds=no
[ $code -eq 2 ] && grep -q '^usage: ' "$scratch/error" && holds=yes
claim "an unknown option is refused" $holds
exit $status
