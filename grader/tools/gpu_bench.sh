#!/bin/sh
# gpu_bench.sh - measures the solutions' kernels on a card (make gpu-bench).
#
#   gpu_bench.sh            builds the bench with nvcc for this card, and runs it
#   gpu_bench.sh --small    odd sizes and few runs: only checks that everything runs and agrees
#
# Prints date, card, driver, toolkit and a Markdown table for each computation; beside the last
# one, PyTorch's attention, if python3 has PyTorch; and the bytes that lab 10's kernels move, if
# there is ncu. DOCS=1 also writes all this to docs/performance.md. Without nvcc or a device, it prints one line and exits
# with 1, because only a device can be measured.
set -eu
cd "$(dirname "$0")/../.."

nvcc=$(grader/tools/nvcc.sh) || {
    echo "gpu-bench: not run: no nvcc (install the CUDA Toolkit, or set NVCC=.../bin/nvcc)" >&2
    exit 1
}
driver=$(nvidia-smi --query-gpu=driver_version,clocks.max.sm,power.limit \
    --format=csv,noheader 2>/dev/null | head -n 1) || driver=
if [ -z "$driver" ]; then
    echo "gpu-bench: not run: no CUDA device (nvidia-smi lists none)" >&2
    exit 1
fi

mkdir -p build/gpu
objects=$(mktemp -d build/gpu/bench.XXXXXX)
trap 'rm -rf "$objects"' EXIT
${CC:-gcc} -std=c17 -O2 -I labs -c -o "$objects/status.o" labs/common/status.c
# Fast kernels beside the plain ones: fast_x is the name of the fast x.
fast=
for name in attention_decode grouped_query_attention quantize_rows linear_int8 \
    flash_attention flash_attention_backward; do
    fast="$fast -D${name}_gpu=fast_${name}_gpu"
done
# Hopper's own instructions (flash_hopper.cu) need the target sm_90a, since CUDA 12.
arch=-arch=native
if [ "$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader | head -n 1)" = 9.0 ] &&
    "$nvcc" --help | grep -q sm_90a; then
    arch='-gencode arch=compute_90a,code=sm_90a'
fi
export nvcc objects fast arch
{
    ls grader/bench/gpu/*.cu solutions/01_*/*.cu solutions/02_*/*.cu solutions/03_*/*.cu \
        solutions/09_*/*.cu solutions/10_*/*.cu
    for file in 09_generation/cache 09_generation/int8 10_flash_attention/flash \
        10_flash_attention/backward; do
        echo "solutions/fast/$file.cu"
    done
} | xargs -P "${JOBS:-$(nproc)}" -I FILE sh -c '
    case FILE in solutions/fast/*) names=$fast ;; *) names= ;; esac
    "$nvcc" -std=c++17 -O3 $arch -I labs -I grader $names -c \
        -o "$objects/$(echo FILE | tr / _).o" FILE || exit 255'
"$nvcc" $arch -o build/gpu/bench.new "$objects"/*.o -lcublas
mv build/gpu/bench.new build/gpu/bench

{
    echo "date: $(date -u +%Y-%m-%d)"
    echo "driver, highest SM clock, power limit: $driver"
    echo "toolkit: $("$nvcc" --version | sed -n 's/.*release \([^ ,]*\), \(V[^ ]*\).*/CUDA \1, nvcc \2/p')"
    build/gpu/bench "$@"
    # beside the last ladder, PyTorch on the same sizes
    if [ $# -eq 0 ]; then
        echo
        # shellcheck disable=SC2046
        python3 grader/bench/gpu/torch_attention.py \
            $(sed -n 's/^causal attention of heads.* B NH T hs = //p' build/gpu/bench.md.new)
        echo
        grader/tools/gpu_counters.sh
    fi
} >build/gpu/bench.md.new
mv build/gpu/bench.md.new build/gpu/bench.md
cat build/gpu/bench.md
if [ -n "${DOCS:-}" ]; then
    grader/tools/between.sh docs/performance.md gpu-bench <build/gpu/bench.md
fi
