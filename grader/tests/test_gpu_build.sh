#!/bin/sh
# test_gpu_build.sh - every .cu file is real CUDA, and gpu_build.sh says so when one is not.
set -u
cd "$(dirname "$0")/../.." || exit 1

scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
status=0

ok() { echo "ok - $1"; }
not_ok() {
    echo "not ok - $1"
    sed 's/^/# /' "$scratch/out"
    status=1
}

# Tests without a compiler: if there is no nvcc, the script skips with a reason; if NVCC names a
# missing program, it ends with an error. The copy of nvcc.sh does not know the usual folder, so
# this also works on a machine with a toolkit.
mkdir -p "$scratch/grader/tools"
cp grader/tools/gpu_build.sh "$scratch/grader/tools"
sed 's|/usr/local/cuda|/no/such/place|' grader/tools/nvcc.sh >"$scratch/grader/tools/nvcc.sh"
chmod +x "$scratch/grader/tools/nvcc.sh"
if [ -x /usr/bin/nvcc ]; then
    echo "ok - without nvcc it is skipped, and says so # SKIP there is /usr/bin/nvcc"
elif env -u NVCC -u CUDA_HOME PATH=/usr/bin:/bin "$scratch/grader/tools/gpu_build.sh" \
    >"$scratch/out" 2>&1 && grep -q "skipped: no nvcc" "$scratch/out"; then
    ok "without nvcc it is skipped, and says so"
else
    not_ok "without nvcc it is skipped, and says so"
fi
if NVCC="$scratch/none" grader/tools/gpu_build.sh >"$scratch/out" 2>&1; then
    not_ok "an NVCC that is not there is an error"
elif grep -q "there is no such program" "$scratch/out"; then
    ok "an NVCC that is not there is an error"
else
    not_ok "an NVCC that is not there is an error"
fi

if ! grader/tools/nvcc.sh >/dev/null; then
    echo "ok - every .cu file compiles with nvcc # SKIP no nvcc"
    echo "ok - a file that is not CUDA is found # SKIP no nvcc"
    echo "ok - a fault in a header that only one target reads is found # SKIP no nvcc"
    echo "ok - a fault that only ptxas finds is found # SKIP no nvcc"
    exit $status
fi

if grader/tools/gpu_build.sh >"$scratch/out" 2>&1; then
    ok "every .cu file compiles with nvcc"
else
    not_ok "every .cu file compiles with nvcc"
fi
# g++ and the simulator accept this, but in CUDA a kernel may not return a value.
echo '#include <cuda_runtime.h>
__global__ int kernel() { return 1; }' >"$scratch/wrong.cu"
if grader/tools/gpu_build.sh "$scratch/wrong.cu" >"$scratch/out" 2>&1; then
    not_ok "a file that is not CUDA is found"
elif grep -q "wrong.cu does not compile" "$scratch/out"; then
    ok "a file that is not CUDA is found"
else
    not_ok "a file that is not CUDA is found"
fi

# nvcc reads most files only for the oldest target. A file that asks for the target is read for each.
finds_fault() { # WHAT PATTERN, of the file fault.cu
    if ! grader/tools/gpu_build.sh "$scratch/fault.cu" >"$scratch/out" 2>&1 && grep -q "$2" "$scratch/out"; then
        ok "$1"
    else
        not_ok "$1"
    fi
}
mkdir "$scratch/of"
echo '#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ == 1200
static __device__ int undeclared() { return no_such_name; }
#endif' >"$scratch/of/one.h"
echo '#include "one.h"' >"$scratch/of/all.h"
echo '#include "of/all.h"
__global__ void kernel() {}' >"$scratch/fault.cu"
finds_fault "a fault in a header that only one target reads is found" 'no_such_name'
# The front end leaves inline PTX to ptxas. This file asks for no target, so it is read once.
echo '__global__ void kernel() { asm volatile("@@"); }' >"$scratch/fault.cu"
finds_fault "a fault that only ptxas finds is found" 'ptxas'
exit $status
