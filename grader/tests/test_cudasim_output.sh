#!/bin/sh
# test_cudasim_output.sh - cudasim's exit status, and what it prints.
set -u
cd "$(dirname "$0")/../.." || exit 1
. grader/tests/cudasim/workspace.sh

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
echo "void run();" >"$work/own.h"
printf '#include "own.h"\n__global__ void k(unsigned *t) { unsigned lane; asm("mov.u32 %%0, %%%%laneid;" : "=r"(lane)); t[lane] = lane; }
int main() { unsigned *t; cudaMalloc(&t, 128); k<<<1, 32>>>(t); return cudaDeviceSynchronize(); }\n' >"$work/first.cu"
claim "assembly in a file that begins with an include of its own" shows '^status 0' sim run "$work/first.cu"
printf '#include <cooperative_groups.h>\nint main() {}\n' >"$work/groups.cc"
claim "cooperative_groups.h compiles without warnings as C++20" \
    g++ -std=c++20 -Wall -Wextra -Werror -D__CUDACC__ -I grader/gpu/include -fsyntax-only -x c++ "$work/groups.cc"
exit "$status"
