#!/bin/sh
# test_cudasim.sh - build/cudasim: any CUDA program on the simulated GPU. The programs of
# docs/gpu.md, the forms of CUDA in grader/tests/cudasim, the options and the exit status.
set -u
cd "$(dirname "$0")/../.."
work=$(mktemp -d "${TMPDIR:-/tmp}/test_cudasim.XXXXXX")
trap 'rm -rf "$work"' EXIT
claim_said=$work/said
. grader/tests/claim.sh

make --no-print-directory -s CHECKED=1 build/cudasim >"$work/make" 2>&1 || {
    cat "$work/make" >&2
    exit 1
}

# The program's output, with its exit status behind it.
shows() { # pattern command...
    pattern=$1
    shift
    "$@" >"$work/out" 2>&1
    echo "status $?" >>"$work/out"
    cat "$work/out"
    tr '\n' ' ' <"$work/out" | grep -q -- "$pattern"
}
sim() { build/cudasim "$@"; }

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
    lines next_turn "Line .* barrier is passed, but thread .* next iteration of the loop"
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

# ---- exit status, output -------------------------------------------------------------------

cat >"$work/host.cu" <<'END'
#include <cstdio>
#include <cstdlib>
int main(int argc, char **)
{
    int *x;
    cudaMalloc(&x, 4);
    printf("printed before\n");
    if (argc == 1) {
        *x = 1;
    }
    return 7;
}
END
claim "a finding on the host loses no output" \
    shows '^printed before cudasim: .*host.cu:9: host code writes device.* status 1' \
    sim run "$work/host.cu"
claim "a program's own failure is not a finding" \
    shows 'ended with status 7, and there was no finding status 4' sim run "$work/host.cu" -- x
cat >"$work/ends.cu" <<'END'
#include <cstdio>
#include <cstdlib>
__global__ void race(int *x) { *x = threadIdx.x; }
int main(int, char **argv)
{
    int *x;
    cudaMalloc(&x, 4);
    race<<<1, *argv[1] == 'n' ? 1 : 2>>>(x);
    cudaDeviceSynchronize();
    puts("printed after");
    if (argv[1][1] == 'a') {
        abort();
    }
    _Exit(7);
}
END
ends() { # argument, pattern
    shows "$2" sim run -o "$work/ends" --json "$work/json" "$work/ends.cu" -- "$1"
}
json_of_one_race() {
    cat "$work/json"
    grep -q '"race-global"' "$work/json" && [ "$(tail -n 1 "$work/json")" = "]" ]
}
claim "a finding counts and no line is lost if the program calls abort() later" \
    ends ra 'ends.cu:3: .*printed after.* signal SIGABRT; findings: 1 status 1'
claim "and its JSON is complete" json_of_one_race
claim "a finding counts if the program calls _Exit() later" \
    ends re 'ends.cu:3: .*printed after.* ended with status 7; findings: 1 status 1'
claim "and its JSON is complete, too" json_of_one_race
claim "a signal without a finding is named" \
    ends na '^cudasim: the program was ended by signal SIGABRT, and there was no finding status 4'
cat >"$work/unchecked.cu" <<'END'
__global__ void k() {}
int main() { k<<<1, 2000>>>(); }
END
claim "a failed launch that nobody asked about is reported at the end" \
    shows 'unchecked.cu:2: this launch failed.*2000 threads.*1 finding status 1' \
    sim run "$work/unchecked.cu"
cat >"$work/bounds.cu" <<'END'
#include <cstdio>
enum { WARPS = 2 };
__global__ void __launch_bounds__(32 * WARPS, 1) half(int *x) { x[threadIdx.x] = 1; }
template <int n> __launch_bounds__(n) __global__ void all(int *x) { x[threadIdx.x] = 1; }
int main()
{
    int *x, small;
    cudaMalloc(&x, 512);
    half<<<1, 64>>>(x);
    all<128><<<1, 128>>>(x);
    small = cudaGetLastError();
    half<<<1, 128>>>(x);
    printf("%d %s\n", small, cudaGetErrorName(cudaGetLastError()));
    all<32><<<1, 64>>>(x);
    cudaFree(x);
}
END
claim "a block larger than the kernel's __launch_bounds__ is refused" \
    shows "^0 cudaErrorInvalidValue .*bounds.cu:14: .* 64 threads; the kernel's __launch_bounds__ allow 32.*1 finding" \
    sim run "$work/bounds.cu"
cat >"$work/edge.cu" <<'END'
#include <cstdlib>
struct three { float x, y, z; };
__global__ void fill(float *s, int n) { if (threadIdx.x < n) s[threadIdx.x] = threadIdx.x; }
template <typename T> __global__ void copy(float *to, const float *from) { ((T *)to)[threadIdx.x] = ((T *)from)[threadIdx.x]; }
int main(int, char **argv)
{
    float *s, *o;
    int n = atoi(argv[2]);
    cudaMalloc(&s, 48);
    cudaMalloc(&o, 48);
    fill<<<1, 32>>>(s, n);
    switch (*argv[1]) {
    case '2': copy<float2><<<1, 6>>>(o, s); break;
    case '3': copy<three><<<1, 4>>>(o, s); break;
    case '4': copy<float4><<<1, 3>>>(o, s); break;
    }
    cudaFree(s);
    cudaFree(o);
}
END
edge() {
    sim compile -o "$work/edge" "$work/edge.cu" || return 1
    for case in "2 11" "3 11" "3 10" "4 11" "4 10" "4 9"; do
        "$work/edge" $case >"$work/out" 2>&1
        grep -q 'edge.cu:4: .*never written (byte' "$work/out" || {
            echo "$case:" && cat "$work/out"
            return 1
        }
    done
    "$work/edge" 2 12 && "$work/edge" 3 12 && "$work/edge" 4 12
}
claim "an unwritten last element of a vector is not taken for padding" edge
cat >"$work/tails.cu" <<'END'
// No structures, so no padding: the last number of each group is missing, not a gap.
#include <cstdlib>
template <typename T> __global__ void most(T *p) { if (threadIdx.x % 4 != 3) p[threadIdx.x] = 1; }
__global__ void wide(float *y, const float4 *q) { float4 v = q[threadIdx.x]; y[threadIdx.x] = v.x + v.w; }
__global__ void bytes(float *y, const uchar4 *q) { uchar4 v = q[threadIdx.x]; y[threadIdx.x] = v.x + v.w; }
__global__ void word(float *y, const int *q) { y[threadIdx.x] = q[threadIdx.x]; }
int main(int, char **argv)
{
    char *p;
    float *y;
    cudaMalloc(&p, 128);
    cudaMalloc(&y, 128);
    switch (*argv[1]) {
    case 'w': most<<<1, 32>>>((float *)p); wide<<<1, 8>>>(y, (float4 *)p); break;
    case 'b': most<<<1, 32>>>(p); bytes<<<1, 8>>>(y, (uchar4 *)p); break;
    case 'i': most<<<1, 32>>>(p); word<<<1, 8>>>(y, (int *)p); break;
    }
    cudaFree(p);
    cudaFree(y);
}
END
tails() {
    sim compile -o "$work/tails" "$work/tails.cu" || return 1
    for case in w b i; do
        "$work/tails" $case >"$work/out" 2>&1
        grep -q 'tails.cu:.*never written (byte' "$work/out" || { echo "$case:" && cat "$work/out" && return 1; }
    done
}
claim "where a program has no structures, no unwritten byte is taken for padding" tails
cat >"$work/frees.cu" <<'END'
#include <cstdlib>
int main(int, char **argv)
{
    float *d, *h, *registered = (float *)malloc(4096);
    cudaMalloc(&d, 16);
    cudaMallocHost(&h, 16);
    cudaHostRegister(registered, 4096, 0);
    switch (*argv[1]) {
    case 'd': free(d); break;
    case 'h': delete h; break;
    case 'f': cudaFreeHost(d); break;
    case 'r': cudaFreeHost(registered); break;
    default: cudaFree(d), cudaFreeHost(h), cudaHostUnregister(registered), free(registered);
    }
}
END
frees() { # argument, pattern
    shows "$2" sim run -o "$work/frees" "$work/frees.cu" -- "$1"
}
claim "device memory in free()" frees d 'frees.cu:9: host code calls free or delete with device memory.*status 1'
claim "pinned memory in delete" frees h 'frees.cu:10: .*with memory of cudaMallocHost.*cudaFreeHost.*status 1'
claim "device memory in cudaFreeHost" frees f 'frees.cu:11: cudaFreeHost is called with .*status 1'
claim "registered memory in cudaFreeHost" frees r 'frees.cu:12: cudaFreeHost is called with .*status 1'
claim "each memory in its own function" frees - '^status 0'
cat >"$work/waits.cu" <<'END'
__device__ unsigned arrived;
__device__ volatile int flag;
__global__ void atomics()
{
    for (atomicAdd(&arrived, 1); atomicAdd(&arrived, 0) < gridDim.x;) {
    }
}
__global__ void reads()
{
    for (flag = flag + blockIdx.x; flag == 0;) {
    }
}
__global__ void own_block()
{
    if (threadIdx.x == 0) {
        while (flag == 0) {
        }
    } else {
        flag = 1;
    }
}
int main(int, char **argv)
{
    int zero = 0;
    cudaMemcpyToSymbol(flag, &zero, sizeof zero);
    if (*argv[1] == 'a') {
        atomics<<<2, 1>>>();
    } else if (*argv[1] == 'r') {
        reads<<<2, 1>>>();
    } else {
        own_block<<<1, 64>>>();
    }
    cudaDeviceSynchronize();
}
END
# The program waits forever. It is ended when the line is there, or after 20 seconds of processor time.
waits() { # argument, pattern
    rm -f "$work/said_while_waiting" && mkfifo "$work/said_while_waiting" || return 1
    (ulimit -c 0 && ulimit -t 20 && GPU_PROCESSORS=1 exec "$work/waits" "$1") >"$work/said_while_waiting" 2>&1 &
    waiting=$! found=1 lines=
    while [ "$found" -ne 0 ] && IFS= read -r line; do
        echo "$line"
        lines="$lines$line "
        echo "$lines" | grep -q -- "$2" && found=0
    done <"$work/said_while_waiting"
    kill "$waiting" 2>/dev/null
    wait "$waiting"
    return "$found"
}
if sim compile -o "$work/waits" "$work/waits.cu" >"$work/out" 2>&1; then
    claim "a loop of atomics that waits for a later block gets a warning" \
        waits a 'warning: .*waits.cu:5: .*waits forever'
    claim "and so does a loop of volatile reads" waits r 'warning: .*waits.cu:10: .*waits forever'
    claim "a loop of volatile reads lets the others of its block run" waits o 'waits.cu:19: .*a data race'
fi
cat >"$work/words.cu" <<'END'
__global__ void count(int *out)
{
    __shared__ int sum;
    if (threadIdx.x == 0) {
        sum = 0;
    }
    __syncthreads();
    atomicAdd(&sum, 1);
    __syncwarp();
    if (threadIdx.x == 0) {
        out[0] = sum;
    }
}
__global__ void copies(char *out)
{
    out[threadIdx.x] = 1;
}
int main(int argc, char **)
{
    void *out;
    cudaMalloc(&out, 33);
    if (argc == 1) {
        count<<<1, 64>>>((int *)out);
    } else {
        copies<<<1, 64>>>((char *)out);
    }
    cudaDeviceSynchronize();
}
END
claim "a race with other threads of the same atomic does not name its own thread as the other one" \
    shows 'thread (0,0,0) reads an element that other threads atomically change at line 8\.' \
    sim run "$work/words.cu"
claim "1 byte is no bytes" shows 'writes 1 byte outside of every allocation: just past the end of an allocation of 33 bytes' \
    sim run "$work/words.cu" -- x
cat >"$work/leak.cu" <<'END'
int main()
{
    float *kept, *given_back;
    cudaMalloc(&kept, 40);
    cudaMalloc(&given_back, 20);
    cudaFree(given_back);
}
END
claim "a leak is not a finding" shows '^status 0' sim run "$work/leak.cu"
claim "except with --leaks" shows 'leak.cu:4: 40 bytes .* 1 finding status 1' \
    sim run --leaks "$work/leak.cu"
cat >"$work/leaks.cu" <<'END'
int main()
{
    int *a, *b;
    cudaMalloc(&a, 400); cudaMalloc(&b, 16);
    for (int i = 0; i < 3; i++) {
        cudaMalloc(&b, 64);
    }
    cudaFree(b);
    cudaMalloc(&b, 8);
}
END
claim "all leaks of a line are counted" \
    shows 'leaks.cu:4: 2 allocations, 416 bytes together, .*leaks.cu:6: 2 allocations, 128 bytes together, .*leaks.cu:9: 8 bytes .* 3 findings status 1' \
    sim run --leaks "$work/leaks.cu"
echo 'race-shared sum.cu:16' >"$work/suppress"
claim "a suppressed finding does not count" shows '^the sum is [0-9]* status 0' \
    sim run --suppress "$work/suppress" docs/cudasim/sum.cu
echo 'race-shared sum.cu:17' >"$work/suppress"
claim "but only on its line" shows ' 1 finding status 1' \
    sim run --suppress "$work/suppress" docs/cudasim/sum.cu
printf '# known\n\n  race-shared  sum.cu:16 \n' >"$work/suppress"
claim "spaces and comments in the list of what does not count" shows '^the sum is [0-9]* status 0' \
    sim run --suppress "$work/suppress" docs/cudasim/sum.cu
printf 'sum.cu:16\nsum.cu line 16\n' >"$work/suppress"
claim "a wrong line in that list" shows 'suppress:2: a line is FILE:LINE.* not sum.cu line 16.* status 2' \
    sim run --suppress "$work/suppress" docs/cudasim/sum.cu
printf '  sum.cu:16\n' >"$work/suppress"
claim "spaces before a file, too" shows '^the sum is [0-9]* status 0' \
    sim run --suppress "$work/suppress" docs/cudasim/sum.cu
claim "a profile" shows 'transpose<double, 16>: line 17: .*transactions.*bytes read, .* status 0' \
    sim run --profile docs/cudasim/transpose.cu -- 64
cat >"$work/loop.cu" <<'END'
__global__ void sum(float *x)
{
    __shared__ float s[128];
    int t = threadIdx.x;
    s[t] = x[t];
    __syncthreads();
    for (int h = 64; h > 0; h /= 2) {
        if (t < h) {
            s[t] += s[t + h];
        }
        __syncthreads();
    }
    x[t] = s[0];
}
int main()
{
    float *x;
    cudaMalloc(&x, 512);
    cudaMemset(x, 0, 512);
    sum<<<1, 128>>>(x);
    cudaFree(x);
}
END
claim "a barrier in a loop that the compiler unrolls is one barrier" \
    shows '^status 0' sim run --plain -O3 "$work/loop.cu"
printf 'int main() { return 1 +; }\n' >"$work/wrong.cu"
claim "a program that does not compile" shows 'wrong.cu:1:.*error.* status 3' \
    sim run "$work/wrong.cu"
claim "no source file" shows 'no source file.* status 2' sim run
claim "a file that is absent" shows 'cannot read .* status 2' sim run "$work/absent.cu"
claim "-c with run" shows '-c belongs to compile.* status 2' sim run -c docs/cudasim/add.cu
claim "a place for findings that cannot be written" \
    shows 'cannot write /nowhere/x.json.* status 2' sim run --json /nowhere/x.json docs/cudasim/add.cu
claim "an unknown option" shows 'unknown option --quickly.* status 2' \
    sim run --quickly docs/cudasim/add.cu
claim "a wrong order" shows '--order takes.* status 2' sim run --order up docs/cudasim/add.cu
claim "--help" shows 'Exit status of run.* status 0' sim --help
help_fits() { awk 'length > 80 { print; wide = 1 } END { exit wide }' "$work/out"; }
claim "--help has lines of at most 80 characters" help_fits

# ---- in the place of nvcc ------------------------------------------------------------------

mkdir -p "$work/toolkit" "$work/inc" "$work/one two"
echo '#error the toolkit' >"$work/toolkit/cuda_runtime.h"
echo '#error this too' >"$work/toolkit/of_a_toolkit.h"
echo '__global__ void put(int *x) { *x = VALUE; }' >"$work/inc/put.cuh"
cat >"$work/one two/main.cu" <<'END'
#include <cuda_runtime.h>
#include <put.cuh>
#if __has_include(<of_a_toolkit.h>)
#include <of_a_toolkit.h>
#endif
extern "C" int given(void);
int main()
{
    int *x, y;
    cudaMalloc(&x, 4);
    put<<<1, 1>>>(x);
    cudaMemcpy(&y, x, 4, cudaMemcpyDeviceToHost);
    return y == given() ? 0 : 1;
}
END
echo 'int given(void) { return 42; }' >"$work/given.c"
as_nvcc() {
    sim compile -O3 -std=c++17 --use_fast_math -gencode arch=compute_80,code=sm_80 -arch=sm_80 \
        -Xcompiler -Wall -I "$work/toolkit" "-I$work/inc" -DVALUE=42 -lcublas -lcudart \
        "$work/one two/main.cu" "$work/given.c" -o "$work/as nvcc" && "$work/as nvcc"
}
claim "compile takes nvcc's options, and no header of a toolkit" as_nvcc
cp "$work/one two/main.cu" "$work/main.cpp"
more_of_nvcc() {
    sim compile -dc -rdc true -lcudadevrt -Werror all-warnings -fmad false -ftz=true --restrict -x cu \
        -Xcudafe --diag_suppress=177 -forward-unknown-to-host-compiler -I"$work/inc" \
        -DVALUE=42 "$work/main.cpp" -o "$work/main.o" &&
        sim compile "$work/main.o" "$work/given.c" -o "$work/linked" && "$work/linked"
}
claim "options of nvcc with a value of their own, and -dc" more_of_nvcc
cat >"$work/names.cu" <<'END'
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda/atomic>
#include <mma.h>
int main() { return N + M + K == 24 ? 0 : 1; }
END
letters() {
    set --
    for letter in A B C D E F G H I J K L M N O P Q R S U V W X Y Z; do
        set -- "$@" "-D$letter=8"
    done
    sim run "$@" "$work/names.cu"
}
claim "a program may call its macros A to Z" letters
in_steps() {
    sim compile -c -I"$work/inc" -DVALUE=42 "$work/one two/main.cu" -o "$work/main.o" &&
        sim compile -c "$work/given.c" -o "$work/given.o" &&
        sim compile "$work/main.o" "$work/given.o" -o "$work/linked" && "$work/linked"
}
claim "objects are linked later" in_steps
printf '#include <curand.h>\nint main() {}\n' >"$work/curand.cu"
claim "a header that is missing is named, with the line that asks for it" \
    shows 'curand.cu:1:2: error: .*the simulator has no <curand.h>.* status 3' \
    sim run "$work/curand.cu"
printf '#include <curand.h>\nint main() {}\n' >"$work/curand.cpp"
claim "in a .cpp file, too" \
    shows 'curand.cpp:1:2: error: .*the simulator has no <curand.h>.* status 3' \
    sim run "$work/curand.cpp"
for header in cupti.h nvvm.h nv/target common_functions.h cccl/cub/cub.cuh nvJitLink.h; do
    printf '#include <%s>\nint main() {}\n' $header >"$work/other.cu"
    claim "$header of the machine is never used" \
        shows "other.cu:1:2: error: .*the simulator has no <$header>.* status 3" sim run "$work/other.cu"
done
printf '#if 0\n#include <curand.h>\n#endif\nint main() {}\n' >"$work/curand.cu"
claim "but only if the line counts" shows '^status 0' sim run "$work/curand.cu"
printf '__global__ void k() {\nasm volatile("bar.sync 0;");\n}\nint main() {}\n' >"$work/asm.cu"
claim "assembly is named" shows 'asm.cu:2:.*inline_assembly_is_not_simulated.* status 3' \
    sim run "$work/asm.cu"

# ---- what the simulator lacks, in one line ---------------------------------------------------------

lacks() { # TEXT NAME LINES-OF-CODE
    printf '%b\n' "$3" >"$work/$2.cu"
    sim run "$work/$2.cu" >"$work/out" 2>&1
    [ $? -eq 3 ] && cat "$work/out" && [ "$(wc -l <"$work/out")" -eq 1 ] && grep -qF -e "$2.cu:$1" "$work/out"
}
claim "a header, whatever uses it" lacks '1:2: error: the simulator has no <cub/cub.cuh>;' cub \
    '#include <cub/cub.cuh>\n__global__ void k() { typedef cub::BlockReduce<int, 128> R; }\nint main() {}'
claim "textures" lacks '1:19: error: the simulator has no textures (cudaTextureObject_t);' texture \
    '__global__ void k(cudaTextureObject_t t, float *o) { *o = tex2D<float>(t, 0, 0); }\nint main() {}'
claim "texture references" lacks '1:1: error: the simulator has no textures (texture);' reference \
    'texture<float, 1> t;\n__global__ void k(float *o) { *o = tex1Dfetch(t, 0); }\nint main() {}'
claim "surfaces" lacks '1:19: error: the simulator has no surfaces (cudaSurfaceObject_t);' surface \
    '__global__ void k(cudaSurfaceObject_t s) { surf2Dwrite(1, s, 0, 0); }\nint main() {}'
claim "graphs" lacks '1:14: error: the simulator has no graphs (cudaGraph_t);' graph \
    'int main() { cudaGraph_t g; cudaGraphExec_t x; cudaGraphLaunch(x, 0); }'
claim "but graphics are no graphs" lacks '1:14: error: the simulator has no cudaGraphicsMapResources;' graphics \
    'int main() { cudaGraphicsMapResources(1, 0, 0); }'
claim "clusters" lacks '1:17: error: the simulator has no clusters of blocks (__cluster_dims__);' cluster \
    '__global__ void __cluster_dims__(2, 1, 1) k(float *a) { a[0] = 1; }\nint main() { k<<<2, 2>>>(0); }'
claim "the driver's functions" lacks '2:26: error: the simulator has no driver functions (cuInit);' driver \
    '#include <cuda.h>\nint main() { CUdevice d; cuInit(0); cuDeviceGet(&d, 0); CUmodule m; cuModuleLoad(&m, "x"); }'
claim "a function, or a slip of the pen" lacks '1:24: error: the simulator has no cudaMaloc, did you mean cudaMalloc?;' slip \
    'int main() { void *p = cudaMaloc(4); }'
claim "a kernel that calls a function of the host, as nvcc refuses it" \
    lacks '2: error: a kernel calls half_of, a function of the host (line 1); write __device__ before it' sides \
    'static float half_of(float x) { return x / 2; }\n__global__ void k(float *o) { *o = half_of(1); }\nint main() {}'
claim "device code that does" \
    lacks '2: error: device code calls half_of, a function of the host (line 1);' sides \
    'float half_of(float x) { return x / 2; }\n__device__ float f() { return half_of(1); }\nint main() {}'
cat >"$work/sides.cu" <<'END'
#define DEVICE __device__ __host__
constexpr float one() { return 1; }
DEVICE float two() { return 2; }
float three() { return 4; }
__device__ float three(int) { return 3; }
template <typename T> DEVICE T four() { return 4; }
float five() { return 6; }
float six() { return 7; }
float seven() { return 8; }
float eight(float x) { return five() + six() + seven() + three() + x; }
struct numbers {
    __device__ float six() { return 6; }
    __device__ float all() { return six(); }
};
#if 0
__global__ void off(float *sum) { *sum = seven(); }
#endif
__host__ __device__ float both()
{
#ifdef __CUDA_ARCH__
    return 8;
#else
    return eight(8);
#endif
}
__global__ void k(float *sum)
{
    auto five = []() { return 5.0f; };
    *sum = one() + two() + three(1) + four<float>() + five() + numbers().all() + 7 + both();
}
int main()
{
    float *sum_dev, sum;
    cudaMalloc(&sum_dev, sizeof sum);
    k<<<1, 1>>>(sum_dev);
    cudaMemcpy(&sum, sum_dev, sizeof sum, cudaMemcpyDeviceToHost);
    printf("%g\n", sum + eight(0) * 0);
    cudaFree(sum_dev);
}
END
claim "but not what may be a function of the device" shows '^36 status 0' sim run "$work/sides.cu"
# What only the running program can tell: which function a call means.
cat >"$work/host_side.h" <<'END'
#pragma once
#define SIDES __host__ __device__
struct ray {
    float3 from, to;
    SIDES ray(float3 a, float3 b) : from(a), to{b} {}
    SIDES ray(float3 a) : from(a), to(a) {}
    SIDES float3 start() const;
    float3 at(float t) const { return make_float3(from.x + t * to.x, 0, 0); }
};
float3 ray::start() const { return from; }
template <typename T> T square(T x) { return x * x; }
template <typename T> SIDES T cube(T x) { return x * x * x; }
SIDES inline float3 operator-(float3 a, float3 b) { return make_float3(a.x - b.x, 0, 0); }
float3 operator+(float3 a, float3 b) { return make_float3(a.x + b.x, 0, 0); }
__device__ float later(float x);
namespace inner {
inline float overloaded(int x) { return x; }
__device__ float overload(float x) { return x; }
float overload(int x) { return x; }
}
constexpr float two() { return 2; }
struct functor {
    float operator()(float x) const { return x + 1; }
};
struct of_host {
    of_host(float3 a, int) : from(a), other{1} {}
    float3 from;
    float other;
};
END
cat >"$work/host_side.cu" <<'END'
#include "host_side.h"
float later(float x) { return x; }
template <int what> __global__ void k(float3 *o)
{
    ray r(o[0]);
    o[1] = r.start() - make_float3(cube(2.0f), later(two()), [](float x) { return x; }(1));
    if (what == 1) o[0] = o[1] + o[0];
    if (what == 2) o[0] = r.at(1);
    if (what == 3) o[0].x = square(o[0].x);
    if (what == 4) o[0].x = inner::overloaded(1);
    if (what == 5) o[0] = of_host(o[0], 1).from;
    if (what == 6) o[0].x = functor()(1);
}
int main(int, char **argv)
{
    float3 *o;
    cudaMalloc(&o, 24);
    cudaMemset(o, 0, 24);
    ray light(make_float3(1, 0, 0), make_float3(0, 0, 0));
    float sum = (light.at(1) + of_host(light.from, 1).from).x + square(2) + inner::overload(2) + functor()(1);
    void (*kernels[])(float3 *) = {k<0>, k<1>, k<2>, k<3>, k<4>, k<5>, k<6>};
    kernels[atoi(argv[1])]<<<1, 1>>>(o);
    cudaFree(o);
    return sum != 1 + 1 + 4 + 2 + 2;
}
END
host_sides() {
    sim compile -o "$work/host_side" "$work/host_side.cu" && "$work/host_side" 0 >"$work/out" 2>&1 || {
        cat "$work/out"
        return 1
    }
    for case in 1:14 2:8 3:11 4:17 5:26 6:23; do
        "$work/host_side" "${case%:*}" >"$work/out" 2>&1
        cat "$work/out"
        tr '\n' ' ' <"$work/out" |
            grep -q "host_side.h:${case#*:}: .*a kernel calls this function, which is for the host.*called from .*host_side.cu:" || return 1
    done
}
claim "operators, members, templates and constructors of the host, in a header, are found when a kernel gets there" host_sides
printf 'int main() { int cudaless = 1; undefined_of_mine(cudaless); }\n' >"$work/own.cu"
claim "the program's own mistakes are the compiler's" \
    shows "own.cu:1:.*undefined_of_mine.*status 3" sim run "$work/own.cu"
printf '#include <cublas_v2.h>\nint main() { cublasHandle_t h; cublasCreate(&h); float *a, one = 1, zero = 0; cudaMalloc(&a, 64); float *c; cudaMalloc(&c, 64);
cublasSgemm(h, CUBLAS_OP_N, CUBLAS_OP_N, 4, 4, 4, &one, a, 4, a, 4, &zero, c, 4); }\n' >"$work/sgemm.cu"
claim "a finding in cublasSgemm has that name" \
    shows 'sgemm.cu:3: matrix A of cublasSgemm is read' sim run "$work/sgemm.cu"

# ---- MPI and NCCL of a single process ----------------------------------------------------------------

cat >"$work/alone.cu" <<'END'
#include <cstdio>
#include <mpi.h>
#include <nccl.h>
__global__ void fill(float *x) { x[threadIdx.x] = threadIdx.x + 1; }
int main(int argc, char **argv)
{
    int rank = 7, processes = 0, all[1] = {0}, mine = 5;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &processes);
    MPI_Allgather(&mine, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD);
    ncclUniqueId id;
    ncclComm_t comm;
    ncclGetUniqueId(&id);
    MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD);
    printf("%s; ", ncclGetErrorString(ncclCommInitRank(&comm, 2, id, 1)));
    printf("%s; ", ncclGetErrorString(ncclCommInitRank(&comm, processes, id, rank)));
    float *x, *sum, last;
    cudaMalloc(&x, 128);
    cudaMalloc(&sum, 128);
    fill<<<1, 32>>>(x);
    ncclResult_t result = ncclAllReduce(x, sum, 32, ncclFloat, ncclSum, comm, 0);
    cudaMemcpy(&last, sum + 31, 4, cudaMemcpyDeviceToHost);
    printf("%d %d %d %d %g\n", rank, processes, all[0], result, last);
    ncclCommDestroy(comm);
    MPI_Finalize();
}
END
claim "a program of one process needs no MPI and no NCCL" \
    shows '^invalid argument[^;]*; no error; 0 1 5 0 32 status 0' sim run -lmpi -lnccl "$work/alone.cu"
mkdir "$work/mpi"
printf '#error the MPI of this machine\n' >"$work/mpi/mpi.h"
claim "but an MPI of the machine comes first" shows 'the MPI of this machine.* status 3' \
    sim run -I "$work/mpi" "$work/alone.cu"

# ---- more of nvcc's options -------------------------------------------------------------------------

mkdir "$work/parts"
printf '#pragma once\nextern __device__ float factor;\nextern __device__ float scaled(float);\n' >"$work/parts/scale.h"
printf '#include "scale.h"\n__device__ float factor = 3;\n__device__ float scaled(float x) { return x * factor; }\n' >"$work/parts/scale.cu"
cat >"$work/parts/run.cu" <<'END'
#include "scale.h"
#include <cstdio>
__global__ void k(float *x) { x[threadIdx.x] = scaled(x[threadIdx.x]); }
void run()
{
    float h[2] = {1, 2}, f = 5, *d;
    cudaMalloc(&d, 8);
    cudaMemcpy(d, h, 8, cudaMemcpyHostToDevice);
    cudaMemcpyToSymbol(factor, &f, sizeof f);
    k<<<1, 2>>>(d);
    cudaMemcpy(h, d, 8, cudaMemcpyDeviceToHost);
    printf("%g %g\n", h[0], h[1]);
}
END
printf '#include "main.h"\nint main() { run(); }\n' >"$work/parts/main.cpp"
printf 'void run();\n' >"$work/parts/main.h"
rules() { # each rule names the object, the source and the program's headers, and nothing else
    (
        cd "$work/parts" || exit 1
        sim=$home/build/cudasim
        "$sim" compile -dc -MMD scale.cu && "$sim" compile -dc -MMD -MF run.dep -MT there.o run.cu -o run.o &&
            "$sim" compile -c -MMD -MP main.cpp && cat scale.d run.dep main.d &&
            [ "$(cat scale.d)" = "scale.o: scale.cu scale.h" ] &&
            [ "$(cat run.dep)" = "there.o: run.cu scale.h" ] &&
            [ "$(tr '\n' ' ' <main.d)" = "main.o: main.cpp main.h main.h: " ]
    )
}
home=$PWD
claim "-MMD writes rules for make" rules
claim "nothing else is left beside the objects" [ "$(ls "$work/parts" | tr '\n' ' ')" = \
    "main.cpp main.d main.h main.o run.cu run.dep run.o scale.cu scale.d scale.h scale.o " ]
all_headers() { sim compile -c -MD "$work/parts/scale.cu" -o "$work/all.o" && grep -q '/usr/.*\.h' "$work/all.d"; }
claim "-MD names the system's headers, too" all_headers
claim "a __device__ variable and function of another file" sh -c \
    'build/cudasim compile "$1"/*.o -o "$1/program" && [ "$("$1/program")" = "5 10" ]' sh "$work/parts"
claim "-lib makes a library" sh -c \
    'build/cudasim compile -lib "$1/scale.o" "$1/run.o" -o "$1/all.a" &&
    build/cudasim compile "$1/main.o" "$1/all.a" -o "$1/program" && [ "$("$1/program")" = "5 10" ]' sh "$work/parts"
claim "-E prints the translated source" shows 'scaled(float x) { return x . factor; } status 0' sim compile -E "$work/parts/scale.cu"
for option in -ptx -cubin -fatbin -dlink -shared -M; do
    claim "$option is explained in one line" one_line 2 "cudasim: $option: " build/cudasim compile $option "$work/parts/scale.cu"
done

# ---- output and translation ---------------------------------------------------------------------------

cat >"$work/last.cu" <<'END'
#include <cstdio>
#include <cstdlib>
__global__ void k(int *t) { t[threadIdx.x + 1000] = 1; }
int main()
{
    int *t;
    cudaMalloc(&t, 8);
    printf("before");
    k<<<1, 32>>>(t);
    printf(" after");
    abort();
}
END
claim "a last line without its end is not lost in an abort() after a finding" \
    shows 'before after' sh -c 'build/cudasim run "$1" 2>/dev/null' sh "$work/last.cu"
if command -v script >/dev/null && script -qec true /dev/null </dev/null >/dev/null 2>&1; then
    on_terminal() { # COLUMNS [REDIRECTION]: the report on sum.cu as it is shown
        script -qec "stty cols $1; '$work/sum' $2" /dev/null </dev/null | tr -d '\r' >"$work/out"
        cat "$work/out"
    }
    same_words() { [ "$(tr -s ' \n' '  ' <"$work/out")" = "$(tr -s ' \n' '  ' <"$work/piped")" ]; }
    wrapped() {
        sim compile -o "$work/sum" docs/cudasim/sum.cu && "$work/sum" 2>"$work/piped"
        for columns in 60 100; do
            on_terminal $columns ''
            same_words && awk -v most=$columns 'length > most { exit 1 }' "$work/out" || return 1
        done
    }
    claim "on a terminal, findings are broken between words" wrapped
    piped() { on_terminal 60 '2>&1 | cat' && cmp "$work/out" "$work/piped"; }
    claim "and only there" piped
else
    echo "ok - on a terminal, findings are broken between words # SKIP there is no script(1), or no terminal for it"
fi
printf '#include <cstdio>\n__global__ void k() { assert(threadIdx.x < 3); }
int main() { k<<<1, 4>>>(); puts(cudaGetErrorName(cudaDeviceSynchronize())); puts(cudaGetErrorName(cudaGetLastError())); }\n' >"$work/assert.cu"
claim "after a failed assert, calls return cudaErrorAssert, as on a card" \
    shows 'assert.cu:2: .* is false.*cudaErrorAssert cudaErrorAssert cudasim: 1 finding status 1' sim run "$work/assert.cu"
printf 'int main() { return UINT_MAX == 0xffffffff && INT_MIN < 0 ? 0 : 1; }\n' >"$work/limits.cu"
cat >"$work/words.cu" <<'END'
#define KERNEL __global__ void
#define GLOBAL __global__
#define BOUNDED GLOBAL __launch_bounds__(64)
KERNEL one(int *t) { t[threadIdx.x] += 1; }
template <typename T> GLOBAL void two(T *t) { t[threadIdx.x] += 2; }
static BOUNDED void three(int *t) { t[threadIdx.x] += 4; }
int main()
{
    int *t, h[32];
    cudaMalloc(&t, 128);
    cudaMemset(t, 0, 128);
    one<<<1, 32>>>(t);
    two<<<1, 32>>>(t);
    three<<<1, 32>>>(t);
    cudaMemcpy(h, t, 128, cudaMemcpyDeviceToHost);
    return h[31] != 7;
}
END
claim "a macro may mean __global__" shows '^status 0' sim run "$work/words.cu"
claim "limits.h need not be included, as with nvcc" shows '^status 0' sim run "$work/limits.cu"
printf '#include "parts/main.h"\n__global__ void k(unsigned *t) { unsigned lane; asm("mov.u32 %%0, %%%%laneid;" : "=r"(lane)); t[lane] = lane; }
int main() { unsigned *t; cudaMalloc(&t, 128); k<<<1, 32>>>(t); return cudaDeviceSynchronize(); }\n' >"$work/first.cu"
claim "assembly in a file that begins with an include of its own" shows '^status 0' sim run "$work/first.cu"
printf '#include <cooperative_groups.h>\nint main() {}\n' >"$work/groups.cc"
claim "cooperative_groups.h compiles without warnings as C++20" \
    g++ -std=c++20 -Wall -Wextra -Werror -D__CUDACC__ -I grader/gpu/include -fsyntax-only -x c++ "$work/groups.cc"
exit "$status"
