#!/bin/sh
# test_cudasim.sh - build/cudasim: any CUDA program on the simulated GPU. The programs of
# docs/gpu.md, the forms of CUDA in grader/tests/cudasim, and planted bugs. More about cudasim:
#
#   test_cudasim_output.sh    its exit status, and what it prints
#   test_cudasim_nvcc.sh      in the place of nvcc: options, MPI and NCCL
#   test_cudasim_lacks.sh     what the simulator lacks
set -u
cd "$(dirname "$0")/../.." || exit 1
. grader/tests/cudasim/workspace.sh

# ---- the programs of docs/gpu.md -----------------------------------------------------------

claim "a right program is clean" \
    shows '^1000 sums, the last is 3.5 status 0' sim run docs/cudasim/add.cu -- 1000
claim "a race is named, and ends the program's use of the device" \
    shows 'sum.cu:16: sum, block .* a data race .* 1 finding status 1' \
    sim run docs/cudasim/sum.cu
claim "a template in a header is clean where its tiles are full" \
    shows '0 of 6144 elements are wrong status 0' sim run docs/cudasim/transpose.cu -- 64
claim "all findings of a launch, by --keep-going" \
    shows 'race.*never written.*outside of every.*are wrong cudasim: 3 findings status 1' \
    sim run docs/cudasim/transpose.cu --keep-going --json "$work/json" -- 60
three_kinds() {
    cat "$work/json"
    [ "$(sed -n 's/.*"kind": "\([a-z-]*\)".*"line": 17,.*/\1/p' "$work/json" | tr '\n' ' ')" = \
        "race-global uninitialized-shared out-of-bounds " ] &&
        [ "$(head -c 1 "$work/json")$(tail -n 1 "$work/json")" = "[]" ]
}
claim "the same as JSON" three_kinds

# ---- forms of CUDA -------------------------------------------------------------------------

forms() { # options
    sim run "$@" grader/tests/cudasim/forms.cu >"$work/out" 2>&1
    echo "status $?" >>"$work/out"
    cat "$work/out"
    [ "$(grep -c '^ok - ' "$work/out")" -eq 22 ] && [ "$(wc -l <"$work/out")" -eq 23 ] &&
        grep -q '^status 0' "$work/out"
}
claim "every form of grader/tests/cudasim/forms.cu, checked" forms --checked
claim "every form, plain, in another order" forms --plain --order 7
if command -v clang++ >/dev/null; then
    # clang reports accesses by other means; see docs/gpu.md
    claim "every form, plain, by clang" env CXX=clang++ build/cudasim run --plain \
        grader/tests/cudasim/forms.cu
    claim "clang cannot build a checked program, and cudasim says so" \
        shows '^cudasim: .*--checked needs g++.* status 2' \
        env CXX=clang++ build/cudasim run docs/cudasim/add.cu
fi

others() { # program, number of claims, options
    program=$1 count=$2
    shift 2
    sim run "$@" "grader/tests/cudasim/$program.cu" >"$work/out" 2>&1
    echo "status $?" >>"$work/out"
    cat "$work/out"
    [ "$(grep -c '^ok - ' "$work/out")" -eq "$count" ] && grep -q '^status 0' "$work/out" &&
        [ "$(wc -l <"$work/out")" -eq $((count + 1)) ]
}
claim "cooperative groups" others groups 10
claim "cooperative groups, reversed" others groups 10 --order reversed
claim "cooperative groups, plain" others groups 10 --plain
claim "half and bfloat16" others small 11
claim "products of any type, and cublasLt, backward too" others products 17
claim "products of a warp" others matrices 23
claim "products of a warp, plain" others matrices 23 --plain
claim "asynchronous copies, pipelines, barrier objects" others stages 7
claim "the same in another order" others stages 7 --order 7
claim "inline assembly" others assembly 4
claim "memory that the host fills" others memory 5 grader/tests/cudasim/memory_host.cpp
claim "calls of the runtime" others calls 10
claim "features that programs use now and then" others features 13
claim "the same, plain and in another order" others features 13 --plain --order 7
claim "classes and references as arguments, and complex numbers" others classes 4
claim "random numbers are those of cuRAND" others random 3
if command -v clang++ >/dev/null; then
    by_clang() { (export CXX=clang++ && others "$@" --plain); }
    for program in "groups 10" "small 11" "products 17" "matrices 23" "stages 7" "assembly 4" "calls 10" \
        "features 13" "classes 4" "random 3"; do
        claim "plain, by clang: $program" by_clang $program
    done
fi

# ---- several host threads ------------------------------------------------------------------

# What would be wrong depends on who is first, so each is run several times.
host_threads() { # options
    sim compile "$@" -o "$work/threads" grader/tests/cudasim/host_threads.cu || return 1
    for processors in 1 1 1 1 3; do
        GPU_DIVIDE_AFTER=0 GPU_PROCESSORS=$processors "$work/threads" >"$work/out" 2>&1
        echo "status $?" >>"$work/out"
        cat "$work/out"
        [ "$(tr '\n' ' ' <"$work/out")" = "4 of 4 threads are right status 0 " ] || return 1
    done
}
claim "several host threads use the device at once" host_threads --checked
claim "the same, plain" host_threads --plain

# ---- blocks in several processes -----------------------------------------------------------

# All that blocks.cu prints, on so many processors.
blocks_on() { # processors
    for kernel in "" neighbors far two_write late waits deep reads writes late_atomic; do
        echo "== $kernel"
        GPU_DIVIDE_AFTER=0 GPU_PROCESSORS=$1 "$work/blocks" $kernel 2>&1
        echo "status $?"
    done
}
same_blocks() { # options
    sim compile "$@" -o "$work/blocks" grader/tests/cudasim/blocks.cu || return 1
    blocks_on 1 >"$work/one" 2>&1
    grep -q "^atomics in shared memory: ea3d84cad4a7ff01 108$" "$work/one" || return 1
    for processors in 2 3 8; do
        blocks_on "$processors" >"$work/out" 2>&1
        diff "$work/one" "$work/out" || return 1
    done
}
claim "on any number of processors, memory and findings are the same" same_blocks --checked
claim "and a plain program leaves the same memory" same_blocks --plain
claim "the number of processors is a number" shows 'not none; .* status 2' \
    sim run --processors none docs/cudasim/add.cu

# ---- planted bugs --------------------------------------------------------------------------

planted=grader/tests/cudasim/planted

# Each bug is found with its kind at its line, and its twin is clean. Prints those that are not.
found() {
    count=0 wrong=0
    while read -r name kind mark; do
        count=$((count + 1)) place=$(grep -n "// BUG $mark\$" "$planted"/*.cu)
        line=${place#*:}
        place="file\": \"${place%%:*}\", \"[a-z_]*line\": ${line%%:*},"
        CUDASIM_LEAKS=1 CUDASIM_JSON=$work/json "$work/planted" "$name" bug >"$work/out" 2>&1
        case $kind in
        -) expected='^\[\]$' ;;
        *copy) expected="\"kind\": \"$kind\".*\"$place.*\"warning\": true" ;;
        *) expected="\"kind\": \"$kind\".*$place.*\"warning\": false" ;;
        esac
        grep -q -- "$expected" "$work/json" || {
            echo "$name: not $kind at $place"
            cat "$work/out"
            wrong=1
        }
        CUDASIM_LEAKS=1 "$work/planted" "$name" twin >"$work/out" 2>&1 || {
            echo "$name: its twin is not clean:"
            cat "$work/out"
            wrong=1
        }
    done <"$work/list"
    [ "$count" -gt 50 ] && [ "$wrong" -eq 0 ]
}
if sim compile -o "$work/planted" "$planted"/*.cu && "$work/planted" list >"$work/list"; then
    claim "planted bugs: all are found, and their twins are clean" found
    export GPU_ORDER=7 GPU_PROCESSORS=3 GPU_DIVIDE_AFTER=0
    claim "planted bugs: the same in another order, with the blocks in three processes" found
    unset GPU_ORDER GPU_PROCESSORS GPU_DIVIDE_AFTER
else
    claim "planted bugs: the programs compile" false
fi
lines() { # of the report on a planted bug
    "$work/planted" "$1" bug 2>&1 | tee "$work/out"
    tr '\n' ' ' <"$work/out" | grep -q -- "$2"
}
claim "a race across iterations of a loop is reported as such" \
    lines next_turn "After the barrier of line .* thread .* next iteration of the loop"
claim "an element has its array's name and its index" lines edge_of_a_tile '(s\[50\])'
claim "an element of a matrix has its row and column" \
    shows '(tile\[13\]\[0\])' sim run docs/cudasim/transpose.cu --keep-going -- 60
claim "memory has the line that allocates it" \
    lines adds_to_nothing 'byte 0 of the 4096 bytes that main.cu:[0-9]* allocates'
claim "a pointer to another thread's variable is reported as such" \
    lines local_of_another "reads 4 bytes of another thread.s local variable"
claim "the calls that led to the line" lines deep 'called from .*calls.cu:'
same_value() {
    "$work/planted" same_value twin >"$work/out" 2>&1 || return 1
    cat "$work/out"
    grep -q "^cudasim: warning: .*, thread ([0-9]*,0,0): writes an element of shared memory at s\[1\], and thread ([0-9]*,0,0) wrote the same value there at line [0-9]*\.\$" "$work/out" &&
        ! grep -q '[0-9] finding' "$work/out"
}
claim "a write of the same value is a warning, and no finding" same_value
claim "a kernel called like a function, with the line of the call" \
    lines not_launched 'calls.cu:[0-9]*: this kernel is called like .* called from .*calls.cu:'
copied() {
    CUDASIM_JSON=$work/json "$work/planted" result_of_nothing bug >"$work/out" 2>&1 || return 1
    cat "$work/out" "$work/json"
    grep -q 'warning: .*400 of 400 bytes were never written' "$work/out" &&
        grep -q '"kind": "uninitialized-copy".*"warning": true}' "$work/json"
}
claim "a copy of unwritten memory to the host is a warning" copied
cat >"$work/on.cu" <<'END'
__global__ void one(float *x) { x[100 + threadIdx.x] = 1; }
__global__ void two(float *y, const float *x) { *y += *x; }
int main()
{
    float *x, *y;
    cudaMalloc(&x, 4);
    cudaMalloc(&y, 4);
    one<<<1, 1>>>(x);
    two<<<1, 1>>>(y, x);
    cudaFree(x);
    cudaFree(y);
}
END
claim "--keep-going: only an ended launch's own arguments count as written" \
    shows 'on.cu:1: .*outside of every.*on.cu:2: .*that on.cu:7 allocates.* 2 findings status 1' \
    sim run --keep-going "$work/on.cu"
cat >"$work/left.cu" <<'END'
#include <cstdio>
__global__ void half(int *sum)
{
    __shared__ int s[2];
    if (threadIdx.x % 32 == 0) s[threadIdx.x / 32] = 20 + threadIdx.x / 32;
    if (threadIdx.x >= 32) {
        return;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        *sum = s[0] + s[1];
    }
}
int main()
{
    int *sum_dev, sum = 0;
    cudaMalloc(&sum_dev, sizeof sum);
    half<<<1, 64>>>(sum_dev);
    cudaMemcpy(&sum, sum_dev, sizeof sum, cudaMemcpyDeviceToHost);
    printf("the sum is %d\n", sum);
    cudaFree(sum_dev);
}
END
for order in forward reversed; do
    claim "--keep-going: a barrier counts the threads that have not returned ($order)" \
        shows 'left.cu:9: .*has returned without.*the sum is 41 cudasim: 1 finding status 1' \
        sim run --keep-going --order "$order" "$work/left.cu"
done

exit "$status"
