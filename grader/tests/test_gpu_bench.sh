#!/bin/sh
# test_gpu_bench.sh - make gpu-bench runs on the simulated GPU, at small sizes, and every step
# computes the same result. Speeds need a card; this test does not. The bytes that lab 10's kernels
# move are counted there, too.
set -u
cd "$(dirname "$0")/../.." || exit 1

bench=build/gpu/bench-simulated
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
claim_said=$scratch/claim
. grader/tests/claim.sh

# run STATUS OPTIONS...: the bench ends with that status; out and error hold its output.
run() {
    expected=$1
    shift
    "$bench" "$@" >"$scratch/out" 2>"$scratch/error"
    code=$?
    head -n 10 "$scratch/out" "$scratch/error"
    [ $code -eq "$expected" ]
}
steps_agree() {
    run 0 --small && [ ! -s "$scratch/error" ] || return 1
    expected=$(cat grader/bench/gpu/*.cu | grep -cE '^const struct ladder [a-z_0-9]+ = ')
    [ "$(grep -c 'setting the expected result$' "$scratch/out")" -eq "$expected" ]
}
compares() {
    cat "$scratch/out"
    grep -q ': agrees$' "$scratch/out" && ! grep -qE 'GB/s|GFLOP/s' "$scratch/out"
}
tensor_cores() {
    grep '^- bf16, ' "$scratch/out"
    grep -q '^- bf16, .* (not run: no tensor cores; .*): agrees$' "$scratch/out"
}
claim "every ladder runs, and its steps agree" steps_agree
claim "without tensor cores it says that they did not run" tensor_cores
claim "a small run compares the steps and prints no figure" compares

not_run() {
    run 1 && [ ! -s "$scratch/out" ] && grep -q 'not run: no CUDA device' "$scratch/error"
}
claim "a run on the simulated GPU prints no figures" not_run

refused() {
    run 2 --smal && grep -q '^usage: ' "$scratch/error"
}
claim "an unknown option is refused" refused
# formula_counts NAME: the bytes of that row are within 1 % of the formula.
formula_counts() {
    build/gpu/traffic >"$scratch/out" || return 1
    cat "$scratch/out"
    awk -v name="$1" 'index($0, name) == 1 {
        formula = $(NF - 3); count = $(NF - 2); rows++
        good += count >= formula && count <= 1.01 * formula && formula > 0
    } END { exit rows != 1 || good != 1 }' "$scratch/out"
}
claim "10.2's kernel moves what the formula of 10.6 says" formula_counts "10.2, "
claim "its fast twin moves what the formula of 10.6 says" formula_counts "10.2 fast, "
exit $status
